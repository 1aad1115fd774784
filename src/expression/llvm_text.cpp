#include "expression/llvm_text.hpp"

#include "expression/first_stores.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <lento/stepper/runge_kutta.hpp>

namespace lento::expression {

namespace {

/// 14 says what a pointer points to, later versions only that it is one.
bool typed_pointers(int version) { return version < 15; }

/// Lines of a function, with names for its values.
class lines {
public:
    /// A line made of parts.
    void put(std::initializer_list<std::string_view> parts) {
        text_ += "  ";
        for (auto const part : parts) text_ += part;
        text_ += '\n';
    }
    /// A line that gives its result a name.
    std::string let(std::initializer_list<std::string_view> parts) {
        auto name = fresh("%v");
        text_ += "  " + name + " = ";
        for (auto const part : parts) text_ += part;
        text_ += '\n';
        return name;
    }
    std::string fresh(char const* prefix) { return prefix + std::to_string(next_++); }
    /// Starts a block.
    void label(std::string const& name) {
        text_ += name + ":\n";
        block_ = name;
    }
    [[nodiscard]] std::string const& block() const { return block_; }
    void raw(std::string_view text) { text_ += text; }
    void insert(std::size_t at, std::string_view text) { text_.insert(at, text); }
    [[nodiscard]] std::size_t size() const { return text_.size(); }
    std::string take() { return std::move(text_); }

    std::string add(std::string_view a, std::string_view b) { return let({"fadd double ", a, ", ", b}); }
    std::string multiply(std::string_view a, std::string_view b) { return let({"fmul double ", a, ", ", b}); }
    std::string load(std::string_view from, std::string_view index) {
        auto const at = let({"getelementptr inbounds double, %numbers ", from, ", i64 ", index});
        return let({"load double, %numbers ", at});
    }
    void store(std::string_view value, std::string_view to, std::string_view index) {
        auto const at = let({"getelementptr inbounds double, %numbers ", to, ", i64 ", index});
        put({"store double ", value, ", %numbers ", at});
    }

private:
    std::string text_;
    std::string block_ = "entry";
    std::size_t next_ = 0;
};

std::string text_of(double value) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    auto bits = std::bit_cast<std::uint64_t>(value);
    std::string text(18, '0');
    text[1] = 'x';
    for (std::size_t i = 18; i-- > 2; bits >>= 4U) text[i] = digits[bits & 15U];
    return text;
}

/// Writes a schedule, scope by scope.
class schedule_writer {
public:
    schedule_writer(graph const& g, llvm_text& made) : g_(g), made_(made), stores_(g) {}

    void run(schedule const& outputs) {
        out_.raw("void @evaluate(%numbers noalias %position, %numbers noalias %velocity, %numbers noalias %phase, "
                 "double %time, %numbers noalias %direction, %numbers noalias %parameter, %numbers noalias %out) #0 "
                 "{\nentry:\n");
        auto const start = out_.size();
        scope(outputs.top);
        out_.raw("  ret void\n}\n");
        lines zeros; // only now it is known what nothing assigns
        for (auto const& [begin, end] : stores_.zeros(outputs.outputs)) {
            auto const at = out_.fresh("%z");
            zeros.put({at, " = getelementptr inbounds double, %numbers %out, i64 ", std::to_string(begin)});
            zeros.put(
                {"call void @clear(%numbers ", at, ", i64 ", std::to_string((end - begin) * sizeof(double)), ")"});
        }
        out_.insert(start, zeros.take());
        made_.function = out_.take();
    }

private:
    using step_kind = schedule_step::kind;
    using names = std::unordered_map<std::uint32_t, std::string>;

    static std::uint32_t id(node n) { return static_cast<std::uint32_t>(n); }

    [[nodiscard]] std::string value(node n) const {
        if (g_.is_constant(n)) return text_of(static_cast<double>(g_.value(n)));
        for (auto within = known_.rbegin(); within != known_.rend(); ++within)
            if (auto const at = within->find(id(n)); at != within->end()) return at->second;
        throw std::logic_error("a formula was compiled in the wrong order.");
    }

