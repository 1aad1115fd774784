#include "io/method_reader.hpp"

namespace lento::detail {

void method_reader::read_vibrated() {
    read_name({"auto", "direct", "hmm", "stroboscopic"});
    if (made_.name == "stroboscopic") {
        allow({"micro", "order"});
        if (auto const* macro = find("macro")) read_macro(*macro);
        if (what_.constraints.count > 0) from_.fail(*find("name"), "The stroboscope knows no constraints; use hmm.");
        if (what_.frequencies.size() > 1)
            from_.fail(*find("name"), "The stroboscope needs one period, and there are several phases; use hmm.");
        read_stroboscopic();
        return;
    }
    allow({"micro", "window", "start"});
    if (auto const* macro = find("macro")) read_macro(*macro);
    if (direct_only({"micro", "window", "start"})) return;
    if (auto const* start = find("start")) read_start(*start);
    auto const* view = find("window");
    auto const* micro = find("micro");
    if (what_.constraints.count > 0) {
        if (auto const* kernel = view != nullptr ? view->find("kernel") : nullptr;
            kernel != nullptr && kernel_name(view, "") == "picard")
            from_.fail(*kernel, "The picard kernel knows no constraints; use one-period or a smooth kernel.");
        if (made_.start == window_start::synchronous)
            from_.fail(*find("start"), "With constraints windows start asynchronous or centred.");
    }
    if (kernel_name(view, "exponential") == "picard") read_picard(*view);
    else if (view != nullptr || micro != nullptr || made_.start != window_start::chosen) read_window(view, micro);
}

} // namespace lento::detail
