#include "io/method_reader.hpp"

namespace lento::detail {

void method_reader::read_plain() {
    if (made_.name == "stroboscopic") {
        allow({"micro", "order"});
        read_stroboscopic();
    } else {
        allow({});
    }
    if (auto const* macro = find("macro")) read_macro(*macro);
}

} // namespace lento::detail