    std::string index(affine const& of) {
        std::string total = std::to_string(of.constant);
        for (auto const& [v, factor] : of.terms) {
            auto const term =
                factor == 1 ? indices_.at(v) : out_.let({"mul nsw i64 ", indices_.at(v), ", ", std::to_string(factor)});
            total = out_.let({"add nsw i64 ", term, ", ", total});
        }
        return total;
    }

    void scope(schedule_scope const& of) {
        known_.emplace_back();
        for (auto const& step : of.steps) {
            if (step.what == step_kind::compute) known_.back()[id(step.value)] = computed(step.value);
            if (step.what == step_kind::loop) loop(of.children[step.child]);
            if (step.what == step_kind::store && !of.loop) store(step, true);
        }
        if (!of.loop) known_.pop_back();
    }

    // ------------------------------------------------------------ values

    std::string computed(node n) {
        auto const op = g_.op(n);
        if (op == operation::index) return out_.let({"sitofp i64 ", indices_.at(g_.over(n)), " to double"});
        if (op == operation::element) {
            static constexpr std::array<char const*, source_count> bases{"%position", "%velocity",  "%phase",
                                                                         "%time",     "%direction", "%parameter"};
            auto const from = g_.from(n);
            if (from == source::time) return "%time";
            return out_.load(bases[static_cast<std::size_t>(from)], index(g_.slot(n)));
        }
        auto const a = value(g_.first(n));
        return is_unary(op) ? unary(op, a) : binary(op, a, value(g_.second(n)));
    }

    std::string unary(operation op, std::string const& a) {
        switch (op) {
        case operation::negate: return out_.let({"fneg double ", a});
        case operation::invert: return out_.let({"fdiv double 1.0, ", a});
        case operation::abs: return out_.let({"call double @llvm.fabs.f64(double ", a, ")"});
        case operation::sqrt: return out_.let({"call double @llvm.sqrt.f64(double ", a, ")"});
        case operation::sign: {
            auto const zero = choose("oeq", a, "0.0", "0.0", a);
            auto const negative = choose("olt", a, "0.0", "-1.0", zero);
            return choose("ogt", a, "0.0", "1.0", negative);
        }
        case operation::step: {
            auto const positive = choose("oge", a, "0.0", "1.0", a);
            return choose("olt", a, "0.0", "0.0", positive);
        }
        default: return call(op, {a});
        }
    }

    std::string binary(operation op, std::string const& a, std::string const& b) {
        switch (op) {
        case operation::add: return out_.add(a, b);
        case operation::subtract: return out_.let({"fsub double ", a, ", ", b});
        case operation::multiply: return out_.multiply(a, b);
        case operation::divide: return out_.let({"fdiv double ", a, ", ", b});
        case operation::min: return choose("uno", a, "0.0", a, choose("olt", a, b, a, b));
        case operation::max: return choose("uno", a, "0.0", a, choose("ogt", a, b, a, b));
        default: return call(op, {a, b});
        }
    }

    /// a compared with b ? yes : no
    std::string choose(std::string_view how, std::string_view a, std::string_view b, std::string_view yes,
                       std::string_view no) {
        auto const condition = out_.let({"fcmp ", how, " double ", a, ", ", b});
        return out_.let({"select i1 ", condition, ", double ", yes, ", double ", no});
    }

    std::string call(operation op, std::vector<std::string> const& arguments) {
        made_.called.insert(op);
        std::string list;
        for (auto const& each : arguments) list += (list.empty() ? "double " : ", double ") + each;
        return out_.let({"call double @", outside_name(op), "(", list, ") ", attributes_of(op)});
    }

    // ------------------------------------------------------------ outputs

    void store(schedule_step const& step, bool once) {
        auto const at = index(step.target);
        auto const now = value(step.value);
        if (stores_.assigns(step.target, once)) out_.store(now, "%out", at);
        else out_.store(out_.add(out_.load("%out", at), now), "%out", at);
    }

