#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* The vibrated double pendulum of section 4 of paper 001, in cartesian coordinates seen from the pivot. */
struct rival_double_pendulum {
    double gravity;
    double speed;
    double frequency;
    double mass[2];
    double length[2];
};

/* The force, active and of the rods, over the masses, summed with weights 0 ... steps along SHAKE from rest at q. */
void rival_double_pendulum_window(const struct rival_double_pendulum* p, const double q[4], double h, int steps,
                                  const double* weights, double force[4]);

#ifdef __cplusplus
}
#endif
