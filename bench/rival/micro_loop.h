#ifndef LENTO_BENCH_RIVAL_MICRO_LOOP_H
#define LENTO_BENCH_RIVAL_MICRO_LOOP_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Averaged forces as one writes them by hand for one problem each: the later half of a window, started at rest with the
   phase 0, in leapfrog form. Weights are those of the samples 0 ... steps. */

struct rival_pendulum { double gravity, speed, frequency, length; };
double rival_pendulum_window(const struct rival_pendulum* p, double q, double h, int steps, const double* weights);

struct rival_springs { double stiffness, gravity, amplitude, frequency; };
void rival_springs_window(const struct rival_springs* p, const double q[4], double h, int steps, const double* weights,
                          double force[4]);

/* The chain's scratch has 3 n + 4 numbers. */
struct rival_chain { double stiffness, cubic, amplitude, frequency; };
void rival_chain_window(const struct rival_chain* p, size_t n, const double* q, double h, int steps,
                        const double* weights, double* force, double* scratch);

/* The same forces without any integration: what the sines, cosines, roots and divisions cost by themselves. */
double rival_pendulum_bare(const struct rival_pendulum* p, double q, double h, int steps);
double rival_springs_bare(const struct rival_springs* p, const double q[4], double h, int steps);

#ifdef __cplusplus
}
#endif

#endif
