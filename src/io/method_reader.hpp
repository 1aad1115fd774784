#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "io/reader.hpp"

#include <lento/io/method.hpp>
#include <lento/io/problem.hpp>

namespace lento::detail {

/// Calls visit with a default value of every alternative.
template <class Variant, class Visit> void for_each_alternative(Visit const& visit) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (visit(std::variant_alternative_t<I, Variant>{}), ...);
    }(std::make_index_sequence<std::variant_size_v<Variant>>{});
}

inline constexpr std::string_view fitted_verlet = "verlet-fitted";

/// Micro steps of rk4 a period with which the fast flow alone returns well within what the slow part moves it by.
[[nodiscard]] int steps_to_return(problem const& what, bool interaction);

/// The window that a method for stiff systems has where none is given.
[[nodiscard]] window stiff_window_of(std::string_view method);
/// The name in files of a scheme that has the same one with steps of its own choice.
[[nodiscard]] std::string_view plain_name(std::string_view scheme);

/// Reads [method] and [accuracy]. Which methods a kind of system has, and what they take, stands in its own file,
/// method_KIND.cpp.
class method_reader {
public:
    method_reader(reader& from, problem const& what) : from_(from), what_(what) {}

    method_options read();

private:
    using names = std::vector<std::string>;

    void read_accuracy();
    /// The method's name. Throws does_not_apply where it is none for this problem.
    void read_name();
    /// What makes sense in itself, but does not apply to this problem, is told when it runs.
    [[noreturn]] void refuse(std::string const& sentence) const { throw does_not_apply(sentence); }
    /// Only these keys may stand beside name, macro and engine. Where the command line gives the name, those that the
    /// file has for another method are left out.
    void allow(names keys);
    [[nodiscard]] entry const* find(std::string_view key) const;

    void read_macro(entry const& macro);
    /// verlet-fitted takes the fastest phase's frequency where it integrates the fast motion, unless it is told
    /// another.
    void fit(verlet& stepper, entry const& table, std::string const& name, bool fast) const;

    void read_vibrated();
    void read_start(entry const& given);
    void read_picard(entry const& view);
    void read_window(entry const* view, entry const* micro);
    void read_micro(entry const* micro, window& made, double steps_per_period);
    [[nodiscard]] mean_rule rule_for(window const& view) const;

    void read_split();
    void read_stroboscopic();
    void read_path();
    void read_flavors();
    /// The scheme that carries a split or plain system along; how many of its steps make a stretch of this length.
    int read_flow(double length, double usual);
    void read_picture();

    void read_plain();
    void read_over_springs();

    void read_constrained();
    void read_stiff();
    void read_stiff_window(names others);
    void read_projection(entry const& given);
    void read_scalar(entry const& view);

    /// A kernel with its options; the table may have these other keys besides.
    kernel read_kernel(entry const& table, std::string const& usual, names others);
    /// The kernel that a table names, or the usual one; picard stands among them, though it is no filter.
    [[nodiscard]] std::string kernel_name(entry const* table, std::string const& usual) const;

    reader& from_;
    problem const& what_;
    entry const* method_ = nullptr;
    entry kept_; ///< the method without what another one had
    method_options made_;
};

} // namespace lento::detail
