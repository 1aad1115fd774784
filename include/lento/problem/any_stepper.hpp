#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <lento/problem/fields.hpp>
#include <lento/solve/any_system.hpp>
#include <lento/solve/options.hpp>
#include <lento/solve/solution.hpp>

namespace lento {

/// A stepper at work on a system of either order, both known at run time only.
using any_stepping = std::variant<std::unique_ptr<stepping<any_motion>>, std::unique_ptr<stepping<any_point>>>;

/// A scheme with its options, known at run time only: a value. It names itself, describes its options, says what it
/// cannot integrate, and goes to work on any system. `make_scheme("verlet")` makes one with its defaults.
class any_stepper {
public:
    class held {
    public:
        held() = default;
        held& operator=(held const&) = delete;
        virtual ~held() = default;
        [[nodiscard]] virtual std::unique_ptr<held> clone() const = 0;
        [[nodiscard]] virtual std::string_view name() const = 0;
        [[nodiscard]] virtual step_rules rules() const = 0;
        [[nodiscard]] virtual fields options() = 0;
        [[nodiscard]] virtual std::string why_not(system_facts const& facts) const = 0;
        [[nodiscard]] virtual any_stepping on(any_system const& system) const = 0;
        [[nodiscard]] virtual void const* stepper(std::type_info const& type) const = 0;

    protected:
        held(held const&) = default;
    };

    explicit any_stepper(std::unique_ptr<held> made) : held_(std::move(made)) {}
    any_stepper(any_stepper const& other) : held_(other.held_->clone()) {}
    any_stepper(any_stepper&&) noexcept = default;
    any_stepper& operator=(any_stepper other) noexcept {
        std::swap(held_, other.held_);
        return *this;
    }
    ~any_stepper() = default;

    [[nodiscard]] std::string_view name() const { return held_->name(); }
    [[nodiscard]] step_rules rules() const { return held_->rules(); }
    [[nodiscard]] fields options() { return held_->options(); }
    /// Why it does not fit a system, as a sentence without its end; empty where it does.
    [[nodiscard]] std::string why_not(system_facts const& facts) const { return held_->why_not(facts); }
    [[nodiscard]] any_stepping on(any_system const& system) const { return held_->on(system); }
    /// The stepper itself where it is of this type, else null.
    template <class Stepper> [[nodiscard]] Stepper const* as() const {
        return static_cast<Stepper const*>(held_->stepper(typeid(Stepper)));
    }

private:
    std::unique_ptr<held> held_;
};
[[nodiscard]] inline std::string_view name(any_stepper const& stepper) { return stepper.name(); }
[[nodiscard]] inline fields fields_of(any_stepper& stepper) { return stepper.options(); }

/// Integrates any system with any stepper. Where they do not fit the outcome says so.
[[nodiscard]] solution<any_motion> solve(any_system const& system, any_stepper const& stepper, any_motion initial,
                                         solve_options<any_motion> const& options);
[[nodiscard]] solution<any_point> solve(any_system const& system, any_stepper const& stepper, any_point initial,
                                        solve_options<any_point> const& options);

} // namespace lento
