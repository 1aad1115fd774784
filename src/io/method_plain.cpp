#include "io/method_reader.hpp"

namespace lento::detail {

void method_reader::read_plain() {
    read_name({"auto", "direct", "stroboscopic"});
    if (made_.name == "stroboscopic") {
        allow({"micro", "order"});
        if (what_.period == 0)
            from_.fail(*find("name"),
                       "The stroboscope needs the period of the fast motion; give system.period or system.frequency.");
        read_stroboscopic();
    } else {
        allow({});
    }
    if (auto const* macro = find("macro")) read_macro(*macro);
}

} // namespace lento::detail
