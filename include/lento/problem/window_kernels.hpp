#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <variant>

#include <lento/base/row.hpp>
#include <lento/effective/picard.hpp>
#include <lento/kernel/kernel.hpp>
#include <lento/problem/choice.hpp>

namespace lento {

/// Windows whose filter has its zeros at the fast frequencies where they are. What it takes is planned by the method.
struct notch {
    static constexpr std::string_view name = "notch";
    static constexpr std::string_view sentence =
        "zeros at the local fast frequencies of a stiff system, which the method ipa follows";
    static constexpr auto options() { return std::tuple{}; }
};

namespace detail {

template <class Variant, class... More> struct widened;
template <class... Each, class... More> struct widened<std::variant<Each...>, More...> {
    using type = std::variant<Each..., More...>;
};

} // namespace detail

/// What `window.kernel` can name: a filter, or one of two other ways to look at a stretch of fast motion.
using window_kernel = detail::widened<kernel, notch, picard>::type;
[[nodiscard]] std::span<row<window_kernel> const> window_kernels();
/// Its name there. (A kernel alone has one already, to which it need not be widened.)
template <std::same_as<window_kernel> Kernel> [[nodiscard]] std::string_view name(Kernel const& k) {
    return held_name(k);
}
/// The filter that it is; nothing for the two others.
[[nodiscard]] std::optional<kernel> filter_of(window_kernel const& k);

/// A filter by its name, with its options beside it.
using kernel_choice = choice_of<kernels, window_kernels>;
/// Anything that a window can be looked at with, likewise.
using window_kernel_choice = choice_of<window_kernels>;

extern template class choice_of<kernels, window_kernels>;
extern template class choice_of<window_kernels>;

} // namespace lento
