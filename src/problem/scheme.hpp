#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>

#include <lento/problem/schemes.hpp>
#include <lento/solve/shapes.hpp>
#include <lento/stepper/adams.hpp>

/// How a stepper becomes a row of the table of schemes.
namespace lento::detail {

/// What a scheme asks of a system.
enum class needs { derivative, motion, separable_motion, constraints, two_flows };

/// Why a scheme of this name that needs that does not fit; empty where it does.
[[nodiscard]] std::string why_not(std::string_view scheme, needs what, system_facts const& facts);

template <class Shape, class Stepper>
[[nodiscard, gnu::cold]] any_stepping at_work(Stepper const& stepper, any_system const& system) {
    return std::unique_ptr<stepping<state_of<Shape>>>(
        std::make_unique<stepping_of<Shape, Stepper>>(Shape(system), stepper));
}

/// The shape in which a scheme sees a system: the only place where both are known.
template <needs What, class Stepper>
[[nodiscard]] any_stepping put_to_work(Stepper const& stepper, any_system const& system) {
    auto const& facts = system.facts();
    if constexpr (What == needs::derivative) {
        if (!facts.second_order) return at_work<flow_shape>(stepper, system);
        if constexpr (std::is_same_v<Stepper, adams>)
            if (facts.moves_points) return at_work<moving_shape>(stepper, system);
        return at_work<general_shape>(stepper, system);
    } else if constexpr (What == needs::motion) {
        return facts.uses_velocity ? at_work<general_shape>(stepper, system)
                                   : at_work<separable_shape>(stepper, system);
    } else if constexpr (What == needs::separable_motion) {
        return at_work<separable_shape>(stepper, system);
    } else if constexpr (What == needs::constraints) {
        return facts.uses_velocity ? at_work<constrained_shape<true>>(stepper, system)
                                   : at_work<constrained_shape<false>>(stepper, system);
    } else {
        return at_work<comparing_shape>(stepper, system);
    }
}

template <needs What, class Stepper> class held_stepper final : public any_stepper::held {
public:
    explicit held_stepper(Stepper stepper) : stepper_(std::move(stepper)) {}
    [[nodiscard]] std::unique_ptr<held> clone() const override { return std::make_unique<held_stepper>(*this); }
    [[nodiscard]] std::string_view name() const override { return Stepper::name; }
    [[nodiscard]] step_rules rules() const override { return rules_of(stepper_); }
    [[nodiscard]] fields options() override { return fields_of(stepper_); }
    [[nodiscard]] std::string why_not(system_facts const& facts) const override {
        return detail::why_not(Stepper::name, What, facts);
    }
    [[nodiscard]] any_stepping on(any_system const& system) const override {
        if constexpr (requires { typename Stepper::runs_as; })
            return put_to_work<What>(static_cast<typename Stepper::runs_as const&>(stepper_), system);
        else return put_to_work<What>(stepper_, system);
    }
    [[nodiscard]] void const* stepper(std::type_info const& type) const override {
        return type == typeid(Stepper) ? &stepper_ : nullptr;
    }

private:
    Stepper stepper_;
};

/// One scheme under one name, with steps of its own choice unless a step is given.
template <class Adaptive, class Fixed> struct either : Adaptive {
    std::optional<double> step{};

    static constexpr std::string_view name = Fixed::name;
    static constexpr std::array<exclusive_pair, 6> exclusive{{{"step", "rtol"},
                                                              {"step", "atol"},
                                                              {"step", "first_step"},
                                                              {"step", "min_step"},
                                                              {"step", "max_step"},
                                                              {"step", "control"}}};
    static constexpr auto options() {
        return std::tuple_cat(
            std::tuple{option{"step", &either::step, "fixed steps of this length; left out: chosen by the tolerances",
                              positive, "time"}},
            Adaptive::options());
    }
};

template <needs What, class Adaptive, class Fixed> class held_stepper<What, either<Adaptive, Fixed>> final
    : public any_stepper::held {
public:
    explicit held_stepper(either<Adaptive, Fixed> stepper) : stepper_(std::move(stepper)) {}
    [[nodiscard]] std::unique_ptr<held> clone() const override { return std::make_unique<held_stepper>(*this); }
    [[nodiscard]] std::string_view name() const override { return Fixed::name; }
    [[nodiscard]] step_rules rules() const override { return stepper_.step ? rules_of(fixed()) : rules_of(adaptive()); }
    [[nodiscard]] fields options() override { return fields_of(stepper_); }
    [[nodiscard]] std::string why_not(system_facts const& facts) const override {
        return detail::why_not(Fixed::name, What, facts);
    }
    [[nodiscard]] any_stepping on(any_system const& system) const override {
        return stepper_.step ? put_to_work<What>(fixed(), system) : put_to_work<What>(adaptive(), system);
    }
    [[nodiscard]] void const* stepper(std::type_info const& type) const override {
        return type == typeid(Adaptive) && !stepper_.step ? &adaptive() : nullptr;
    }

private:
    [[nodiscard]] Adaptive const& adaptive() const { return stepper_; }
    [[nodiscard]] Fixed fixed() const { return {.step = *stepper_.step}; }

    either<Adaptive, Fixed> stepper_;
};

template <needs What, class Stepper>
[[nodiscard]] constexpr scheme_row scheme(std::string_view sentence, bool built = true) {
    return {Stepper::name, sentence, Stepper::order,
            [] { return any_stepper(std::make_unique<held_stepper<What, Stepper>>(Stepper{})); }, built};
}

} // namespace lento::detail
