#include <lento/stepper/foreign_code.hpp>

#include <lento/base/misuse.hpp>

#ifdef LENTO_HAS_SUNDIALS

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include <arkode/arkode_arkstep.h>
#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.hpp>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

// Since version 7.1 these have other names, which 6 does not know.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace lento {

bool has_sundials() { return true; }

namespace detail {
namespace {

/// What SUNDIALS hands out is freed by its own function.
template <class Handle> class owned {
public:
    owned(Handle handle, void (*free)(Handle)) : handle_(handle), free_(free) {
        if (handle == nullptr) throw misuse("SUNDIALS could not make what it needs: it is out of memory");
    }
    owned(owned const&) = delete;
    owned& operator=(owned const&) = delete;
    ~owned() { free_(handle_); }
    operator Handle() const { return handle_; } // NOLINT(google-explicit-constructor): it stands for the handle

private:
    Handle handle_;
    void (*free_)(Handle);
};
using matrix = owned<SUNMatrix>;
using linear_solver = owned<SUNLinearSolver>;
using nonlinear_solver = owned<SUNNonlinearSolver>;

SUNMatrix square(std::size_t size, SUNContext context) {
    auto const n = static_cast<sunindextype>(size);
    return SUNDenseMatrix(n, n, context);
}
void free_linear(SUNLinearSolver solver) { SUNLinSolFree(solver); }
void free_nonlinear(SUNNonlinearSolver solver) { SUNNonlinSolFree(solver); }

void require(int flag, char const* what) {
    if (flag < 0) throw misuse(std::string("SUNDIALS refuses ") + what + " with code " + std::to_string(flag));
}

/// Failures are told by what is returned; nothing is printed. Since version 7 the context is asked for that, before it
/// each code.
#if SUNDIALS_VERSION_MAJOR >= 7
void silence(SUNContext context) { require(SUNContext_ClearErrHandlers(context), "to be silent"); }
void silence_cvode(void*) {}
void silence_arkode(void*) {}
void silence_implicit_arkode(void*) {}
void silence_ida(void*) {}
#else
void say_nothing(int, char const*, char const*, char*, void*) {}
void silence(SUNContext) {}
void silence_cvode(void* memory) { require(CVodeSetErrHandlerFn(memory, say_nothing, nullptr), "to be silent"); }
void silence_arkode(void* memory) { require(ERKStepSetErrHandlerFn(memory, say_nothing, nullptr), "to be silent"); }
void silence_implicit_arkode(void* memory) {
    require(ARKStepSetErrHandlerFn(memory, say_nothing, nullptr), "to be silent");
}
void silence_ida(void* memory) { require(IDASetErrHandlerFn(memory, say_nothing, nullptr), "to be silent"); }
#endif

std::string text_of(char* name) { // SUNDIALS leaves the name to be freed
    std::string text = name;
    std::free(name); // NOLINT: it was made by malloc
    return text;
}

/// What the codes share.
class sundials_code : public foreign_code {
public:
    [[nodiscard]] foreign_counts counts() const final {
        foreign_counts sum = current();
        sum.steps += before_.steps;
        sum.rejected += before_.rejected;
        sum.evaluations += before_.evaluations;
        sum.newton_iterations += before_.newton_iterations;
        return sum;
    }

protected:
    sundials_code(std::size_t size, foreign_settings const& settings)
        : settings_(settings)
        , size_(size)
        , y_(N_VNew_Serial(static_cast<sunindextype>(size), context_), N_VDestroy)
        , slope_(N_VClone(y_), N_VDestroy)
        , between_(N_VClone(y_), N_VDestroy) {
        silence(context_);
    }

    /// A code that begins anew forgets its counts.
    void keep_counts() { before_ = counts(); }
    [[nodiscard]] virtual foreign_counts current() const = 0;

    void take(double const* y, double const* slope) {
        std::copy_n(y, size_, N_VGetArrayPointer(y_));
        std::copy_n(slope, size_, N_VGetArrayPointer(slope_));
    }
    void give(double* y, double* slope) const {
        std::copy_n(N_VGetArrayPointer(y_), size_, y);
        std::copy_n(N_VGetArrayPointer(slope_), size_, slope);
    }

