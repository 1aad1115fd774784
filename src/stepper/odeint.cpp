#include <lento/stepper/foreign_code.hpp>

#include <lento/base/misuse.hpp>

#ifdef LENTO_HAS_BOOST

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <boost/numeric/odeint/stepper/controlled_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_dopri5.hpp>

namespace lento {

bool has_odeint() { return true; }

namespace detail {
namespace {

namespace odeint = boost::numeric::odeint;

class odeint_dormand_prince final : public foreign_code {
    using state = std::vector<double>;
    using controlled = odeint::controlled_runge_kutta<odeint::runge_kutta_dopri5<state>>;

public:
    odeint_dormand_prince(std::size_t size, foreign_rate rate, foreign_settings const& settings)
        : rate_(rate)
        , settings_(settings)
        , controlled_(typename controlled::error_checker_type(settings.atol, settings.rtol))
        , x_(size)
        , dxdt_(size)
        , x_end_(size)
        , dxdt_end_(size) {}

    void restart(double, double const* y, double const* slope) override {
        std::copy_n(y, x_.size(), x_.begin());
        std::copy_n(slope, x_.size(), dxdt_.begin());
        ++counts_.evaluations;
    }
    std::string step(double guess, double limit, double& t, double* y, double* slope, void* data) override {
        if (step_ == 0) step_ = settings_.first_step > 0 ? settings_.first_step : guess;
        int code = 0;
        auto const rate = [&](state const& x, state& out, double now) {
            ++counts_.evaluations;
            if (code == 0) code = rate_(now, x.data(), out.data(), data);
        };
        for (;;) {
            double const h = std::min({step_, settings_.max_step, limit - t});
            // what is cut short by the limit, or stretched to it by a rounding error, ends there
            bool const last = h >= (limit - t) * (1 - 1e-12);
            if (!(h > 16 * std::numeric_limits<double>::epsilon() * std::abs(t)) || (!last && h < settings_.min_step))
                return "its step has become " + show(h);
            double reached = t;
            double next = h;
            code = 0;
            bool accepted = controlled_.try_step(rate, x_, dxdt_, reached, x_end_, dxdt_end_, next) == odeint::success;
            if (code < 0) return "the force failed";
            if (code > 0) { // odeint takes a NaN for a small error
                accepted = false;
                next = h / 5;
            }
            if (!accepted) {
                ++counts_.rejected;
                step_ = next;
                continue;
            }
            ++counts_.steps;
            step_ = h < step_ ? std::max(step_, next) : next;
            x_.swap(x_end_);
            dxdt_.swap(dxdt_end_);
            t = last ? limit : reached;
            std::ranges::copy(x_, y);
            std::ranges::copy(dxdt_, slope);
            return {};
        }
    }
    [[nodiscard]] foreign_counts counts() const override { return counts_; }

private:
    foreign_rate rate_;
    foreign_settings settings_;
    controlled controlled_;
    state x_;
    state dxdt_;
    state x_end_;
    state dxdt_end_;
    double step_ = 0;
    foreign_counts counts_;
};

} // namespace

std::unique_ptr<foreign_code> make_odeint_dormand_prince(std::size_t size, foreign_rate rate,
                                                         foreign_settings const& settings) {
    return std::make_unique<odeint_dormand_prince>(size, rate, settings);
}

} // namespace detail
} // namespace lento

#else

namespace lento {

bool has_odeint() { return false; }

namespace detail {

std::unique_ptr<foreign_code> make_odeint_dormand_prince(std::size_t, foreign_rate, foreign_settings const&) {
    throw misuse("odeint-dormand-prince needs Boost, and this build of Lento lacks it: install Boost's headers "
                 "(libboost-dev) and configure again");
}

} // namespace detail
} // namespace lento

#endif
