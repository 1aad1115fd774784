#include "reproduce/experiments.hpp"

namespace lento::reproduce {

std::vector<experiment> const& experiments() {
    static std::vector<experiment> const all = {
        {"000/table-1", "two springs, one hard: force averaging with rk4 and ode45 against H", true, table_000_1},
        {"000/table-2", "two springs, one hard: steps of ode45, direct and averaged", true, table_000_2},
        {"000/figure-1", "two springs, the second hard: the masses in the plane", true, figure_000_1},
        {"000/figure-2", "two springs, the second hard: velocities", true, figure_000_2},
        {"000/figure-3", "two springs, the first hard, with much energy in it: the masses in the plane", true,
         figure_000_3},
        {"000/figure-4", "two springs, the first hard: the springs' lengths", true, figure_000_4},
        {"000/figure-5", "two hard springs, without projection back: the masses in the plane", true, figure_000_5},
        {"000/figure-6", "two hard springs, projected back at t = 1 ... 9: the masses in the plane", true,
         figure_000_6},
        {"001/table-2.1", "vibrated pendulum, synchronous HMM, exponential kernel", true, table_001_2_1},
        {"001/table-2.2", "vibrated pendulum, asynchronous HMM, exponential kernel", true, table_001_2_2},
        {"001/table-2.3", "vibrated pendulum, asynchronous HMM, one-period mean", true, table_001_2_3},
        {"001/figure-4.1", "vibrated double pendulum with constraints, SHAKE-SHAKE and RATTLE-SHAKE", true,
         figure_001_4_1},
        {"002/table-2", "expanding spiral, forward Euler backward-forward HMM, filters of growing regularity", true,
         table_002_2},
        {"002/figure-4", "resonant orbits: the effective path across the fast orbits", true, figure_002_4},
        {"002/figure-5", "resonant orbits: how the path is sampled, without and with a filter", true, figure_002_5},
        {"002/figure-6", "expanding spiral: the radius with its ripple, and the macro values", true, figure_002_6},
        {"002/figure-7", "resonant orbits, midpoint backward-forward HMM against FLAVORS", true, figure_002_7},
        {"002/fermi-pasta-ulam", "stiff and soft springs to T = 1/epsilon, with what an error means there", true,
         fermi_pasta_ulam_002},
        {"002/fermi-pasta-ulam-long", "stiff and soft springs to T = 7/epsilon", true, fermi_pasta_ulam_long_002},
        {"003/table-1", "two hard springs: constraints along the iterated projection", true, table_003_1},
        {"003/slow-points", "two hard springs: slow points near a point of the constraint manifold", true,
         slow_points_003},
        {"003/multipliers", "two hard springs: multipliers from slow points, and extrapolated", true, multipliers_003},
        {"003/figure-2", "two hard springs: the constrained motion by RATTLE against the slow one", true, figure_003_2},
        {"003/figure-3", "two hard springs: direct, from the constraint manifold", true, figure_003_3},
        {"003/figure-4", "two hard springs: direct, from the slow manifold", true, figure_003_4},
        {"003/figure-5", "two hard springs: direct, projected at t = 1 ... 9", true, figure_003_5},
        {"003/figure-6", "two hard springs: rk4 with every stage on the slow manifold", true, figure_003_6},
        {"004/figure-3", "inverted pendulum to T = 50, short coarse windows, and the phase trap", true, figure_004_3},
        {"004/figure-4", "inverted pendulum, first-order macro schemes against H", true, figure_004_4},
        {"004/figure-5", "inverted pendulum, Verlet macro scheme against H", true, figure_004_5},
        {"004/figure-6", "inverted pendulum, Verlet on both scales, micro steps scaled with H", true, figure_004_6},
        {"004/figure-7", "inverted pendulum, Verlet and rk4, micro steps scaled with H", true, figure_004_7},
        {"001/work-precision", "vibrated pendulum: errors and force evaluations, beyond the paper", true,
         work_precision_001},
        {"002/work-precision", "split systems: errors and right-hand sides, beyond the paper", true,
         work_precision_002},
        {"003/work-precision", "two hard springs: errors and evaluations, beyond the paper", true, work_precision_003},
    };
    return all;
}

} // namespace lento::reproduce
