#pragma once

#include <memory>
#include <span>
#include <utility>

#include <lento/base/force.hpp>
#include <lento/base/misuse.hpp>

namespace lento {

/// A force from another language: reads the time, positions, velocities and phases, and writes a force for each
/// coordinate. What the system does not have is null, and so are velocities unless the force is wrapped by
/// with_velocity. It is called by several threads at once where a system is run by several.
using foreign_function = void(double t, double const* q, double const* v, double const* theta, double* out, void* data);

/// Such a function as the force of a system of C++: `plain(dynamic(n), foreign_force(f, data))`,
/// `vibrated(dynamic(n), {...}, with_time(foreign_force(f)))`.
class foreign_force {
public:
    struct work_type {};

    /// The data must be there as long as the system.
    explicit foreign_force(foreign_function* function, void* data = nullptr)
        : foreign_force(function, std::shared_ptr<void>(std::shared_ptr<void>(), data)) {}
    /// The data are there as long as the force and its copies are.
    foreign_force(foreign_function* function, std::shared_ptr<void> data)
        : function_(function), data_(std::move(data)) {
        if (function_ == nullptr) throw misuse("a foreign force needs a function, but it is null");
    }

    [[nodiscard]] work_type work() const { return {}; }
    void operator()(force_point<double> const& at, std::span<double> out, work_type& /*nothing*/) const {
        function_(at.time, at.position.data(), at.velocity.data(), at.phase.data(), out.data(), data_.get());
    }

private:
    foreign_function* function_;
    std::shared_ptr<void> data_;
};

} // namespace lento
