#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <lento/system/concepts.hpp>
#include <lento/system/outcome.hpp>
#include <lento/system/space.hpp>
#include <lento/system/statistics.hpp>

/// Effective systems whose closure is known at run time only. The call goes through a table once an effective
/// evaluation, above the window: micro steps see the whole system.
namespace lento {

namespace detail {

/// Scratch and counters of a system behind a table, and how its last evaluation went.
class erased_memory {
public:
    erased_memory() = default;
    erased_memory(erased_memory const&) = delete;
    erased_memory& operator=(erased_memory const&) = delete;
    virtual ~erased_memory() = default;
    failure failed;
    std::vector<warning> warnings;
};

/// What a solver asks of a system, as virtual functions. The velocity is ignored by separable systems.
class erased_closure {
public:
    using vector = std::vector<double>;
    using state = motion<vector>;

    erased_closure() = default;
    erased_closure(erased_closure const&) = delete;
    erased_closure& operator=(erased_closure const&) = delete;
    virtual ~erased_closure() = default;

    [[nodiscard]] virtual dynamic const& space() const = 0;
    [[nodiscard]] virtual double window_length() const = 0; ///< 0 where there is no window
    [[nodiscard]] virtual std::unique_ptr<erased_memory> memory() const = 0;
    virtual void count(erased_memory const& memory, statistics& counts) const = 0;
    virtual void acceleration(double t, vector const& q, vector const& v, vector& out, erased_memory& memory) const = 0;
    virtual void lower(double t, state& x, erased_memory& memory) const = 0;
    virtual void lift(double t, state& x, erased_memory& memory) const = 0;
    virtual void confirm(double t, state const& x, erased_memory& memory) const = 0;
};

template <second_order System> class erased_closure_of final : public erased_closure {
    struct typed_memory final : erased_memory {
        explicit typed_memory(work_of<System> made) : work(std::move(made)) {}
        work_of<System> work;
    };

public:
    explicit erased_closure_of(System system) : system_(std::move(system)) {}

    [[nodiscard]] dynamic const& space() const override { return system_.space(); }
    [[nodiscard]] double window_length() const override {
        if constexpr (requires { system_.window_length(); }) return system_.window_length();
        else return 0;
    }
    [[nodiscard]] std::unique_ptr<erased_memory> memory() const override {
        return std::make_unique<typed_memory>(system_.work());
    }
    void count(erased_memory const& memory, statistics& counts) const override {
        system_.count(static_cast<typed_memory const&>(memory).work, counts);
    }
    void acceleration(double t, vector const& q, vector const& v, vector& out, erased_memory& memory) const override {
        auto& work = static_cast<typed_memory&>(memory).work;
        if (work.failed.happened() && !memory.failed.happened()) forgive(work); // a trial step that was taken back
        if constexpr (separable<System>) system_.acceleration(t, q, out, work);
        else system_.acceleration(t, q, v, out, work);
        tell(work, memory);
    }
    void lower(double t, state& x, erased_memory& memory) const override {
        system_.lower(t, x, static_cast<typed_memory&>(memory).work);
    }
    void lift(double t, state& x, erased_memory& memory) const override {
        system_.lift(t, x, static_cast<typed_memory&>(memory).work);
    }
    void confirm(double t, state const& x, erased_memory& memory) const override {
        auto& work = static_cast<typed_memory&>(memory).work;
        if constexpr (requires { system_.confirm(t, x, work); }) system_.confirm(t, x, work);
        tell(work, memory);
    }

private:
    static void tell(work_of<System> const& work, erased_memory& memory) {
        if (work.failed.happened()) memory.failed = work.failed;
        if (work.warnings.size() != memory.warnings.size()) memory.warnings = work.warnings;
    }

    System system_;
};

/// What both erased systems share.
class erased_system {
public:
    using space_type = dynamic;
    using scalar = double;
    using vector = std::vector<double>;
    using state = motion<vector>;

    struct work_type {
        std::unique_ptr<erased_memory> memory;
        failure& failed;
        std::vector<warning>& warnings;
    };

    [[nodiscard]] dynamic const& space() const { return closure_->space(); }
    [[nodiscard]] double window_length() const { return closure_->window_length(); }
    [[nodiscard]] work_type work() const {
        auto made = closure_->memory();
        auto& reference = *made;
        return {std::move(made), reference.failed, reference.warnings};
    }
    void count(work_type const& work, statistics& counts) const { closure_->count(*work.memory, counts); }
    void lower(double t, state& x, work_type& work) const { closure_->lower(t, x, *work.memory); }
    void lift(double t, state& x, work_type& work) const { closure_->lift(t, x, *work.memory); }
    void confirm(double t, state const& x, work_type& work) const { closure_->confirm(t, x, *work.memory); }

protected:
    explicit erased_system(std::shared_ptr<erased_closure const> closure) : closure_(std::move(closure)) {}
    [[nodiscard]] erased_closure const& closure() const { return *closure_; }

private:
    std::shared_ptr<erased_closure const> closure_;
};

} // namespace detail

/// Any effective system x'' = a(t, x) of run-time size: `erased_separable(effective(system, closure))`.
class erased_separable : public detail::erased_system {
public:
    template <separable System> explicit erased_separable(System system)
        : erased_system(std::make_shared<detail::erased_closure_of<System>>(std::move(system))) {}
    void acceleration(double t, vector const& q, vector& out, work_type& work) const {
        closure().acceleration(t, q, q, out, *work.memory);
    }
};

/// Any effective system x'' = a(t, x, x') of run-time size.
class erased_general : public detail::erased_system {
public:
    template <velocity_dependent System> explicit erased_general(System system)
        : erased_system(std::make_shared<detail::erased_closure_of<System>>(std::move(system))) {}
    void acceleration(double t, vector const& q, vector const& v, vector& out, work_type& work) const {
        closure().acceleration(t, q, v, out, *work.memory);
    }
};

} // namespace lento
