#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <lento/base/force.hpp>
#include <lento/base/misuse.hpp>
#include <lento/system/phase.hpp>

namespace lento {

/// A force of phases as one of the time, for plain systems: the phases are those at the time, theta_j = frequency_j t +
/// start_j, as many as there are. So a vibrated system, of any number of phases, looks to a stepper that resolves every
/// vibration. The force brings work().
template <class F> class turning_force {
public:
    struct work_type {
        detail::force_work<F> force;
        std::vector<double> theta;
    };

    turning_force(F force, std::vector<double> frequencies, std::vector<double> starts)
        : force_(std::move(force)), frequencies_(std::move(frequencies)), starts_(std::move(starts)) {
        require_size("the list of phases", starts_.size(), frequencies_.size());
    }

    [[nodiscard]] work_type work() const { return {force_.work(), std::vector<double>(frequencies_.size())}; }
    void operator()(force_point<double> at, std::span<double> out, work_type& work) const {
        for (std::size_t j = 0; j < frequencies_.size(); ++j)
            work.theta[j] = reduced_phase(starts_[j], frequencies_[j], at.time);
        at.phase = work.theta;
        force_(at, out, work.force);
    }

private:
    F force_;
    std::vector<double> frequencies_;
    std::vector<double> starts_;
};

} // namespace lento
