#include <lento/problem/window_kernels.hpp>

#include <type_traits>

namespace lento {

std::span<row<window_kernel> const> window_kernels() {
    static constexpr auto all = rows_of(static_cast<window_kernel const*>(nullptr));
    return all;
}

std::optional<kernel> filter_of(window_kernel const& k) {
    return std::visit(
        [](auto const& each) {
            std::optional<kernel> made;
            if constexpr (std::is_constructible_v<kernel, decltype(each)>) made = each;
            return made;
        },
        k);
}

template class choice_of<kernels, window_kernels>;
template class choice_of<window_kernels>;

} // namespace lento