    /// Neighbouring outputs that a loop adds to, the one it meets first in front: x[i+1], x[i], x[i-1].
    static bool rolls(schedule_scope const& of) {
        std::vector<std::int64_t> targets;
        for (auto const& step : of.steps)
            if (step.what == step_kind::store) {
                if (step.target.coefficient(*of.loop) != 1) return false;
                targets.push_back(step.target.constant);
            }
        if (targets.size() < 2 || !of.children.empty()) return false;
        for (std::size_t i = 1; i < targets.size(); ++i)
            if (targets[i - 1] - targets[i] != 1) return false;
        return true;
    }

    // ------------------------------------------------------------ loops

    std::string bound(std::vector<affine> const& bounds, char const* order) {
        auto best = index(bounds.front());
        for (std::size_t i = 1; i < bounds.size(); ++i) {
            auto const other = index(bounds[i]);
            auto const better = out_.let({"icmp ", order, " i64 ", other, ", ", best});
            best = out_.let({"select i1 ", better, ", i64 ", other, ", i64 ", best});
        }
        return best;
    }

    /// A sum that runs through a loop, or a partial output that goes on to the next index.
    struct carried {
        std::string now, next;
    };

    void loop(schedule_scope const& of) {
        made_.depth = std::max(made_.depth, known_.size());
        auto const v = *of.loop;
        auto const at_top = known_.size() == 1;
        auto const low = bound(g_.bounds(v).lower, "sgt");
        auto const high = bound(g_.bounds(v).upper, "slt");
        auto const number = out_.fresh("");
        auto const before = out_.block();
        std::string const enter = "enter" + number, body = "loop" + number, latch = "latch" + number,
                          leave = "leave" + number, done = "done" + number;
        auto const any = out_.let({"icmp sle i64 ", low, ", ", high});
        out_.put({"br i1 ", any, ", label %", enter, ", label %", done});

        out_.label(enter);
        auto const rolling = rolls(of);
        std::vector<schedule_step const*> stores;
        std::vector<std::string> first;
        indices_[v] = low;
        for (auto const& step : of.steps) {
            if (step.what != step_kind::store) continue;
            if (rolling && !stores.empty()) first.push_back(out_.load("%out", index(step.target)));
            stores.push_back(&step);
        }
        out_.put({"br label %", body});

        out_.label(body);
        auto const i = out_.fresh("%i"), next = i + "next";
        out_.put({i, " = phi i64 [", low, ", %", enter, "], [", next, ", %", latch, "]"});
        indices_[v] = i;
        auto const carry = [&](std::string const& start) {
            carried made{out_.fresh("%s"), out_.fresh("%s")};
            out_.put({made.now, " = phi double [", start, ", %", enter, "], [", made.next, ", %", latch, "]"});
            return made;
        };
        std::vector<std::pair<node, carried>> sums;
        for (auto const& step : of.steps)
            if (step.what == step_kind::accumulate) sums.emplace_back(step.value, carry("0.0"));
        std::vector<carried> partial;
        partial.reserve(first.size());
        for (auto const& start : first) partial.push_back(carry(start));

        scope(of);
        for (auto const& [n, sum] : sums) out_.put({sum.next, " = fadd double ", sum.now, ", ", value(g_.first(n))});
        if (rolling) roll(stores, partial, at_top);
        else
            for (auto const* step : stores) store(*step, at_top && step->target.coefficient(v) == 1);
        known_.pop_back();
        out_.put({"br label %", latch});

        out_.label(latch);
        out_.put({next, " = add nsw i64 ", i, ", 1"});
        auto const more = out_.let({"icmp slt i64 ", i, ", ", high});
        out_.put({"br i1 ", more, ", label %", body, ", label %", leave});

        out_.label(leave);
        indices_[v] = high;
        for (std::size_t j = 0; j < partial.size(); ++j) out_.store(partial[j].next, "%out", index(stores[j]->target));
        out_.put({"br label %", done});

        out_.label(done);
        for (auto const& [n, sum] : sums)
            known_.back()[id(n)] = out_.let({"phi double [0.0, %", before, "], [", sum.next, ", %", leave, "]"});
    }

