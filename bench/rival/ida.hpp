#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <stdexcept>

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <lento/constraint/constrained.hpp>
#include <lento/constraint/newton.hpp>

/// SUNDIALS IDA on the stabilised index-2 form of a constrained system (Gear, Gupta and Leimkuhler 1985):
///     q' = v - M^-1 g'^T mu,   v' = M^-1 F - M^-1 g'^T lambda,   g = 0,   dg/dt = 0.
namespace rival {

template <class System> class ida {
    static constexpr std::size_t n = System::space_type::size();
    static constexpr std::size_t m = System::constraints_type::size();
    static constexpr std::size_t size = 2 * n + 2 * m;
    using vector = std::array<double, n>;
    using multipliers = std::array<double, m>;

public:
    struct result {
        vector position;
        vector velocity;
        multipliers lambda;
        long steps;
        long residuals;
    };

    explicit ida(System const& system) : system_(system), work_(system.work()) {}

    result operator()(vector const& q, vector const& v, double end, double rtol, double atol) {
        SUNContext context = nullptr;
        check(SUNContext_Create(nullptr, &context));
        N_Vector y = N_VNew_Serial(size, context);
        N_Vector rate = N_VClone(y);
        N_Vector kind = N_VClone(y);
        start(q, v, N_VGetArrayPointer(y), N_VGetArrayPointer(rate));
        for (std::size_t i = 0; i < size; ++i) N_VGetArrayPointer(kind)[i] = i < 2 * n ? 1 : 0;
        void* memory = IDACreate(context);
        check(IDAInit(memory, residual, 0, y, rate));
        check(IDASStolerances(memory, rtol, atol));
        check(IDASetUserData(memory, this));
        check(IDASetId(memory, kind));
        check(IDASetSuppressAlg(memory, 1));
        check(IDASetInitStep(memory, 1e-6));
        check(IDASetMaxNumSteps(memory, 100000));
        SUNMatrix matrix = SUNDenseMatrix(size, size, context);
        SUNLinearSolver solver = SUNLinSol_Dense(y, matrix, context);
        check(IDASetLinearSolver(memory, solver, matrix));
        check(IDASetStopTime(memory, end));
        double reached = 0;
        check(IDASolve(memory, end, &reached, y, rate, IDA_NORMAL));
        result out{};
        double const* const at = N_VGetArrayPointer(y);
        for (std::size_t i = 0; i < n; ++i) out.position[i] = at[i];
        for (std::size_t i = 0; i < n; ++i) out.velocity[i] = at[n + i];
        for (std::size_t j = 0; j < m; ++j) out.lambda[j] = at[2 * n + j];
        long for_jacobian = 0;
        IDAGetNumSteps(memory, &out.steps);
        IDAGetNumResEvals(memory, &out.residuals);
        IDAGetNumLinResEvals(memory, &for_jacobian);
        out.residuals += for_jacobian;
        IDAFree(&memory);
        SUNLinSolFree(solver);
        SUNMatDestroy(matrix);
        N_VDestroy(kind);
        N_VDestroy(rate);
        N_VDestroy(y);
        SUNContext_Free(&context);
        return out;
    }

private:
    static void check(int flag) {
        if (flag < 0) throw std::runtime_error("IDA returned " + std::to_string(flag));
    }

    void active(double t, vector const& q, vector const& v, vector& a) {
        if constexpr (lento::separable_active<System>) system_.active_acceleration(t, q, a, work_);
        else system_.active_acceleration(t, q, v, a, work_);
    }
    void start(vector const& q, vector const& v, double* y, double* rate) {
        vector a{};
        multipliers lambda{};
        active(0, q, v, a);
        auto at = system_.constraints().start();
        auto room = lento::make_newton_room(system_);
        if (!system_.constraints().linearise(0, q, system_.mass(), at, work_.constraint))
            throw std::runtime_error("the constraints are dependent at the start");
        lento::multipliers_at(system_, 0., q, v, a, at, lambda, room, work_.constraint);
        system_.constraints().pull(at, 1, lambda, a);
        for (std::size_t i = 0; i < size; ++i) y[i] = rate[i] = 0;
        for (std::size_t i = 0; i < n; ++i) {
            y[i] = q[i];
            y[n + i] = rate[i] = v[i];
            rate[n + i] = a[i];
        }
        for (std::size_t j = 0; j < m; ++j) y[2 * n + j] = lambda[j];
    }

    static int residual(double t, N_Vector y, N_Vector rate, N_Vector out, void* self) {
        static_cast<ida*>(self)->evaluate(t, N_VGetArrayPointer(y), N_VGetArrayPointer(rate), N_VGetArrayPointer(out));
        return 0;
    }
    void evaluate(double t, double const* y, double const* rate, double* out) {
        vector q{}, v{}, a{};
        multipliers values{};
        std::array<vector, m> rows{};
        for (std::size_t i = 0; i < n; ++i) q[i] = y[i], v[i] = y[n + i];
        active(t, q, v, a);
        system_.constraints().gradients(t, q, rows, work_.constraint);
        for (std::size_t i = 0; i < n; ++i) {
            out[i] = rate[i] - v[i];
            out[n + i] = rate[n + i] - a[i];
        }
        for (std::size_t j = 0; j < m; ++j) {
            system_.mass().divide(rows[j]);
            for (std::size_t i = 0; i < n; ++i) {
                out[i] += rows[j][i] * y[2 * n + m + j];
                out[n + i] += rows[j][i] * y[2 * n + j];
            }
        }
        system_.constraints().values(t, q, values, work_.constraint);
        for (std::size_t j = 0; j < m; ++j) out[2 * n + j] = values[j];
        system_.constraints().rate(t, q, v, values, work_.constraint);
        for (std::size_t j = 0; j < m; ++j) out[2 * n + m + j] = values[j];
    }

    System const& system_;
    lento::work_of<System> work_;
};

} // namespace rival