    bool hand_over(double* y) const {
        std::copy_n(N_VGetArrayPointer(between_), size_, y);
        return true;
    }

    sundials::Context context_;
    foreign_settings settings_;
    std::size_t size_;
    owned<N_Vector> y_;
    owned<N_Vector> slope_;
    owned<N_Vector> between_;
    bool begun_ = false;
    void* data_ = nullptr; ///< of the caller, for the length of a step

private:
    foreign_counts before_;
};

/// y' = f(t, y)
class explicit_code : public sundials_code {
protected:
    explicit_code(std::size_t size, foreign_rate rate, foreign_settings const& settings)
        : sundials_code(size, settings), rate_(rate) {}
    static int call(sunrealtype t, N_Vector y, N_Vector out, void* self) {
        auto const& code = *static_cast<explicit_code const*>(self);
        return code.rate_(t, N_VGetArrayPointer(y), N_VGetArrayPointer(out), code.data_);
    }
    /// Of codes with Newton's iteration and a matrix, whose entries are one array.
    static int fill(sunrealtype t, N_Vector y, N_Vector slope, SUNMatrix out, void* self, N_Vector, N_Vector,
                    N_Vector) {
        auto const& code = *static_cast<explicit_code const*>(self);
        return code.settings_.jacobian(t, N_VGetArrayPointer(y), N_VGetArrayPointer(slope), SUNDenseMatrix_Data(out),
                                       code.data_);
    }
    [[nodiscard]] bool knows_jacobian() const {
        return settings_.jacobian != nullptr && size_ <= largest_newton_matrix;
    }
    /// Every user data pointer is of this type.
    [[nodiscard]] void* self() { return this; }

private:
    foreign_rate rate_;
};

/// What solves the linear equations of Newton's iteration: a full matrix, or for many unknowns GMRES, without one.
class newton_solver {
public:
    newton_solver(std::size_t size, N_Vector like, SUNContext context) {
        if (size <= largest_newton_matrix) {
            matrix_ = std::make_unique<matrix>(square(size, context), SUNMatDestroy);
            linear_ = std::make_unique<linear_solver>(SUNLinSol_Dense(like, *matrix_, context), free_linear);
        } else {
            linear_ = std::make_unique<linear_solver>(SUNLinSol_SPGMR(like, SUN_PREC_NONE, 0, context), free_linear);
        }
    }
    [[nodiscard]] SUNLinearSolver solver() const { return *linear_; }
    [[nodiscard]] SUNMatrix of() const { return matrix_ ? SUNMatrix(*matrix_) : nullptr; }

private:
    std::unique_ptr<matrix> matrix_;
    std::unique_ptr<linear_solver> linear_;
};

class cvode final : public explicit_code {
public:
    cvode(int method, std::size_t size, foreign_rate rate, foreign_settings const& settings)
        : explicit_code(size, rate, settings)
        , memory_(CVodeCreate(method, context_), [](void* memory) { CVodeFree(&memory); }) {
        if (method == CV_ADAMS)
            iteration_ = std::make_unique<nonlinear_solver>(SUNNonlinSol_FixedPoint(y_, 0, context_), free_nonlinear);
        else newton_ = std::make_unique<newton_solver>(size, y_, context_);
    }
    void restart(double t, double const* y, double const* slope) override {
        take(y, slope);
        if (begun_) {
            keep_counts();
            require(CVodeReInit(memory_, t, y_), "to begin anew");
            return;
        }
        require(CVodeInit(memory_, call, t, y_), "the problem");
        silence_cvode(memory_);
        require(CVodeSStolerances(memory_, settings_.rtol, settings_.atol), "the tolerances");
        require(CVodeSetUserData(memory_, self()), "its data");
        if (settings_.first_step > 0) require(CVodeSetInitStep(memory_, settings_.first_step), "the first step");
        require(CVodeSetMinStep(memory_, settings_.min_step), "the smallest step");
        if (std::isfinite(settings_.max_step))
            require(CVodeSetMaxStep(memory_, settings_.max_step), "the largest step");
        if (iteration_) require(CVodeSetNonlinearSolver(memory_, *iteration_), "the iteration");
        else require(CVodeSetLinearSolver(memory_, newton_->solver(), newton_->of()), "the solver");
        if (newton_ && knows_jacobian()) require(CVodeSetJacFn(memory_, fill), "the derivatives");
        begun_ = true;
    }
    std::string step(double, double limit, double& t, double* y, double* slope, void* data) override {
        data_ = data;
        require(CVodeSetStopTime(memory_, limit), "the end");
        sunrealtype reached = t;
        int const flag = CVode(memory_, limit, y_, &reached, CV_ONE_STEP);
        t = reached;
        if (flag < 0) return text_of(CVodeGetReturnFlagName(flag));
        require(CVodeGetDky(memory_, reached, 1, slope_), "the slope");
        give(y, slope);
        return {};
    }
    [[nodiscard]] bool inside(double t, double* y) override {
        return CVodeGetDky(memory_, t, 0, between_) == CV_SUCCESS && hand_over(y);
    }

private:
    [[nodiscard]] foreign_counts current() const override {
        if (!begun_) return {};
        long steps = 0, failed = 0, unsolved = 0, evaluations = 0, in_matrix = 0, iterations = 0;
        CVodeGetNumSteps(memory_, &steps);
        CVodeGetNumErrTestFails(memory_, &failed);
        CVodeGetNumStepSolveFails(memory_, &unsolved);
        CVodeGetNumRhsEvals(memory_, &evaluations);
        if (newton_) {
            CVodeGetNumLinRhsEvals(memory_, &in_matrix);
            CVodeGetNumNonlinSolvIters(memory_, &iterations);
        }
        return {static_cast<std::uint64_t>(steps), static_cast<std::uint64_t>(failed + unsolved),
                static_cast<std::uint64_t>(evaluations + in_matrix), static_cast<std::uint64_t>(iterations)};
    }

