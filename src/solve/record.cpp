#include <lento/solve/record.hpp>

namespace lento::detail {

template class run_record<motion<std::vector<double>>>;
template class run_record<point<std::vector<double>>>;

} // namespace lento::detail