    /// Each output is written once, when its last contribution comes: what came before is carried from index to index.
    /// Loops like that become vector instructions, while adding to memory that the next index adds to does not.
    void roll(std::vector<schedule_step const*> const& stores, std::vector<carried> const& partial, bool at_top) {
        for (std::size_t j = 0; j < stores.size(); ++j) {
            auto const now = value(stores[j]->value);
            auto const assign = stores_.assigns(stores[j]->target, at_top);
            std::string total = now;
            if (j > 0) total = out_.add(partial[j - 1].now, now);
            else if (!assign) total = out_.add(out_.load("%out", index(stores[0]->target)), now);
            if (j < partial.size()) out_.put({partial[j].next, " = fadd double ", total, ", -0.0"}); // another name
            else out_.store(total, "%out", index(stores[j]->target));
        }
    }

    graph const& g_;
    llvm_text& made_;
    first_stores stores_;
    lines out_;
    std::vector<names> known_;
    std::unordered_map<variable, std::string> indices_;
};

/// Writes a loop of steps.
class step_loop_writer {
public:
    step_loop_writer(step_loop_kind const& kind, int version)
        : kind_(kind), version_(version), unrolled_(kind.size <= step_loop_kind::most_in_registers) {}

    std::string run() {
        arguments();
        out_.raw(
            "define internal void @step_loop_body(double %step, double %kick, double %time, double %pace, i64 %steps, "
            "i64 %stride");
        for (auto const name : arrays) out_.raw(", %numbers noalias %" + std::string(name));
        out_.raw(") #0 {\nentry:\n");
        auto const angles = out_.let({"alloca double, i64 ", std::to_string(kind_.phases + 1)});
        for (auto const name : arrays) names_[std::string(name)] = "%" + std::string(name);
        if (unrolled_) into_registers();
        if (kind_.scheme == step_loop_scheme::rk4) runge_kutta(angles);
        else if (kind_.velocity || kind_.stateful) step_by_step(angles);
        else leapfrog(angles);
        if (unrolled_) out_of_registers();
        out_.raw("  ret void\n}\n");
        return out_.take();
    }

private:
    static constexpr std::array<std::string_view, 16> arrays{
        "phase",  "frequency", "position",     "velocity", "middle", "acceleration", "weights", "force",
        "lowest", "highest",   "displacement", "drift",    "origin", "holding",      "inverse", "parameter"};
    static constexpr std::array<std::string_view, 9> changed{
        "position", "velocity", "middle", "acceleration", "force", "lowest", "highest", "displacement", "drift"};

    /// The function that unpacks its arguments, so that their arrays are known to be apart.
    void arguments() {
        out_.raw("%arguments = type { double, double, double, double, i64, i64");
        for (std::size_t i = 0; i < arrays.size(); ++i) out_.raw(", %numbers");
        auto const from = pointer_to("%arguments", version_) + " %from";
        out_.raw(" }\ndefine void @step_loop(" + from + ") #0 {\nentry:\n");
        std::string list;
        for (std::size_t i = 0; i < 6 + arrays.size(); ++i) {
            std::string const type = i < 4 ? "double" : i < 6 ? "i64" : "%numbers";
            auto const at = out_.let({"getelementptr %arguments, ", from, ", i32 0, i32 ", std::to_string(i)});
            list += (i == 0 ? "" : ", ") + type + " " +
                    out_.let({"load ", type, ", ", pointer_to(type, version_), " ", at});
        }
        out_.put({"call void @step_loop_body(", list, ") #1"});
        out_.raw("  ret void\n}\n");
    }