    owned<void*> memory_;
    std::unique_ptr<nonlinear_solver> iteration_;
    std::unique_ptr<newton_solver> newton_;
};

class arkode final : public explicit_code {
public:
    arkode(std::size_t size, foreign_rate rate, foreign_settings const& settings)
        : explicit_code(size, rate, settings) {}

    void restart(double t, double const* y, double const* slope) override {
        take(y, slope);
        if (memory_) {
            keep_counts();
            require(ERKStepReInit(*memory_, call, t, y_), "to begin anew");
            return;
        }
        memory_ = std::make_unique<owned<void*>>(ERKStepCreate(call, t, y_, context_),
                                                 [](void* memory) { ERKStepFree(&memory); });
        void* const memory = *memory_;
        silence_arkode(memory);
        require(ERKStepSStolerances(memory, settings_.rtol, settings_.atol), "the tolerances");
        require(ERKStepSetUserData(memory, self()), "its data");
        require(ERKStepSetTableNum(memory, ARKODE_DORMAND_PRINCE_7_4_5), "the pair of Dormand and Prince");
        if (settings_.first_step > 0) require(ERKStepSetInitStep(memory, settings_.first_step), "the first step");
        require(ERKStepSetMinStep(memory, settings_.min_step), "the smallest step");
        if (std::isfinite(settings_.max_step))
            require(ERKStepSetMaxStep(memory, settings_.max_step), "the largest step");
    }
    std::string step(double, double limit, double& t, double* y, double* slope, void* data) override {
        data_ = data;
        void* const memory = *memory_;
        require(ERKStepSetStopTime(memory, limit), "the end");
        sunrealtype reached = t;
        int const flag = ERKStepEvolve(memory, limit, y_, &reached, ARK_ONE_STEP);
        t = reached;
        if (flag < 0) return text_of(ERKStepGetReturnFlagName(flag));
        require(ERKStepGetDky(memory, reached, 1, slope_), "the slope");
        give(y, slope);
        return {};
    }

private:
    [[nodiscard]] foreign_counts current() const override {
        if (!memory_) return {};
        long steps = 0, attempts = 0, evaluations = 0;
        ERKStepGetNumSteps(*memory_, &steps);
        ERKStepGetNumStepAttempts(*memory_, &attempts);
        ERKStepGetNumRhsEvals(*memory_, &evaluations);
        return {static_cast<std::uint64_t>(steps), static_cast<std::uint64_t>(attempts - steps),
                static_cast<std::uint64_t>(evaluations), 0};
    }

