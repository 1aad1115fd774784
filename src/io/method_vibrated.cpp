#include "io/method_reader.hpp"

namespace lento::detail {

void method_reader::read_vibrated() {
    read_name({"auto", "direct", "hmm"});
    allow({"micro", "window", "start"});
    if (auto const* macro = find("macro")) read_macro(*macro);
    if (direct_only({"micro", "window", "start"})) return;
    if (auto const* start = find("start")) read_start(*start);
    auto const* view = find("window");
    auto const* micro = find("micro");
    if (kernel_name(view, "exponential") == "picard") read_picard(*view);
    else if (view != nullptr || micro != nullptr || made_.start != window_start::chosen) read_window(view, micro);
}

} // namespace lento::detail
