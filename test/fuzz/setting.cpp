// Whatever --set says: the problem is read, or refused with a sentence.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <lento/base/misuse.hpp>
#include <lento/io/problem_file.hpp>
#include <lento/problem/method.hpp>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    auto const& all = lento::builtin_problems();
    if (size < 2) return 0;
    auto const& problem = all[data[0] % all.size()];
    std::string_view rest(reinterpret_cast<char const*>(data) + 1, size - 1);
    lento::problem_settings settings;
    while (!rest.empty() && settings.size() < 8) { // a line each
        auto const end = rest.find('\n');
        settings.emplace_back(rest.substr(0, end));
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
    try {
        auto const what = lento::read_problem(problem.text, "fuzz", settings);
        static_cast<void>(lento::choose_method(what)); // what [method] says is read only now
    } catch (lento::problem_error const&) {
    } catch (lento::does_not_apply const&) {
    } catch (lento::misuse const&) {}
    return 0;
}
