#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <lento/base/archive.hpp>
#include <lento/constraint/work.hpp>

namespace lento {

namespace detail {

/// The factors at a point of constraints whose type is known at run time only.
class any_factors {
public:
    any_factors() = default;
    any_factors& operator=(any_factors const&) = delete;
    virtual ~any_factors() = default;
    [[nodiscard]] virtual std::unique_ptr<any_factors> clone() const = 0;
    virtual void write(archive& to) const = 0;
    virtual void read(archive& from) = 0;

protected:
    any_factors(any_factors const&) = default;
};

/// A constraint work that is owned without its type.
class owned_constraint_work {
public:
    owned_constraint_work() = default;
    owned_constraint_work(owned_constraint_work const&) = delete;
    owned_constraint_work& operator=(owned_constraint_work const&) = delete;
    virtual ~owned_constraint_work() = default;
    [[nodiscard]] virtual constraint_work& get() = 0;
};

/// What steppers and projections ask of constraints, as virtual functions. The first six evaluate g and need a work,
/// that of the constraints behind this; the others are linear algebra at a point.
class constraint_interface {
public:
    using vector = std::vector<double>;

    constraint_interface() = default;
    constraint_interface(constraint_interface const&) = delete;
    constraint_interface& operator=(constraint_interface const&) = delete;
    virtual ~constraint_interface() = default;

    [[nodiscard]] virtual std::size_t size() const = 0;
    [[nodiscard]] virtual std::unique_ptr<owned_constraint_work> work() const = 0;
    [[nodiscard]] virtual std::unique_ptr<any_factors> start() const = 0;

    virtual void values(double t, vector const& q, vector& out, constraint_work& work) const = 0;
    virtual void change(double t, vector const& q, double dt, vector const& d, vector& out,
                        constraint_work& work) const = 0;
    virtual void rate(double t, vector const& q, vector const& v, vector& out, constraint_work& work) const = 0;
    virtual void curvature(double t, vector const& q, vector const& v, vector& out, constraint_work& work) const = 0;
    [[nodiscard]] virtual bool linearise(double t, vector const& q, any_factors& at, constraint_work& work) const = 0;
    virtual void solve_between(double t, vector const& q, any_factors const& at, vector& x,
                               constraint_work& work) const = 0;

    virtual void solve(any_factors const& at, vector& x) const = 0;
    virtual void pull(any_factors const& at, double c, vector const& lambda, vector& u) const = 0;
    virtual void along(any_factors const& at, vector const& v, vector& out) const = 0;
    [[nodiscard]] virtual double square(any_factors const& at, std::size_t j) const = 0;
};

template <class Constraints, class Mass> class held_constraints final : public constraint_interface {
    using work_type = typename Constraints::work_type;
    static_assert(std::derived_from<work_type, constraint_work>);

    struct typed_factors final : any_factors {
        typename Constraints::linear at;
        explicit typed_factors(typename Constraints::linear made) : at(std::move(made)) {}
        [[nodiscard]] std::unique_ptr<any_factors> clone() const override {
            return std::make_unique<typed_factors>(*this);
        }
        void write(archive& to) const override { to.write(at); }
        void read(archive& from) override { from.read(at); }
    };
    struct typed_work final : owned_constraint_work {
        decltype(std::declval<Constraints const&>().work()) made;
        explicit typed_work(Constraints const& constraints) : made(constraints.work()) {}
        [[nodiscard]] constraint_work& get() override { return made; }
    };
    [[nodiscard]] static auto& of(any_factors& at) { return static_cast<typed_factors&>(at).at; }
    [[nodiscard]] static auto const& of(any_factors const& at) { return static_cast<typed_factors const&>(at).at; }
    [[nodiscard]] static work_type& of(constraint_work& work) { return static_cast<work_type&>(work); }

public:
    held_constraints(Constraints constraints, Mass mass) : own_(std::move(constraints)), mass_(std::move(mass)) {}

    [[nodiscard]] std::size_t size() const override { return own_.size(); }
    [[nodiscard]] std::unique_ptr<owned_constraint_work> work() const override {
        return std::make_unique<typed_work>(own_);
    }
    [[nodiscard]] std::unique_ptr<any_factors> start() const override {
        return std::make_unique<typed_factors>(own_.start());
    }

    void values(double t, vector const& q, vector& out, constraint_work& work) const override {
        own_.values(t, q, out, of(work));
    }
    void change(double t, vector const& q, double dt, vector const& d, vector& out,
                constraint_work& work) const override {
        own_.change(t, q, dt, d, out, of(work));
    }
    void rate(double t, vector const& q, vector const& v, vector& out, constraint_work& work) const override {
        own_.rate(t, q, v, out, of(work));
    }
    void curvature(double t, vector const& q, vector const& v, vector& out, constraint_work& work) const override {
        own_.curvature(t, q, v, out, of(work));
    }
    [[nodiscard]] bool linearise(double t, vector const& q, any_factors& at, constraint_work& work) const override {
        return own_.linearise(t, q, mass_, of(at), of(work));
    }
    void solve_between(double t, vector const& q, any_factors const& at, vector& x,
                       constraint_work& work) const override {
        own_.solve_between(t, q, of(at), x, of(work));
    }

    void solve(any_factors const& at, vector& x) const override { own_.solve(of(at), x); }
    void pull(any_factors const& at, double c, vector const& lambda, vector& u) const override {
        own_.pull(of(at), c, lambda, u);
    }
    void along(any_factors const& at, vector const& v, vector& out) const override { own_.along(of(at), v, out); }
    [[nodiscard]] double square(any_factors const& at, std::size_t j) const override { return own_.square(of(at), j); }

private:
    Constraints own_;
    Mass mass_;
};

} // namespace detail

/// A work that `any_constraints` made. It is the one of the constraints behind them, owned: nothing is copied.
class any_constraint_work {
public:
    explicit any_constraint_work(std::unique_ptr<detail::owned_constraint_work> made) : work_(std::move(made)) {}
    operator constraint_work&() { return work_->get(); }
    void count(statistics& counts) const { work_->get().count(counts); }

private:
    std::unique_ptr<detail::owned_constraint_work> work_;
};

/// The mass of a system whose constraints are `any_constraints`: it is with them, who alone divide by it.
struct mass_of_constraints {
    void check(std::size_t) const {}
    template <class V> void divide(V&) const {}
};

/// Constraints of run-time size, whatever their type, with the mass that they are factored in: a value, copies share
/// it. Their work is that of the constraints behind them, seen as a `constraint_work`.
class any_constraints {
public:
    using vector = std::vector<double>;
    using multipliers = std::vector<double>;
    using work_type = constraint_work;

