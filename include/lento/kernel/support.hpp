#pragma once

namespace lento {

/// Where in its window a kernel gives the filtered value (paper 004, figure 2: the lower scheme is centred). `mean`
/// gives the mean over the window: paper 002's K~^{p,q}, moments 1/(r+1) on [0, 1].
enum class support { centred, forward, backward, mean };

} // namespace lento