    [[nodiscard]] bool uses(std::string_view array) const {
        if (array == "lowest" || array == "highest") return kind_.measured;
        if (array == "middle") return kind_.velocity && kind_.scheme == step_loop_scheme::verlet;
        if (array == "displacement" || array == "drift") return kind_.stateful;
        return true;
    }
    void make_local(std::string const& name) {
        names_[name] = out_.let({"alloca double, i64 ", std::to_string(kind_.size)});
    }
    void into_registers() {
        for (auto const each : changed) {
            if (!uses(each)) continue;
            std::string const name(each);
            auto const outside = names_[name];
            make_local(name);
            for (std::size_t i = 0; i < kind_.size; ++i)
                set(name, std::to_string(i), out_.load(outside, std::to_string(i)));
        }
    }
    void out_of_registers() {
        for (auto const each : changed) {
            if (!uses(each)) continue;
            std::string const name(each);
            for (std::size_t i = 0; i < kind_.size; ++i)
                out_.store(get(name, std::to_string(i)), "%" + name, std::to_string(i));
        }
    }

    std::string get(std::string const& array, std::string const& i) { return out_.load(names_[array], i); }
    void set(std::string const& array, std::string const& i, std::string const& value) {
        out_.store(value, names_[array], i);
    }

    /// One sweep over all coordinates.
    void sweep(std::function<void(std::string const&)> const& each) {
        if (unrolled_) {
            for (std::size_t i = 0; i < kind_.size; ++i) each(std::to_string(i));
            return;
        }
        auto const number = out_.fresh("");
        auto const before = out_.block();
        out_.put({"br label %sweep", number});
        out_.label("sweep" + number);
        auto const i = out_.fresh("%i"), next = i + "next";
        out_.put({i, " = phi i64 [0, %", before, "], [", next, ", %sweep", number, "]"});
        each(i);
        out_.put({next, " = add nuw nsw i64 ", i, ", 1"});
        auto const more = out_.let({"icmp ult i64 ", next, ", ", std::to_string(kind_.size)});
        out_.put({"br i1 ", more, ", label %sweep", number, ", label %swept", number});
        out_.label("swept" + number);
    }

    /// The acceleration at an elapsed time, as windows want it, of a state into an array.
    void accelerate(std::string const& elapsed, std::string const& angles, std::string const& position = "position",
                    std::string const& velocity = "velocity", std::string const& into = "acceleration") {
        for (std::size_t j = 0; j < kind_.phases; ++j) {
            auto const turn = out_.multiply(out_.load("%frequency", std::to_string(j)), elapsed);
            out_.store(out_.add(out_.load("%phase", std::to_string(j)), turn), angles, std::to_string(j));
        }
        auto const time = out_.add("%time", out_.multiply("%pace", elapsed));
        out_.put({"call void @evaluate(%numbers ", names_[position], ", %numbers ", names_[velocity], ", %numbers ",
                  angles, ", double ", time, ", %numbers null, %numbers %parameter, %numbers ", names_[into], ") #1"});
        if (!kind_.mass && !kind_.held) return;
        sweep([&](std::string const& i) {
            auto a = get(into, i);
            if (kind_.mass) a = out_.multiply(a, get("inverse", i));
            if (kind_.held) a = out_.let({"fsub double ", a, ", ", get("holding", i)});
            set(into, i, a);
        });
    }

    std::string weight(std::string const& k) {
        return out_.load("%weights", out_.let({"mul nsw i64 ", k, ", %stride"}));
    }

    /// Adds the k-th sample up, for one coordinate.
    void visit(std::string const& w, std::string const& i, std::string const& a) {
        set("force", i, out_.add(get("force", i), out_.multiply(w, a)));
        for (auto const& [name, how] : {std::pair<std::string, char const*>{"lowest", "olt"}, {"highest", "ogt"}}) {
            if (!kind_.measured) break;
            auto const extreme = get(name, i);
            auto const beyond = out_.let({"fcmp ", how, " double ", a, ", ", extreme});
            set(name, i, out_.let({"select i1 ", beyond, ", double ", a, ", double ", extreme}));
        }
        if (!kind_.stateful) return;
        auto const moved = out_.let({"fsub double ", get("position", i), ", ", get("origin", i)});
        set("displacement", i, out_.add(get("displacement", i), out_.multiply(w, moved)));
        set("drift", i, out_.add(get("drift", i), out_.multiply(w, get("velocity", i))));
    }

