#include "micro_loop.h"

#include <math.h>

/* ---- the vibrated pendulum of paper 001 ---- */

double rival_pendulum_window(const struct rival_pendulum* p, double q, double h, int steps, const double* weights) {
    const double g = p->gravity;
    const double swing = p->speed * p->frequency;
    const double turn = p->frequency * h;
    const double l = p->length;
    double f = (g + swing) * sin(q) / l;
    double sum = weights[0] * f;
    double u = 0.5 * h * h * f; /* the displacement of a step */
    q += u;
    for (int k = 1; k < steps; ++k) {
        f = (g + swing * cos(k * turn)) * sin(q) / l;
        sum += weights[k] * f;
        u += h * h * f;
        q += u;
    }
    f = (g + swing * cos(steps * turn)) * sin(q) / l;
    return sum + weights[steps] * f;
}

double rival_pendulum_bare(const struct rival_pendulum* p, double q, double h, int steps) {
    const double turn = p->frequency * h;
    const double l = p->length;
    double x = q;
    double sum = 0;
    for (int k = 0; k <= steps; ++k) {
        /* the argument waits for the last result, as it does in any integration */
        x = q + 1e-9 * (sin(x) / l);
        sum += cos(k * turn);
    }
    return sum + x;
}

/* ---- two masses on two stiff springs in the plane (papers 000 and 003), shaken upwards ---- */

void rival_springs_window(const struct rival_springs* p, const double q[4], double h, int steps, const double* weights,
                          double force[4]) {
    const double stiffness = p->stiffness;
    const double swing = p->amplitude * p->frequency;
    const double turn = p->frequency * h;
    double x1 = q[0], y1 = q[1], x2 = q[2], y2 = q[3];
    double u1 = 0, v1 = 0, u2 = 0, v2 = 0; /* displacements of a step */
    double sx1 = 0, sy1 = 0, sx2 = 0, sy2 = 0;
    double kick = 0.5 * h * h;
    for (int k = 0; k <= steps; ++k) {
        const double lift = swing * cos(k * turn) - p->gravity;
        const double w = weights[k];
        const double dx = x2 - x1, dy = y2 - y1;
        const double first = stiffness - stiffness / sqrt(x1 * x1 + y1 * y1);
        const double second = stiffness - stiffness / sqrt(dx * dx + dy * dy);
        const double pull_x = second * dx, pull_y = second * dy;
        const double ax1 = pull_x - first * x1, ay1 = pull_y - first * y1 + lift;
        const double ay2 = lift - pull_y;
        sx1 += w * ax1, sy1 += w * ay1, sx2 -= w * pull_x, sy2 += w * ay2;
        u1 += kick * ax1, v1 += kick * ay1, u2 -= kick * pull_x, v2 += kick * ay2;
        x1 += u1, y1 += v1, x2 += u2, y2 += v2;
        kick = h * h;
    }
    force[0] = sx1, force[1] = sy1, force[2] = sx2, force[3] = sy2;
}

double rival_springs_bare(const struct rival_springs* p, const double q[4], double h, int steps) {
    const double stiffness = p->stiffness;
    const double turn = p->frequency * h;
    const double r1 = q[0] * q[0] + q[1] * q[1], r2 = q[2] * q[2] + q[3] * q[3];
    double first = 0, second = 0;
    double sum = 0;
    for (int k = 0; k <= steps; ++k) {
        first = stiffness / sqrt(r1 + 1e-9 * first);
        second = stiffness / sqrt(r2 + 1e-9 * second);
        sum += cos(k * turn);
    }
    return sum + first + second;
}

/* ---- a chain of hard springs in a vibrated field ---- */

/* One sweep does it all: the force of a coordinate goes into its sum, its displacement u and its position. The
   positions go into a second array because the neighbours still need the old ones. The ends are held. */
static void chain_step(const struct rival_chain* p, size_t n, double field, double w, double kick,
                       const double* restrict q, double* restrict next, double* restrict u, double* restrict sum) {
    const double stiffness = p->stiffness, cubic = p->cubic;
    for (size_t i = 0; i < n; ++i) {
        const double left = q[i] - q[i - 1], right = q[i + 1] - q[i];
        const double a = right * (stiffness + cubic * right * right) - left * (stiffness + cubic * left * left) +
                         field * q[i];
        sum[i] += w * a;
        u[i] += kick * a;
        next[i] = q[i] + u[i];
    }
}

void rival_chain_window(const struct rival_chain* p, size_t n, const double* q, double h, int steps,
                        const double* weights, double* force, double* scratch) {
    double* now = scratch + 1;
    double* next = now + n + 2;
    double* u = next + n + 1;
    now[-1] = now[n] = next[-1] = next[n] = 0;
    for (size_t i = 0; i < n; ++i) now[i] = q[i], u[i] = 0, force[i] = 0;
    for (int k = 0; k <= steps; ++k) {
        const double field = p->amplitude * p->frequency * cos(k * (p->frequency * h));
        chain_step(p, n, field, weights[k], k == 0 ? 0.5 * h * h : h * h, now, next, u, force);
        double* const other = now;
        now = next;
        next = other;
    }
}
