#pragma once

#include <new>
#include <string>
#include <utility>

namespace lento::expression {

/// Bytes that the limits on this process (`ulimit -v`, `lento solve --max-memory`) leave; infinite without a limit.
[[nodiscard]] double memory_room();

/// Whether LLVM is left out because the limits have no room for it. It would end the program where memory ends.
[[nodiscard]] bool llvm_lacks_memory();

/// Thrown, as std::bad_alloc is, by what would not fit; what() is a sentence.
class no_room : public std::bad_alloc {
public:
    explicit no_room(std::string sentence) : sentence_(std::move(sentence)) {}
    [[nodiscard]] char const* what() const noexcept override { return sentence_.c_str(); }

private:
    std::string sentence_;
};

} // namespace lento::expression