    /// verlet::take_steps: the velocity is carried as the displacement of a step, kicked once per step.
    void leapfrog(std::string const& angles) {
        auto const full = out_.multiply("%step", "%kick");
        auto const half = out_.multiply(full, "0.5");
        sweep([&](std::string const& i) {
            auto const v =
                out_.add(out_.multiply("%step", get("velocity", i)), out_.multiply(half, get("acceleration", i)));
            set("velocity", i, v);
            set("position", i, out_.add(get("position", i), v));
        });
        auto const before = out_.block();
        out_.put({"br label %stepping"});
        out_.label("stepping");
        out_.put({"%k = phi i64 [1, %", before, "], [%knext, %going]"});
        auto const number = out_.let({"sitofp i64 %k to double"});
        accelerate(out_.multiply(number, "%step"), angles);
        auto const w = weight("%k");
        auto const last = out_.let({"icmp eq i64 %k, %steps"});
        out_.put({"br i1 ", last, ", label %ending, label %going_on"});

        out_.label("going_on");
        sweep([&](std::string const& i) {
            auto const a = get("acceleration", i);
            visit(w, i, a);
            auto const v = out_.add(get("velocity", i), out_.multiply(full, a));
            set("velocity", i, v);
            set("position", i, out_.add(get("position", i), v));
        });
        out_.put({"br label %going"});
        out_.label("going");
        out_.put({"%knext = add nuw nsw i64 %k, 1"});
        out_.put({"br label %stepping"});

        out_.label("ending");
        auto const per_time = out_.let({"fdiv double 1.0, %step"});
        auto const half_kick = out_.multiply("%kick", "0.5");
        sweep([&](std::string const& i) {
            auto const a = get("acceleration", i);
            visit(w, i, a);
            set("velocity", i, out_.add(out_.multiply(per_time, get("velocity", i)), out_.multiply(half_kick, a)));
        });
    }

    /// verlet::advance, over and over: velocities are there at every sample.
    void step_by_step(std::string const& angles) {
        auto const half = out_.multiply("%kick", "0.5");
        auto const before = out_.block();
        out_.put({"br label %stepping"});
        out_.label("stepping");
        out_.put({"%k = phi i64 [1, %", before, "], [%knext, %going]"});
        auto const previous = out_.let({"sitofp i64 ", out_.let({"sub nsw i64 %k, 1"}), " to double"});
        auto const elapsed = out_.add(out_.multiply(previous, "%step"), "%step");
        sweep([&](std::string const& i) {
            auto const a = get("acceleration", i);
            auto const v = out_.add(get("velocity", i), out_.multiply(half, a));
            set("position", i, out_.add(get("position", i), out_.multiply("%step", v)));
            if (kind_.velocity) set("middle", i, v);
            set("velocity", i, kind_.velocity ? out_.add(v, out_.multiply(half, a)) : v);
        });
        accelerate(elapsed, angles);
        auto const w = weight("%k");
        sweep([&](std::string const& i) {
            auto const a = get("acceleration", i);
            set("velocity", i, out_.add(get(kind_.velocity ? "middle" : "velocity", i), out_.multiply(half, a)));
            visit(w, i, a);
        });
        out_.put({"br label %going"});
        out_.label("going");
        out_.put({"%knext = add nuw nsw i64 %k, 1"});
        auto const more = out_.let({"icmp slt i64 %k, %steps"});
        out_.put({"br i1 ", more, ", label %stepping, label %ending"});
        out_.label("ending");
    }

