#include "double_pendulum.h"

#include <float.h>
#include <math.h>

static double larger(double a, double b) { return a > b ? a : b; }

/* Two rods and no more: everything is written out. Newton's matrix is that of the step's start, inverted once. */
void rival_double_pendulum_window(const struct rival_double_pendulum* p, const double q[4], double h, int steps,
                                  const double* weights, double force[4]) {
    const double swing = p->speed * p->frequency;
    const double turn = p->frequency * h;
    const double i1 = 1 / p->mass[0];
    const double i2 = 1 / p->mass[1];
    double x1 = q[0], y1 = q[1], x2 = q[2] - q[0], y2 = q[3] - q[1]; /* the rods */
    double u1 = 0, v1 = 0, u2 = 0, v2 = 0;                           /* velocities of the masses */
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (int k = 0; k <= steps; ++k) {
        const double kick = k == 0 ? h / 2 : h;
        const double down = p->gravity + swing * cos(k * turn);
        const double a11 = 4 * i1 * (x1 * x1 + y1 * y1);
        const double a12 = -4 * i1 * (x1 * x2 + y1 * y2);
        const double a22 = 4 * (i1 + i2) * (x2 * x2 + y2 * y2);
        const double inverse = 1 / (a11 * a22 - a12 * a12);
        double l1 = 0, l2 = 0, before = 0;
        v1 -= kick * down;
        v2 -= kick * down;
        for (int iteration = 1; iteration <= 50; ++iteration) {
            const double wx = u2 - u1, wy = v2 - v1;
            const double e1 = u1 * (2 * x1 + h * u1) + v1 * (2 * y1 + h * v1);
            const double e2 = wx * (2 * x2 + h * wx) + wy * (2 * y2 + h * wy);
            const double d1 = (a22 * e1 - a12 * e2) * inverse;
            const double d2 = (a11 * e2 - a12 * e1) * inverse;
            const double c0 = 2 * i1 * (d1 * x1 - d2 * x2), c1 = 2 * i1 * (d1 * y1 - d2 * y2);
            const double c2 = 2 * i2 * d2 * x2, c3 = 2 * i2 * d2 * y2;
            u1 -= c0;
            v1 -= c1;
            u2 -= c2;
            v2 -= c3;
            l1 += d1;
            l2 += d2;
            const double change = larger(larger(fabs(c0), fabs(c1)), larger(fabs(c2), fabs(c3)));
            const double size = larger(larger(fabs(u1), fabs(v1)), larger(fabs(u2), fabs(v2)));
            if (change <= 2 * DBL_EPSILON * size) break;
            if (iteration > 1 && change < before && change * change <= DBL_EPSILON * size * before) break;
            if (iteration > 1 && change <= 1e-9 * size && 4 * change > before) break;
            before = change;
        }
        l1 *= 2 / kick;
        l2 *= 2 / kick;
        s0 -= weights[k] * (i1 * (l1 * x1 - l2 * x2));
        s1 -= weights[k] * (down + i1 * (l1 * y1 - l2 * y2));
        s2 -= weights[k] * (i2 * l2 * x2);
        s3 -= weights[k] * (down + i2 * l2 * y2);
        x1 += h * u1;
        y1 += h * v1;
        x2 += h * (u2 - u1);
        y2 += h * (v2 - v1);
    }
    force[0] = s0;
    force[1] = s1;
    force[2] = s2;
    force[3] = s3;
}
