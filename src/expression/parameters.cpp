#include "lento/expression/parameters.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace lento::expression {

namespace {

/// A parameter on its way to a value.
struct pending {
    parsed_formula text;
    std::vector<std::pair<std::size_t, place>> needs; // other parameters, and where they stand in the formula
    std::size_t next = 0;
    enum class state : std::uint8_t { waiting, open, done } now = state::waiting;
};

/// Works through the parameters depth first, without recursion: chains of parameters may be long.
class resolution {
public:
    using entries = std::vector<std::pair<std::string, std::variant<long double, std::string>>>;
    explicit resolution(entries const& given) : given_(given), pending_(given.size()), values_(given.size()) {
        for (std::size_t i = 0; i < given_.size(); ++i) numbers_[given_[i].first] = i;
    }

    std::vector<long double> run() {
        for (std::size_t i = 0; i < given_.size(); ++i) resolve(i);
        return values_;
    }

private:
    void resolve(std::size_t root) {
        if (pending_[root].now == pending::state::done) return;
        std::vector<std::size_t> path{root};
        open(root);
        while (!path.empty()) {
            auto& here = pending_[path.back()];
            if (here.next == here.needs.size()) {
                finish(path.back());
                path.pop_back();
                continue;
            }
            auto const [wanted, where] = here.needs[here.next++];
            if (pending_[wanted].now == pending::state::open) report_circle(path, wanted, where);
            if (pending_[wanted].now == pending::state::done) continue;
            open(wanted);
            path.push_back(wanted);
        }
    }

    void open(std::size_t i) {
        auto& here = pending_[i];
        here.now = pending::state::open;
        auto const* text = std::get_if<std::string>(&given_[i].second);
        if (text == nullptr) return;
        try {
            here.text = parse(*text);
        } catch (formula_error& error) {
            error.origin = given_[i].first;
            throw;
        }
        std::set<std::string_view> indices;
        for (auto const& what : here.text.items)
            if (what.kind == item_kind::sum) indices.insert(here.text.part(what.name));
        for (auto const& what : here.text.items) {
            if (what.kind != item_kind::name) continue;
            auto const name = here.text.part(what.where);
            auto const known = numbers_.find(name);
            if (known != numbers_.end()) here.needs.emplace_back(known->second, what.where);
            else if (!is_reserved(name) && !indices.contains(name)) report_unknown(i, name, what.where);
        }
    }

    void finish(std::size_t i) {
        auto const& [name, given] = given_[i];
        auto value = 0.0L;
        if (auto const* text = std::get_if<std::string>(&given)) {
            try {
                value = book_.number(*text);
            } catch (formula_error& error) {
                error.origin = name;
                throw;
            }
        } else {
            value = std::get<long double>(given);
        }
        book_.parameter(name, value);
        values_[i] = value;
        pending_[i].now = pending::state::done;
    }

    [[noreturn]] void report_unknown(std::size_t i, std::string_view name, place where) const {
        std::vector<std::string> known{"pi"};
        for (auto const& entry : given_) known.push_back(entry.first);
        auto const nearest = nearest_name(name, known);
        auto const hint = nearest.empty() ? std::string() : " Is " + nearest + " meant?";
        throw formula_error(
            formula_error("The parameter " + std::string(name) + " is not known." + hint, where, "a parameter", nearest)
                .in(pending_[i].text.text, given_[i].first));
    }

    [[noreturn]] void report_circle(std::vector<std::size_t> const& path, std::size_t wanted, place where) const {
        constexpr std::size_t shown = 12;
        std::string circle;
        auto const begin = std::find(path.begin(), path.end(), wanted);
        auto const length = static_cast<std::size_t>(path.end() - begin);
        for (std::size_t k = 0; k < std::min(shown, length); ++k)
            circle += given_[*(begin + static_cast<std::ptrdiff_t>(k))].first + " -> ";
        if (length > shown) circle += "... -> ";
        auto const user = path.back();
        throw formula_error(
            formula_error("The parameters depend on each other in a circle: " + circle + given_[wanted].first + ".",
                          where, "parameters without a circle")
                .in(pending_[user].text.text, given_[user].first));
    }

    entries const& given_;
    std::map<std::string, std::size_t, std::less<>> numbers_;
    std::vector<pending> pending_;
    std::vector<long double> values_;
    formula_reader book_;
};

} // namespace

void parameter_table::put(std::string_view name, std::variant<long double, std::string> given) {
    auto const [at, fresh] = places_.try_emplace(std::string(name), entries_.size());
    if (fresh) entries_.push_back({std::string(name), std::move(given)});
    else entries_[at->second].given = std::move(given);
}

void parameter_table::set(std::string_view name, long double value) { put(name, value); }
void parameter_table::set(std::string_view name, std::string_view text) { put(name, std::string(text)); }

std::vector<std::pair<std::string, long double>> parameter_table::resolve() const {
    resolution::entries given;
    for (auto const& e : entries_) given.emplace_back(e.name, e.given);
    auto const values = resolution(given).run();
    std::vector<std::pair<std::string, long double>> result;
    for (std::size_t i = 0; i < values.size(); ++i) result.emplace_back(entries_[i].name, values[i]);
    return result;
}

void parameter_table::declare(formula_reader& in) const {
    for (auto const& [name, value] : resolve()) in.parameter(name, value);
}

} // namespace lento::expression
