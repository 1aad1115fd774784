#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "io/document.hpp"
#include "problem/sentences.hpp"

#include <lento/expression/error.hpp>
#include <lento/expression/notebook.hpp>
#include <lento/io/method.hpp>
#include <lento/io/problem.hpp>
#include <lento/io/problem_error.hpp>
#include <lento/system/misuse.hpp>

namespace lento::detail {

/// Reads entries of one problem file with the names of its notebook; whatever is wrong is told with its place.
class reader {
public:
    reader(entry root, std::string source) : root_(std::move(root)), source_(std::move(source)) {}

    [[nodiscard]] entry const& root() const { return root_; }
    [[nodiscard]] expression::notebook& book() { return book_; }
    [[nodiscard]] std::string const& source() const { return source_; }

    [[noreturn]] void fail(entry const& at, std::string const& sentence) const;
    [[noreturn]] void fail(std::string const& key, std::string const& sentence) const; ///< for what is missing
    [[noreturn]] void fail(entry const& at, expression::formula_error const& error) const;

    /// Only these keys may stand in a table.
    void allow_only(entry const& table, std::vector<std::string> const& known) const;
    /// The name is one of the known ones; lacking ones belong to Lento, but not to this program.
    void require_known(entry const& at, std::string_view what, std::string const& name,
                       std::vector<std::string> const& known, std::vector<std::string> const& lacking = {}) const;

    entry const& table(entry const& at) const;
    entry const& list(entry const& at) const;
    [[nodiscard]] std::string const& text(entry const& at) const;
    [[nodiscard]] bool truth(entry const& at) const;
    [[nodiscard]] double number(entry const& at);
    [[nodiscard]] double positive(entry const& at);
    [[nodiscard]] std::int64_t whole(entry const& at);
    /// A formula's text; numbers are formulas too.
    [[nodiscard]] std::string formula(entry const& at) const;

    /// Calls read() and gives formula errors and misuse the place of an entry.
    template <class Read> auto guarded(entry const& at, Read const& read) const -> decltype(read()) {
        try {
            return read();
        } catch (expression::formula_error const& error) { fail(at, error); } catch (does_not_apply const&) {
            throw; // nothing is wrong with the file
        } catch (misuse const& error) { fail(at, as_sentence(error.what())); }
    }

    /// Reads one option of an options struct, as its type wants it.
    template <class Value> void read(entry const& at, Value& value) {
        if constexpr (std::is_enum_v<Value>) {
            auto const words = names_of(value);
            require_known(at, at.key, text(at), {words.begin(), words.end()});
            value = static_cast<Value>(std::find(words.begin(), words.end(), at.text) - words.begin());
        } else if constexpr (std::is_same_v<Value, bool>) value = truth(at);
        else if constexpr (std::is_integral_v<Value>) value = static_cast<Value>(whole(at));
        else value = number(at);
    }
    /// Reads those entries of a table that are options of a struct.
    template <class Options> void read_options(entry const& from, Options& options) {
        std::apply(
            [&](auto const&... each) {
                auto const one = [&](auto const& described) {
                    if (auto const* given = from.find(described.name)) read(*given, options.*(described.member));
                };
                (one(each), ...);
            },
            Options::options());
    }
    template <class Options> static void add_option_names(std::vector<std::string>& names) {
        std::apply([&](auto const&... each) { (names.emplace_back(each.name), ...); }, Options::options());
    }

private:
    entry root_;
    std::string source_;
    /// A force with more terms than these takes minutes to evaluate once.
    static constexpr long double most_terms = 1e10L;
    expression::notebook book_{most_terms};
};

/// Reads method.engine, which is wanted before the rest: formulas are compiled as they are read.
[[nodiscard]] expression::engine_kind read_engine(reader const& from);
/// Reads [method] and [accuracy] for a system that has been read.
[[nodiscard]] method_options read_method(reader& from, problem const& what);

} // namespace lento::detail