    /// runge_kutta::advance, over and over, with the table of rk4.
    void runge_kutta(std::string const& angles) {
        auto const& table = rk4_method::coefficients<double>;
        constexpr std::size_t stages = rk4_method::stages;
        std::array<std::string, stages> slope{"velocity"}, acceleration{"acceleration"}; // of each stage
        for (std::size_t j = 1; j < stages; ++j) {
            slope[j] = "slope" + std::to_string(j);
            acceleration[j] = "acceleration" + std::to_string(j);
            make_local(slope[j]);
            make_local(acceleration[j]);
        }
        make_local("point");
        make_local("end");
        auto const before = out_.block();
        out_.put({"br label %stepping"});
        out_.label("stepping");
        out_.put({"%k = phi i64 [1, %", before, "], [%knext, %going]"});
        auto const start =
            out_.multiply(out_.let({"sitofp i64 ", out_.let({"sub nsw i64 %k, 1"}), " to double"}), "%step");
        auto const moved = [&](std::string const& from, std::array<std::string, stages> const& along,
                               std::array<double, stages> const& weights, std::string const& i) {
            auto to = get(from, i);
            for (std::size_t j = 0; j < stages; ++j)
                if (weights[j] != 0)
                    to = out_.add(to, out_.multiply(out_.multiply("%step", text_of(weights[j])), get(along[j], i)));
            return to;
        };
        for (std::size_t j = 1; j < stages; ++j) {
            sweep([&](std::string const& i) {
                set("point", i, moved("position", slope, table.a[j], i));
                set(slope[j], i, moved("velocity", acceleration, table.a[j], i));
            });
            accelerate(out_.add(start, out_.multiply(text_of(table.c(j)), "%step")), angles, "point", slope[j],
                       acceleration[j]);
        }
        sweep([&](std::string const& i) {
            set("position", i, moved("position", slope, table.b, i));
            set("end", i, moved("velocity", acceleration, table.b, i));
        });
        sweep([&](std::string const& i) { set("velocity", i, get("end", i)); });
        accelerate(out_.multiply(out_.let({"sitofp i64 %k to double"}), "%step"), angles);
        auto const w = weight("%k");
        sweep([&](std::string const& i) { visit(w, i, get("acceleration", i)); });
        out_.put({"br label %going"});
        out_.label("going");
        out_.put({"%knext = add nuw nsw i64 %k, 1"});
        auto const more = out_.let({"icmp slt i64 %k, %steps"});
        out_.put({"br i1 ", more, ", label %stepping, label %ending"});
        out_.label("ending");
    }

    step_loop_kind kind_;
    int version_;
    bool unrolled_;
    lines out_;
    std::unordered_map<std::string, std::string> names_;
};

} // namespace

std::string pointer_to(std::string const& type, int version) { return typed_pointers(version) ? type + "*" : "ptr"; }

std::string preamble(int version) {
    auto const fill = std::string("void @llvm.memset.") + (typed_pointers(version) ? "p0i8" : "p0") + ".i64";
    lines made;
    made.raw("%numbers = type " + pointer_to("double", version) + "\n");
    made.raw("%bytes = type " + pointer_to("i8", version) + "\n");
    made.raw("declare " + fill + "(%bytes, i8, i64, i1)\n");
    made.raw("define internal void @clear(%numbers %from, i64 %size) #1 {\n");
    made.put({"%start = bitcast %numbers %from to %bytes"});
    made.put({"call ", fill, "(%bytes %start, i8 0, i64 %size, i1 false)"});
    made.raw("  ret void\n}\n");
    return made.take();
}

std::string attributes_of(operation op) { return "#" + std::to_string(100 + static_cast<int>(op)); }

std::string outside_name(operation op) {
    switch (op) {
    case operation::exp: return "lento_exp";
    case operation::log: return "lento_log";
    case operation::sin: return "lento_sin";
    case operation::cos: return "lento_cos";
    case operation::tan: return "lento_tan";
    case operation::asin: return "lento_asin";
    case operation::acos: return "lento_acos";
    case operation::atan: return "lento_atan";
    case operation::sinh: return "lento_sinh";
    case operation::cosh: return "lento_cosh";
    case operation::tanh: return "lento_tanh";
    case operation::power: return "lento_pow";
    case operation::atan2: return "lento_atan2";
    default: return "lento_hypot";
    }
}

llvm_text evaluation_text(graph const& g, schedule const& outputs) {
    llvm_text made;
    schedule_writer(g, made).run(outputs);
    return made;
}

std::string step_loop_text(step_loop_kind const& kind, int version) { return step_loop_writer(kind, version).run(); }

} // namespace lento::expression
