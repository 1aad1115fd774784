#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "problem/sentences.hpp"

#include <lento/base/misuse.hpp>
#include <lento/expression/error.hpp>
#include <lento/expression/formula_reader.hpp>
#include <lento/problem/entry.hpp>
#include <lento/problem/problem_error.hpp>

namespace lento::detail {

/// Reads entries of one problem file with the names of its formula_reader; whatever is wrong is told with its place.
class reader {
public:
    reader(entry root, std::string source) : root_(std::move(root)), source_(std::move(source)) {}

    [[nodiscard]] entry const& root() const { return root_; }
    [[nodiscard]] expression::formula_reader& book() { return *book_; }
    /// The graph of the formula_reader, for formulas to share; it grows until the file is read.
    [[nodiscard]] std::shared_ptr<expression::graph const> graph() const { return {book_, &book_->formulas()}; }
    [[nodiscard]] std::shared_ptr<expression::graph> growing() { return {book_, &book_->formulas()}; }
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

private:
    entry root_;
    std::string source_;
    /// Formulas with more terms than these take many seconds to evaluate once.
    static constexpr long double most_terms = 1e9L;
    std::shared_ptr<expression::formula_reader> book_ = std::make_shared<expression::formula_reader>(most_terms);
};

} // namespace lento::detail