    /// The factors at a point, a value.
    class linear {
    public:
        linear() = default;
        explicit linear(std::unique_ptr<detail::any_factors> made) : factors_(std::move(made)) {}
        linear(linear const& other) : factors_(other.factors_ ? other.factors_->clone() : nullptr) {}
        linear(linear&&) = default;
        linear& operator=(linear other) {
            std::swap(factors_, other.factors_);
            return *this;
        }
        ~linear() = default;
        void write_to(archive& to) const { factors_->write(to); }
        void read_from(archive& from) { factors_->read(from); }
        [[nodiscard]] detail::any_factors& operator*() { return *factors_; }
        [[nodiscard]] detail::any_factors const& operator*() const { return *factors_; }

    private:
        std::unique_ptr<detail::any_factors> factors_;
    };

    any_constraints() = default; ///< to be assigned to
    template <class Constraints, class Mass> any_constraints(Constraints constraints, Mass mass)
        : held_(
              std::make_shared<detail::held_constraints<Constraints, Mass>>(std::move(constraints), std::move(mass))) {}

    [[nodiscard]] std::size_t size() const { return held_->size(); }
    [[nodiscard]] multipliers zeros() const { return multipliers(size()); }
    [[nodiscard]] linear start() const { return linear(held_->start()); }
    [[nodiscard]] any_constraint_work work() const { return any_constraint_work(held_->work()); }
    template <class Mass> void check(Mass const&) const {} // they have been checked against their own

    void values(double t, vector const& q, multipliers& out, constraint_work& work) const {
        held_->values(t, q, out, work);
    }
    void change(double t, vector const& q, double dt, vector const& d, multipliers& out, constraint_work& work) const {
        held_->change(t, q, dt, d, out, work);
    }
    void rate(double t, vector const& q, vector const& v, multipliers& out, constraint_work& work) const {
        held_->rate(t, q, v, out, work);
    }
    void curvature(double t, vector const& q, vector const& v, multipliers& out, constraint_work& work) const {
        held_->curvature(t, q, v, out, work);
    }
    /// In the mass that is theirs, whichever is given.
    template <class Mass>
    [[nodiscard]] bool linearise(double t, vector const& q, Mass const&, linear& at, constraint_work& work) const {
        return held_->linearise(t, q, *at, work);
    }
    void solve_between(double t, vector const& q, linear const& at, multipliers& x, constraint_work& work) const {
        held_->solve_between(t, q, *at, x, work);
    }

    void solve(linear const& at, multipliers& x) const { held_->solve(*at, x); }
    void pull(linear const& at, double c, multipliers const& lambda, vector& u) const {
        held_->pull(*at, c, lambda, u);
    }
    void along(linear const& at, vector const& v, multipliers& out) const { held_->along(*at, v, out); }
    [[nodiscard]] double square(linear const& at, std::size_t j) const { return held_->square(*at, j); }

private:
    std::shared_ptr<detail::constraint_interface const> held_;
};

} // namespace lento
