// Whatever bytes a problem file has: it is read, or refused with a sentence, in little time and memory.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <lento/expression/formula_reader.hpp>
#include <lento/io/problem_file.hpp>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    std::string_view const text(reinterpret_cast<char const*>(data), size);
    try {
        static_cast<void>(lento::read_problem(text, "fuzz"));
    } catch (lento::problem_error const&) {}
    try { // a formula by itself goes deeper than one inside a file that must be right around it
        lento::expression::formula_reader book;
        book.parameter("n", 20);
        book.coordinate("x[1..n]");
        book.coordinate("q");
        book.phases(1);
        auto const read = book.scalar(text);
        static_cast<void>(book.print(read, 100'000));
    } catch (lento::expression::formula_error const&) {
    } catch (std::length_error const&) {} // too long to print
    return 0;
}
