#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <lento/effective/erased.hpp>
#include <lento/effective/stiff_window.hpp>

namespace lento::detail {

/// What a solver asks of the slow motion of a stiff problem, as virtual functions.
class stiff_closure {
public:
    using vector = std::vector<double>;
    using state = motion<vector>;

    stiff_closure() = default;
    stiff_closure(stiff_closure const&) = delete;
    stiff_closure& operator=(stiff_closure const&) = delete;
    virtual ~stiff_closure() = default;

    [[nodiscard]] virtual dynamic const& space() const = 0;
    [[nodiscard]] virtual std::unique_ptr<erased_memory> memory() const = 0;
    virtual void begin(double t, state const& x, erased_memory& memory) const = 0;
    [[nodiscard]] virtual double window_length(erased_memory const& memory) const = 0;
    [[nodiscard]] virtual failure verdict(double span, double step, erased_memory const& memory) const = 0;
    virtual void count(erased_memory const& memory, statistics& counts) const = 0;
    virtual void acceleration(double t, vector const& q, vector const& v, vector& out, erased_memory& memory) const = 0;
    virtual void motion_rate(double t, state const& x, state& out, erased_memory& memory) const = 0;
    virtual void settle(double t, state& x, state& out, erased_memory& memory) const = 0;
    virtual void lower(double t, state& x, erased_memory& memory) const = 0;
    [[nodiscard]] virtual bool revise(double t, state& x, erased_memory& memory) const = 0;
    virtual void confirm(double t, state const& x, erased_memory& memory) const = 0;
    [[nodiscard]] virtual vector const& multipliers(erased_memory const& memory) const = 0;
};

template <velocity_dependent System> class stiff_closure_of final : public stiff_closure {
    struct typed_memory final : erased_memory {
        explicit typed_memory(work_of<System> made) : work(std::move(made)) {}
        work_of<System> work;
    };

public:
    explicit stiff_closure_of(System system) : system_(std::move(system)) {}

    [[nodiscard]] dynamic const& space() const override { return system_.space(); }
    [[nodiscard]] std::unique_ptr<erased_memory> memory() const override {
        return std::make_unique<typed_memory>(system_.work());
    }
    void begin(double t, state const& x, erased_memory& memory) const override {
        system_.begin(t, x, work(memory));
        tell(memory);
    }
    [[nodiscard]] double window_length(erased_memory const& memory) const override {
        return system_.window_length(work(memory));
    }
    [[nodiscard]] failure verdict(double span, double step, erased_memory const& memory) const override {
        return system_.verdict(span, step, work(memory));
    }
    void count(erased_memory const& memory, statistics& counts) const override { system_.count(work(memory), counts); }
    void acceleration(double t, vector const& q, vector const& v, vector& out, erased_memory& memory) const override {
        resume(memory);
        system_.acceleration(t, q, v, out, work(memory));
        tell(memory);
    }
    void motion_rate(double t, state const& x, state& out, erased_memory& memory) const override {
        resume(memory);
        if constexpr (requires { system_.motion_rate(t, x, out, work(memory)); })
            system_.motion_rate(t, x, out, work(memory));
        tell(memory);
    }
    void settle(double t, state& x, state& out, erased_memory& memory) const override {
        resume(memory);
        if constexpr (requires { system_.settle(t, x, out, work(memory)); }) system_.settle(t, x, out, work(memory));
        tell(memory);
    }
    void lower(double t, state& x, erased_memory& memory) const override {
        system_.lower(t, x, work(memory));
        tell(memory);
    }
    [[nodiscard]] bool revise(double t, state& x, erased_memory& memory) const override {
        bool const moved = system_.revise(t, x, work(memory));
        tell(memory);
        return moved;
    }
    void confirm(double t, state const& x, erased_memory& memory) const override {
        system_.confirm(t, x, work(memory));
        tell(memory);
    }
    [[nodiscard]] vector const& multipliers(erased_memory const& memory) const override {
        return system_.multipliers(work(memory));
    }

private:
    [[nodiscard]] static work_of<System> const& work(erased_memory const& memory) {
        return static_cast<typed_memory const&>(memory).work;
    }
    [[nodiscard]] static work_of<System>& work(erased_memory& memory) {
        return static_cast<typed_memory&>(memory).work;
    }
    /// A trial step that was taken back leaves no failure.
    static void resume(erased_memory& memory) {
        if (work(memory).failed.happened() && !memory.failed.happened()) forgive(work(memory));
    }
    static void tell(erased_memory& memory) {
        if (work(memory).failed.happened()) memory.failed = work(memory).failed;
        if (work(memory).warnings.size() != memory.warnings.size()) memory.warnings = work(memory).warnings;
    }

    System system_;
};

/// The slow motion of any stiff problem: averaged, or with every evaluation on the slow manifold.
template <bool Projected> class erased_stiff {
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

    template <velocity_dependent System> explicit erased_stiff(System system)
        : closure_(std::make_shared<stiff_closure_of<System>>(std::move(system))) {}

    [[nodiscard]] dynamic const& space() const { return closure_->space(); }
    [[nodiscard]] work_type work() const {
        auto made = closure_->memory();
        auto& reference = *made;
        return {std::move(made), reference.failed, reference.warnings};
    }
    void begin(double t, state const& x, work_type& work) const { closure_->begin(t, x, *work.memory); }
    [[nodiscard]] double window_length(work_type const& work) const { return closure_->window_length(*work.memory); }
    [[nodiscard]] failure verdict(double span, double step, work_type const& work) const {
        return closure_->verdict(span, step, *work.memory);
    }
    void count(work_type const& work, statistics& counts) const { closure_->count(*work.memory, counts); }
    void acceleration(double t, vector const& q, vector const& v, vector& out, work_type& work) const {
        closure_->acceleration(t, q, v, out, *work.memory);
    }
    void motion_rate(double t, state const& x, state& out, work_type& work) const
        requires(Projected)
    {
        closure_->motion_rate(t, x, out, *work.memory);
    }
    void settle(double t, state& x, state& out, work_type& work) const
        requires(Projected)
    {
        closure_->settle(t, x, out, *work.memory);
    }
    [[nodiscard]] vector const& multipliers(work_type const& work) const { return closure_->multipliers(*work.memory); }
    void lower(double t, state& x, work_type& work) const { closure_->lower(t, x, *work.memory); }
    [[nodiscard]] bool revise(double t, state& x, work_type& work) const {
        return closure_->revise(t, x, *work.memory);
    }
    void confirm(double t, state const& x, work_type& work) const { closure_->confirm(t, x, *work.memory); }

private:
    std::shared_ptr<stiff_closure const> closure_;
};

} // namespace lento::detail