    std::unique_ptr<owned<void*>> memory_;
};

using butcher_table = owned<ARKodeButcherTable>;

/// The trapezoidal rule, whose error is told by Simpson's with the slope at the middle that its own slopes lead to.
ARKodeButcherTable trapezoidal_table() {
    std::array<sunrealtype, 3> c{0, 1, 0.5};
    std::array<sunrealtype, 9> a{0, 0, 0, 0.5, 0.5, 0, 0.375, 0.125, 0};
    std::array<sunrealtype, 3> b{0.5, 0.5, 0};
    std::array<sunrealtype, 3> simpson{1. / 6, 1. / 6, 2. / 3};
    constexpr int order = 2;
    return ARKodeButcherTable_Create(3, order, order + 1, c.data(), a.data(), b.data(), simpson.data());
}

/// Diagonally implicit Runge-Kutta methods, by Newton's iteration.
class implicit_arkode final : public explicit_code {
public:
    implicit_arkode(implicit_table table, std::size_t size, foreign_rate rate, foreign_settings const& settings)
        : explicit_code(size, rate, settings), table_(table), newton_(size, y_, context_) {}

    void restart(double t, double const* y, double const* slope) override {
        take(y, slope);
        if (memory_) {
            keep_counts();
            require(ARKStepReInit(*memory_, nullptr, call, t, y_), "to begin anew");
            return;
        }
        memory_ = std::make_unique<owned<void*>>(ARKStepCreate(nullptr, call, t, y_, context_),
                                                 [](void* memory) { ARKStepFree(&memory); });
        void* const memory = *memory_;
        silence_implicit_arkode(memory);
        require(ARKStepSStolerances(memory, settings_.rtol, settings_.atol), "the tolerances");
        require(ARKStepSetUserData(memory, self()), "its data");
        choose_table(memory);
        require(ARKStepSetLinearSolver(memory, newton_.solver(), newton_.of()), "the solver");
        if (knows_jacobian()) require(ARKStepSetJacFn(memory, fill), "the derivatives");
        if (settings_.first_step > 0) require(ARKStepSetInitStep(memory, settings_.first_step), "the first step");
        require(ARKStepSetMinStep(memory, settings_.min_step), "the smallest step");
        if (std::isfinite(settings_.max_step))
            require(ARKStepSetMaxStep(memory, settings_.max_step), "the largest step");
    }
    std::string step(double, double limit, double& t, double* y, double* slope, void* data) override {
        data_ = data;
        void* const memory = *memory_;
        require(ARKStepSetStopTime(memory, limit), "the end");
        sunrealtype reached = t;
        int const flag = ARKStepEvolve(memory, limit, y_, &reached, ARK_ONE_STEP);
        t = reached;
        if (flag < 0) return text_of(ARKStepGetReturnFlagName(flag));
        require(ARKStepGetDky(memory, reached, 1, slope_), "the slope");
        give(y, slope);
        return {};
    }

private:
    void choose_table(void* memory) const {
        if (table_ == implicit_table::trapezoid) {
            butcher_table const own(trapezoidal_table(), ARKodeButcherTable_Free);
            require(ARKStepSetTables(memory, 2, 3, own, nullptr), "the trapezoidal rule");
        } else {
            require(ARKStepSetTableNum(memory,
                                       table_ == implicit_table::tr_bdf2 ? ARKODE_TRBDF2_3_3_2 : ARKODE_KVAERNO_4_2_3,
                                       ARKODE_ERK_NONE),
                    "the table");
        }
    }
    [[nodiscard]] foreign_counts current() const override {
        if (!memory_) return {};
        long steps = 0, attempts = 0, explicit_ones = 0, evaluations = 0, in_matrix = 0, iterations = 0;
        ARKStepGetNumSteps(*memory_, &steps);
        ARKStepGetNumStepAttempts(*memory_, &attempts);
        ARKStepGetNumRhsEvals(*memory_, &explicit_ones, &evaluations);
        ARKStepGetNumLinRhsEvals(*memory_, &in_matrix);
        ARKStepGetNumNonlinSolvIters(*memory_, &iterations);
        return {static_cast<std::uint64_t>(steps), static_cast<std::uint64_t>(attempts - steps),
                static_cast<std::uint64_t>(evaluations + in_matrix), static_cast<std::uint64_t>(iterations)};
    }

