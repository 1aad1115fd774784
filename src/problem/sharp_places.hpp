#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <lento/expression/compiled_formula.hpp>
#include <lento/problem/problem.hpp>

namespace lento::detail {

/// Where along a motion its force changes within a small part of a step, so that a scheme that looks elsewhere may miss
/// it: a burst, a switch, a narrow wall, a short pulse. Formulas tell where to look: what an exponential, a switch or a
/// kink is taken of changes slowly where it itself does not, and steps know it well. What is found there is believed
/// only as far as the force shows it.
class sharp_places {
public:
    /// `slow`: along the slow motion, on which phases mean nothing.
    sharp_places(problem const& what, bool slow);

    /// Whether the force has such formulas, or a vibration that may come and go.
    [[nodiscard]] bool possible() const { return !kinds_.empty() || (!what_.frequencies().empty() && !slow_); }
    /// The motion at the end of a step, or at the start.
    void look(double t, std::span<double const> q, std::span<double const> v);
    /// A longest step with which a scheme does not miss what was found; infinite where that was nothing.
    [[nodiscard]] double longest_step() const { return longest_; }
    /// Whether some steps were far shorter than others, as they are where something acts for a short time.
    [[nodiscard]] bool uneven() const { return shortest_length_ < 0.1 * longest_length_; }
    /// Whether the motion has come through a kink or a jump of the force.
    [[nodiscard]] bool met_kinks() const { return met_kinks_; }
    /// What this took: every evaluation of the force or of parts of it.
    [[nodiscard]] std::uint64_t evaluations() const { return evaluations_; }

private:
    using numbers = std::vector<double>;
    /// What to look for in the argument of a formula.
    enum class mark : std::uint8_t {
        highest,  ///< of an exponential
        nearest,  ///< to zero: of an inverse, a root, a logarithm
        passing,  ///< zero, fast: of a switch
        crossing, ///< zero at all: of a jump or a kink
    };
    struct point {
        double t = 0;
        numbers q, v, force, arguments;
    };
    /// A place to look at, as a share of the step, and how far from it, as such a share, the formula is another.
    struct place {
        double share = 0;
        double width = 0;
        double least = 1; ///< what is to be seen there, over what both sides of it differ by
    };

    void collect(expression::graph const& in, std::span<expression::node const> needed);
    void set_phases(double t);
    void evaluate_arguments(point& at);
    void evaluate_force(point& at);
    void between(double share, point& at) const;
    [[nodiscard]] point between(double share) const;
    void compare_lengths();
    void compare_with_period();
    void find_places(point const& middle);
    void add_place(double share, double width, double least);
    void examine(place const& at);
    [[nodiscard]] double harm_of(numbers const& apart, double duration, double t, double rate = 0) const;
    [[nodiscard]] double taken_back(point const& at, numbers const& apart, double duration);
    [[nodiscard]] numbers beyond(point const& at, point const& left, point const& right) const;
    void add_top(std::size_t k, double top);
    [[nodiscard]] double length() const { return now_.t - before_.t; }

    problem const& what_;
    bool slow_;
    std::vector<mark> kinds_; ///< of every argument
    std::optional<expression::compiled_formula> arguments_, force_;
    expression::compiled_formula::work_type argument_work_, force_work_;
    bool begun_ = false;
    bool met_kinks_ = false;
    bool steps_over_ = false; ///< the fast period
    int resolving_ = 0;       ///< steps that do not
    int steps_ = 0;
    double shortest_length_ = std::numeric_limits<double>::infinity();
    double longest_length_ = 0;
    point before_, now_, middle_;
    numbers theta_;
    std::vector<place> places_;
    std::vector<double> crossings_;
    numbers sizes_;
    double longest_ = std::numeric_limits<double>::infinity();
    std::uint64_t evaluations_ = 0;
};

} // namespace lento::detail
