#include <lento/effective/corrected.hpp>

namespace lento {

warning rough_correction(double time, int steps, double change, double defect) {
    return {"rough_correction", time,
            "what the windows miss is measured over one period of the motion, and " + std::to_string(steps) +
                " steps of order 8 do not resolve it: at t = " + show(time) + " the last doubling changed it by " +
                show(change) + ", against " + show(defect) +
                ". The force has sharp features in theta, and the correction is no better than that."};
}

} // namespace lento