    implicit_table table_;
    newton_solver newton_;
    std::unique_ptr<owned<void*>> memory_;
};

class ida_code final : public sundials_code {
public:
    ida_code(std::size_t size, std::size_t differential, foreign_residual residual, foreign_settings const& settings)
        : sundials_code(size, settings)
        , residual_(residual)
        , kind_(N_VClone(y_), N_VDestroy)
        , within_(N_VClone(y_), N_VDestroy)
        , memory_(IDACreate(context_), [](void* memory) { IDAFree(&memory); })
        , matrix_(square(size, context_), SUNMatDestroy)
        , linear_(SUNLinSol_Dense(y_, matrix_, context_), free_linear) {
        for (std::size_t i = 0; i < size; ++i) N_VGetArrayPointer(kind_)[i] = i < differential ? 1 : 0;
    }
    void restart(double t, double const* y, double const* slope) override {
        take(y, slope);
        if (begun_) {
            keep_counts();
            require(IDAReInit(memory_, t, y_, slope_), "to begin anew");
            return;
        }
        require(IDAInit(memory_, call, t, y_, slope_), "the problem");
        silence_ida(memory_);
        // what q and v are known to leaves multipliers uncertain by that over the square of the step: at the first
        // steps they are not known at all, so that no iteration may wait for them
        constexpr double any = 1e30;
        for (std::size_t i = 0; i < size_; ++i)
            N_VGetArrayPointer(within_)[i] = N_VGetArrayPointer(kind_)[i] != 0 ? settings_.atol : any;
        require(IDASVtolerances(memory_, settings_.rtol, within_), "the tolerances");
        require(IDASetUserData(memory_, this), "its data");
        require(IDASetId(memory_, kind_), "the kinds of unknowns");
        require(IDASetSuppressAlg(memory_, 1), "to leave multipliers out of the error");
        if (std::isfinite(settings_.max_step)) require(IDASetMaxStep(memory_, settings_.max_step), "the largest step");
        require(IDASetMinStep(memory_, settings_.min_step), "the smallest step");
        require(IDASetLinearSolver(memory_, linear_, matrix_), "the solver");
        begun_ = true;
    }
    std::string step(double guess, double limit, double& t, double* y, double* slope, void* data) override {
        data_ = data;
        // the first step is of order 1; what suits the tolerance at order 5 is far too long
        require(IDASetInitStep(memory_, settings_.first_step > 0 ? settings_.first_step : 1e-3 * guess),
                "the first step");
        require(IDASetStopTime(memory_, limit), "the end");
        sunrealtype reached = t;
        int const flag = IDASolve(memory_, limit, &reached, y_, slope_, IDA_ONE_STEP);
        t = reached;
        if (flag < 0) return text_of(IDAGetReturnFlagName(flag));
        give(y, slope);
        return {};
    }
    [[nodiscard]] bool inside(double t, double* y) override {
        return IDAGetDky(memory_, t, 0, between_) == IDA_SUCCESS && hand_over(y);
    }

private:
    static int call(sunrealtype t, N_Vector y, N_Vector slope, N_Vector out, void* self) {
        auto const& code = *static_cast<ida_code const*>(self);
        return code.residual_(t, N_VGetArrayPointer(y), N_VGetArrayPointer(slope), N_VGetArrayPointer(out), code.data_);
    }
    [[nodiscard]] foreign_counts current() const override {
        if (!begun_) return {};
        long steps = 0, failed = 0, unsolved = 0, evaluations = 0, in_matrix = 0, iterations = 0;
        IDAGetNumSteps(memory_, &steps);
        IDAGetNumErrTestFails(memory_, &failed);
        IDAGetNumStepSolveFails(memory_, &unsolved);
        IDAGetNumResEvals(memory_, &evaluations);
        IDAGetNumLinResEvals(memory_, &in_matrix);
        IDAGetNumNonlinSolvIters(memory_, &iterations);
        return {static_cast<std::uint64_t>(steps), static_cast<std::uint64_t>(failed + unsolved),
                static_cast<std::uint64_t>(evaluations + in_matrix), static_cast<std::uint64_t>(iterations)};
    }

