#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

/// What a run must remember to go on exactly, as numbers. A memory or work says once what that is,
///
///     static auto members(auto& self) { return std::tie(self.history, self.known, self.fresh); }
///
/// and leaves out what is overwritten before it is used, and what its maker sets again.
namespace lento {

class archive;

namespace detail {

template <class X> inline constexpr bool is_perhaps = false;
template <class X> inline constexpr bool is_perhaps<std::optional<X>> = true;
template <class X> inline constexpr bool is_list = false;
template <class X> inline constexpr bool is_list<std::vector<X>> = true;
template <class X, std::size_t N> inline constexpr bool is_list<std::array<X, N>> = true;
template <> inline constexpr bool is_list<std::string> = true;
template <class X> inline constexpr bool is_numbers = false; ///< a list of doubles
template <> inline constexpr bool is_numbers<std::vector<double>> = true;
template <std::size_t N> inline constexpr bool is_numbers<std::array<double, N>> = true;

template <class X>
concept lists_members = requires(X& x) { X::members(x); };
/// What is known at run time only writes itself.
template <class X>
concept writes_itself = requires(X& x, archive& numbers) {
    x.write_to(numbers);
    x.read_from(numbers);
};

template <class X> consteval bool can_be_stored();
template <class... Members> consteval bool can_be_stored(std::type_identity<std::tuple<Members&...>>) {
    return (can_be_stored<Members>() && ...);
}
template <class X> consteval bool can_be_stored() {
    if constexpr (std::is_arithmetic_v<X> || std::is_enum_v<X>) return true;
    else if constexpr (is_perhaps<X> || is_list<X>) return can_be_stored<typename X::value_type>();
    else if constexpr (lists_members<X>)
        return can_be_stored(std::type_identity<decltype(X::members(std::declval<X&>()))>{});
    else return std::is_empty_v<X> || writes_itself<X>;
}

[[noreturn]] void refuse_archive(std::size_t numbers);

} // namespace detail

/// Whether values of a type can be written down as numbers and read back. What foreign codes remember cannot: a run of
/// theirs begins anew.
template <class X>
concept storable = detail::can_be_stored<std::remove_cvref_t<X>>();

/// Numbers into which values are written one after another, and from which they are read back in the same order, to the
/// last bit: `archive made; made.write(memory);`, then `archive(numbers).read(memory)` into one of the same maker.
class archive {
public:
    archive() = default;
    explicit archive(std::vector<double> numbers) : numbers_(std::move(numbers)) {}

    [[nodiscard]] std::vector<double> const& numbers() const { return numbers_; }
    /// Whether all numbers have been read.
    [[nodiscard]] bool at_end() const { return next_ == numbers_.size(); }

    template <storable X> void write(X const& x) {
        if constexpr (std::is_enum_v<X>) write(static_cast<std::underlying_type_t<X>>(x));
        else if constexpr (std::floating_point<X>) write_real(x);
        else if constexpr (std::is_arithmetic_v<X>) write_whole(static_cast<std::uint64_t>(x));
        else if constexpr (detail::is_perhaps<X>) {
            write(x.has_value());
            if (x) write(*x);
        } else if constexpr (detail::is_numbers<X>) {
            write_numbers(x);
        } else if constexpr (detail::is_list<X>) {
            write(x.size());
            for (auto const& each : x) write(each);
        } else if constexpr (detail::writes_itself<X>) {
            x.write_to(*this);
        } else if constexpr (detail::lists_members<X>) {
            std::apply([this](auto const&... each) { (write(each), ...); }, X::members(x));
        }
    }
    /// Throws misuse where the numbers are not those of such a value.
    template <storable X> void read(X& x) {
        if constexpr (std::is_enum_v<X>) x = static_cast<X>(read_whole());
        else if constexpr (std::floating_point<X>) x = read_real<X>();
        else if constexpr (std::is_arithmetic_v<X>) x = static_cast<X>(read_whole());
        else if constexpr (detail::is_perhaps<X>) {
            x.reset();
            if (read_whole() != 0) read(x.emplace());
        } else if constexpr (detail::is_list<X>) {
            resize(x, read_whole());
            if constexpr (detail::is_numbers<X>) read_numbers(x);
            else
                for (auto& each : x) read(each);
        } else if constexpr (detail::writes_itself<X>) {
            x.read_from(*this);
        } else if constexpr (detail::lists_members<X>) {
            std::apply([this](auto&... each) { (read(each), ...); }, X::members(x));
        }
    }

private:
    /// A double as it is; what has more digits as two doubles and an exponent.
    template <class T> void write_real(T x) {
        if constexpr (sizeof(T) <= sizeof(double)) {
            put(static_cast<double>(x));
        } else {
            int exponent = 0;
            T const digits = std::isfinite(x) ? std::frexp(x, &exponent) : x;
            auto const first = static_cast<double>(digits);
            put(first);
            put(std::isfinite(x) ? static_cast<double>(digits - static_cast<T>(first)) : 0);
            put(exponent);
        }
    }
    template <class T> [[nodiscard]] T read_real() {
        double const first = next();
        if constexpr (sizeof(T) <= sizeof(double)) {
            return static_cast<T>(first);
        } else {
            T const rest = next();
            T const digits = rest == 0 ? static_cast<T>(first) : static_cast<T>(first) + rest; // -0 stays
            return std::ldexp(digits, static_cast<int>(next()));
        }
    }
    void put(double number);
    [[nodiscard]] double next();
    /// Whole numbers of 64 bits as two of 32.
    void write_whole(std::uint64_t x);
    [[nodiscard]] std::uint64_t read_whole();
    void write_numbers(std::span<double const> all);
    void read_numbers(std::span<double> all);
    template <class List> void resize(List& x, std::uint64_t size) const {
        bool const grows = requires { x.resize(0); };
        if (grows ? size > numbers_.size() - next_ : size != x.size()) detail::refuse_archive(numbers_.size());
        if constexpr (requires { x.resize(0); }) x.resize(static_cast<std::size_t>(size));
    }

    std::vector<double> numbers_;
    std::size_t next_ = 0;
};

} // namespace lento
