#include <lento/solve/interpolation.hpp>

#include <cmath>
#include <cstddef>

namespace lento::detail {
namespace {

constexpr std::size_t most = most_nodes * most_data;

/// Newton's form with repeated nodes: divided differences of data that is zero but for one entry, then the value and
/// slope at s. The nodes are taken by their distance from t, and times are counted from t and scaled to their span:
/// from left to right the last steps would lose five digits to rounding.
template <class T> class newton_form {
public:
    newton_form(std::span<hermite_node<T> const> nodes, T t) {
        scale_ = nodes.back().t - nodes.front().t;
        if (scale_ == T(0)) scale_ = T(1);
        auto const distance = [&](std::size_t i) { return std::abs(nodes[i].t - t); };
        std::array<std::size_t, most_nodes> order{};
        for (std::size_t i = 0; i < nodes.size(); ++i) { // by hand: GCC 14 warns of std::sort on part of an array
            std::size_t k = i;
            for (; k > 0 && distance(i) < distance(order[k - 1]); --k) order[k] = order[k - 1];
            order[k] = i;
        }
        for (std::size_t k = 0; k < nodes.size(); ++k)
            for (int r = 0; r < nodes[order[k]].data; ++r) {
                place_[size_] = (nodes[order[k]].t - t) / scale_;
                node_[size_] = order[k];
                ++size_;
            }
    }

    /// Value and slope at t of the interpolant of unit data: derivative number r of node i is 1.
    [[nodiscard]] std::array<T, 2> unit(std::size_t i, int r) const {
        std::array<T, most> column{};
        std::array<T, most> newton{};
        T factorial(1);
        T const unit_data = r == 0 ? T(1) : r == 1 ? scale_ : scale_ * scale_;
        for (std::size_t k = 0; k < size_; ++k) column[k] = node_[k] == i && r == 0 ? T(1) : T(0);
        newton[0] = column[0];
        for (std::size_t level = 1; level < size_; ++level) {
            factorial *= T(level);
            for (std::size_t k = 0; k + level < size_; ++k) {
                if (node_[k] == node_[k + level])
                    column[k] = node_[k] == i && static_cast<int>(level) == r ? unit_data / factorial : T(0);
                else column[k] = (column[k + 1] - column[k]) / (place_[k + level] - place_[k]);
            }
            newton[level] = column[0];
        }
        T value = newton[size_ - 1];
        T slope(0);
        for (std::size_t k = size_ - 1; k-- > 0;) {
            slope = value - slope * place_[k];
            value = newton[k] - value * place_[k];
        }
        return {value, slope / scale_};
    }

private:
    std::array<T, most> place_{};
    std::array<std::size_t, most> node_{};
    std::size_t size_ = 0;
    T scale_{};
};

} // namespace

template <class T> hermite_weights<T> hermite(std::span<hermite_node<T> const> nodes, T t) {
    newton_form<T> const form(nodes, t);
    hermite_weights<T> w;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        for (int r = 0; r < nodes[i].data; ++r) {
            auto const [value, slope] = form.unit(i, r);
            w.value[i][static_cast<std::size_t>(r)] = value;
            w.slope[i][static_cast<std::size_t>(r)] = slope;
        }
    return w;
}

template hermite_weights<double> hermite<double>(std::span<hermite_node<double> const>, double);
template hermite_weights<long double> hermite<long double>(std::span<hermite_node<long double> const>, long double);

} // namespace lento::detail