    foreign_residual residual_;
    owned<N_Vector> kind_;
    owned<N_Vector> within_; ///< the absolute tolerances
    owned<void*> memory_;
    matrix matrix_;
    linear_solver linear_;
};

} // namespace

std::unique_ptr<foreign_code> make_cvode_adams(std::size_t size, foreign_rate rate, foreign_settings const& settings) {
    return std::make_unique<cvode>(CV_ADAMS, size, rate, settings);
}
std::unique_ptr<foreign_code> make_cvode_bdf(std::size_t size, foreign_rate rate, foreign_settings const& settings) {
    return std::make_unique<cvode>(CV_BDF, size, rate, settings);
}
std::unique_ptr<foreign_code> make_arkode_dormand_prince(std::size_t size, foreign_rate rate,
                                                         foreign_settings const& settings) {
    return std::make_unique<arkode>(size, rate, settings);
}
std::unique_ptr<foreign_code> make_arkode_implicit(std::size_t size, foreign_rate rate,
                                                   foreign_settings const& settings, implicit_table table) {
    return std::make_unique<implicit_arkode>(table, size, rate, settings);
}
std::unique_ptr<foreign_code> make_ida(std::size_t size, std::size_t differential, foreign_residual residual,
                                       foreign_settings const& settings) {
    constexpr std::size_t largest = 4000;
    if (size > largest)
        throw misuse("IDA's dense linear algebra serves up to " + std::to_string(largest) +
                     " unknowns, but positions, velocities and two multipliers a constraint make " +
                     std::to_string(size) + "; use rattle or lobatto4");
    return std::make_unique<ida_code>(size, differential, residual, settings);
}

} // namespace detail
} // namespace lento

#else

namespace lento {

bool has_sundials() { return false; }

namespace detail {
namespace {

[[noreturn]] void lacking(char const* name) {
    throw misuse(std::string(name) + " needs SUNDIALS, and this build of Lento lacks it: install SUNDIALS 6.4 or 7 "
                                     "(libsundials-dev) and configure again with LENTO_SUNDIALS=ON");
}

} // namespace

std::unique_ptr<foreign_code> make_cvode_adams(std::size_t, foreign_rate, foreign_settings const&) {
    lacking("cvode-adams");
}
std::unique_ptr<foreign_code> make_cvode_bdf(std::size_t, foreign_rate, foreign_settings const&) {
    lacking("cvode-bdf");
}
std::unique_ptr<foreign_code> make_arkode_dormand_prince(std::size_t, foreign_rate, foreign_settings const&) {
    lacking("arkode-dormand-prince");
}
std::unique_ptr<foreign_code> make_arkode_implicit(std::size_t, foreign_rate, foreign_settings const&, implicit_table) {
    lacking("arkode-implicit");
}
std::unique_ptr<foreign_code> make_ida(std::size_t, std::size_t, foreign_residual, foreign_settings const&) {
    lacking("ida");
}

} // namespace detail
} // namespace lento

#endif
