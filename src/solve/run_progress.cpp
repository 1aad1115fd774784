#include <lento/solve/run_progress.hpp>

namespace lento::detail {

template class run_progress<motion<std::vector<double>>>;
template class run_progress<point<std::vector<double>>>;

} // namespace lento::detail
