#pragma once

#include "lento/expression/formula_reader.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lento::expression {

/// Named numbers, some of them given as formulas of the others, in any order.
class parameter_table {
public:
    void set(std::string_view name, long double value);     ///< replaces what was set before
    void set(std::string_view name, std::string_view text); ///< a formula of other parameters

    /// The values in order of declaration; throws formula_error, also for a circle of parameters, which it names.
    [[nodiscard]] std::vector<std::pair<std::string, long double>> resolve() const;
    /// Declares all values in a formula_reader.
    void declare(formula_reader& in) const;

private:
    struct entry {
        std::string name;
        std::variant<long double, std::string> given;
    };
    void put(std::string_view name, std::variant<long double, std::string> given);

    std::vector<entry> entries_;
    std::map<std::string, std::size_t> places_; // among the entries
};

} // namespace lento::expression
