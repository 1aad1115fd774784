#include "io/method_reader.hpp"

namespace lento::detail {

void method_reader::read_constrained() {
    if (made_.name == "hmm" || made_.name == "ipa") {
        read_stiff_window({"relaxation"});
        return;
    }
    allow({});
    if (auto const* macro = find("macro")) read_macro(*macro);
    else if (made_.name == "shake" || made_.name == "rattle")
        from_.fail(*find("name"), "The method " + made_.name + " needs a step, as in macro = { step = 0.01 }.");
}

} // namespace lento::detail
