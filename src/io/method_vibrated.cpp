#include "io/method_reader.hpp"

namespace lento::detail {

void method_reader::read_vibrated() {
    if (made_.name == "stroboscopic") {
        allow({"micro", "order"});
        if (auto const* macro = find("macro")) read_macro(*macro);
        read_stroboscopic();
        return;
    }
    if (made_.name == "direct") allow({});
    else allow({"micro", "window", "start"});
    if (auto const* macro = find("macro")) read_macro(*macro);
    if (made_.name == "direct") return;
    if (auto const* start = find("start")) read_start(*start);
    auto const* view = find("window");
    auto const* micro = find("micro");
    if (what_.constraints.count > 0) {
        if (auto const* kernel = view != nullptr ? view->find("kernel") : nullptr;
            kernel != nullptr && kernel_name(view, "") == "picard")
            refuse("the picard kernel knows no constraints; use one-period or a smooth kernel");
        if (made_.start == window_start::synchronous) refuse("with constraints windows start asynchronous or centred");
    }
    if (kernel_name(view, "exponential") == "picard") read_picard(*view);
    else if (view != nullptr || micro != nullptr || made_.start != window_start::chosen) read_window(view, micro);
}

} // namespace lento::detail
