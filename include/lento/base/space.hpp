#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <vector>

namespace lento {

/// A space whose number of coordinates is known to the compiler: vectors are std::array and live in registers.
template <std::size_t N> struct fixed {
    static_assert(N > 0, "a system needs at least one coordinate");
    static constexpr bool is_fixed = true;
    template <class T> using vector = std::array<T, N>;
    [[nodiscard]] static constexpr std::size_t size() { return N; }
    template <class T> [[nodiscard]] static constexpr vector<T> zeros() { return {}; }
};

/// A space whose number of coordinates is known at run time: vectors are std::vector.
class dynamic {
public:
    static constexpr bool is_fixed = false;
    template <class T> using vector = std::vector<T>;
    constexpr explicit dynamic(std::size_t size) : size_(size) {}
    [[nodiscard]] constexpr std::size_t size() const { return size_; }
    template <class T> [[nodiscard]] vector<T> zeros() const { return vector<T>(size_); }

private:
    std::size_t size_;
};

/// Position and velocity: the state of a second-order system.
template <class V> struct motion {
    static constexpr bool is_motion = true;
    using vector = V;
    V position{};
    V velocity{};
    static auto members(auto& self) { return std::tie(self.position, self.velocity); }
};

/// The state of a first-order system.
template <class V> struct point {
    static constexpr bool is_motion = false;
    using vector = V;
    V state{};
    static auto members(auto& self) { return std::tie(self.state); }
};

} // namespace lento
