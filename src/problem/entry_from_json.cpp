#include <lento/problem/entry.hpp>

#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

#include <lento/problem/problem_error.hpp>

namespace lento {
namespace {

/// Takes what the JSON library meets and builds the tree, keys in their order.
class tree_builder {
public:
    tree_builder(std::string_view text, std::string const& source) : text_(text), source_(source) {}

    [[nodiscard]] entry result() && { return std::move(root_); }

    bool null() { return add(entry(key_, std::numeric_limits<double>::quiet_NaN())); }
    bool boolean(bool value) { return add(entry(key_, value)); }
    bool number_integer(std::int64_t value) { return add(entry(key_, value)); }
    bool number_unsigned(std::uint64_t value) {
        if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
            return add(entry(key_, static_cast<double>(value)));
        return add(entry(key_, value));
    }
    bool number_float(double value, std::string const&) { return add(entry(key_, value)); }
    bool string(std::string& value) { return add(entry(key_, value)); }
    bool binary(std::vector<std::uint8_t>&) { return false; } // no text has it
    bool start_object(std::size_t) { return open(entry(key_, std::vector<entry>{})); }
    bool start_array(std::size_t) { return open(entry::list(key_, {})); }
    bool key(std::string& name) {
        if (open_.back().find(name) != nullptr)
            throw problem_error(source_, 0, joined_path(open_.back().path, name), "This key is given twice.");
        key_ = name;
        return true;
    }
    bool end_object() { return close(); }
    bool end_array() { return close(); }
    bool parse_error(std::size_t at, std::string const&, nlohmann::json::exception const& error) {
        auto const before = text_.substr(0, std::min(at, text_.size()));
        auto const line = 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
        std::string what = error.what(); // "[json.exception.parse_error.101] parse error at ...: what"
        if (auto const from = what.find("] "); from != std::string::npos) what.erase(0, from + 2);
        throw problem_error(source_, line, {}, "This is not JSON: " + what + ".");
    }

private:
    bool add(entry made) {
        if (open_.empty()) {
            root_ = std::move(made);
            return true;
        }
        auto& parent = open_.back();
        made.path = path_here();
        if (parent.kind == entry_kind::list) made.key.clear();
        parent.children.push_back(std::move(made));
        key_.clear();
        return true;
    }
    bool open(entry made) {
        constexpr std::size_t deepest = 200; // trees are walked by functions that call themselves
        if (open_.size() >= deepest)
            throw problem_error(source_, 0, {}, "This is nested more than " + std::to_string(deepest) + " deep.");
        made.path = path_here();
        open_.push_back(std::move(made));
        key_.clear();
        return true;
    }
    bool close() {
        entry made = std::move(open_.back());
        open_.pop_back();
        key_ = made.key;
        return add(std::move(made));
    }
    [[nodiscard]] std::string path_here() const {
        if (open_.empty()) return {};
        auto const& parent = open_.back();
        if (parent.kind == entry_kind::list)
            return parent.path + "[" + std::to_string(parent.children.size() + 1) + "]";
        return joined_path(parent.path, key_);
    }

    std::string_view text_;
    std::string const& source_;
    entry root_;
    std::vector<entry> open_;
    std::string key_;
};

} // namespace

entry from_json(std::string_view text, std::string const& source) {
    tree_builder builder(text, source);
    nlohmann::json::sax_parse(text, &builder);
    return std::move(builder).result();
}

} // namespace lento
