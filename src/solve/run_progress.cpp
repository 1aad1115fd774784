#include <lento/solve/run_progress.hpp>

namespace lento::detail {

template class run_progress<motion<std::vector<double>>>;
template class run_progress<motion<std::array<double, 1>>>;
template class run_progress<motion<std::array<double, 2>>>;
template class run_progress<motion<std::array<double, 3>>>;
template class run_progress<motion<std::array<double, 4>>>;
template class run_progress<point<std::vector<double>>>;

} // namespace lento::detail
