// Problem files, settings and indices changed at random: they are read, or refused with a sentence, soon; those that
// can be read run, and what they print is JSON without control characters. LENTO_MUTATED says how many, LENTO_SEED
// where to begin: `./dev check mutated 50000` has the address sanitizer look on.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include <unistd.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "index_formulas.hpp"
#include "program_run.hpp"

#include <lento/base/misuse.hpp>
#include <lento/base/printable.hpp>
#include <lento/io/problem_file.hpp>
#include <lento/io/results.hpp>
#include <lento/problem/run.hpp>

namespace {

std::size_t number_of(char const* variable, std::size_t usual) {
    char const* const given = std::getenv(variable); // NOLINT(concurrency-mt-unsafe)
    return given == nullptr ? usual : std::strtoull(given, nullptr, 10);
}

/// What was changed, for whoever wants to see it again.
struct mutant {
    std::string text;
    lento::problem_settings settings;
};

class mutations {
public:
    /// So many of the files, the first ones, are sound.
    mutations(std::vector<std::string> files, std::size_t sound) : files_(std::move(files)), sound_(sound) {}

    mutant make(std::size_t seed) {
        random_.seed(static_cast<std::mt19937::result_type>(seed));
        bool const only_settings = below(4) == 0;
        mutant made{files_[below(only_settings || below(4) > 0 ? sound_ : files_.size())], {}};
        for (std::size_t i = only_settings ? 0 : 1 + below(4) * below(2); i > 0; --i) change(made.text);
        for (std::size_t i = only_settings ? 1 + below(3) : below(5) / 4; i > 0; --i)
            made.settings.push_back(setting(made.text));
        return made;
    }
    std::size_t below(std::size_t n) { return random_() % n; }

private:
    template <std::size_t N> std::string one_of(std::array<char const*, N> const& words) { return words[below(N)]; }

    std::string number() {
        static constexpr std::array<char const*, 24> odd{
            "0",      "-1",    "1",         "2",      "0.5",    "1e-9",       "1e9",
            "1e16",   "1e154", "1e300",     "-1e308", "1e400",  "nan",        "inf",
            "-0.0",   "3",     "7",         "100",    "100000", "4294967296", "9223372036854775807",
            "1e-320", "0x7f",  "2147483648"};
        return one_of(odd);
    }
    std::string word() {
        static constexpr std::array<char const*, 48> words{"[system]",
                                                           "[time]",
                                                           "[method]",
                                                           "[initial]",
                                                           "[observe]",
                                                           "[parameters]",
                                                           "[accuracy]",
                                                           "[[constraints]]",
                                                           "kind = \"stiff\"",
                                                           "kind = \"split\"",
                                                           "kind = \"constrained\"",
                                                           "kind = \"vibrated\"",
                                                           "kind = \"plain\"",
                                                           "coordinates = [\"x\", \"y\"]",
                                                           "potential = \"x^2\"",
                                                           "force.x = \"-x\"",
                                                           "define.y = \"x^2\"",
                                                           "sum(i, 1, n, x[i])",
                                                           "x[1..n]",
                                                           "x[i+1]",
                                                           "x'",
                                                           "theta",
                                                           "theta1",
                                                           "sin(",
                                                           ")",
                                                           "(",
                                                           "]",
                                                           "[",
                                                           "}",
                                                           "{",
                                                           "\"",
                                                           "'",
                                                           "\"\"\"",
                                                           ",",
                                                           "=",
                                                           ".",
                                                           "\n",
                                                           "#",
                                                           "^",
                                                           "1/0",
                                                           "sqrt(-1)",
                                                           "t",
                                                           "pi",
                                                           "\x1b[31m",
                                                           "\\u001b",
                                                           "\x7f",
                                                           "\xc3",
                                                           "\xe2\x80\xae"};
        return one_of(words);
    }
    std::string setting(std::string const& text) {
        static constexpr std::array<char const*, 28> keys{"time.end",
                                                          "time.start",
                                                          "time.output",
                                                          "method.name",
                                                          "method.macro.step",
                                                          "method.macro.scheme",
                                                          "method.macro.rtol",
                                                          "method.macro.max_steps",
                                                          "method.micro.step",
                                                          "method.micro.steps",
                                                          "method.window.kernel",
                                                          "method.window.periods",
                                                          "method.window.length",
                                                          "method.window.moments",
                                                          "method.window",
                                                          "method.macro",
                                                          "method.start",
                                                          "method.engine",
                                                          "accuracy.rtol",
                                                          "accuracy.atol",
                                                          "system.mass",
                                                          "system.kind",
                                                          "system.potential",
                                                          "report",
                                                          "initial",
                                                          "title",
                                                          "a.b.c",
                                                          "method.projection.tolerance"};
        static constexpr std::array<char const*, 22> values{"auto",
                                                            "direct",
                                                            "hmm",
                                                            "ipa",
                                                            "shake",
                                                            "rattle",
                                                            "impulse",
                                                            "flavors",
                                                            "verlet",
                                                            "rk4",
                                                            "dop853",
                                                            "adams",
                                                            "exponential",
                                                            "one-period",
                                                            "picard",
                                                            "chebyshev",
                                                            "asynchronous",
                                                            "centred",
                                                            "{ scheme = 'verlet', step = 0.01 }",
                                                            "{ kernel = 'cosine', periods = 3 }",
                                                            "true",
                                                            "[1, 2]"};
        std::string key = one_of(keys);
        if (below(2) == 0) key = name_in(text);
        std::string value = below(2) == 0 ? number() : one_of(values);
        if (below(8) == 0) change(value);
        return key + "=" + value;
    }
    /// A name at the beginning of a line.
    std::string name_in(std::string const& text) {
        std::vector<std::string> names{"omega"};
        for (std::size_t at = 0; at < text.size();
             at = text.find('\n', at) == std::string::npos ? text.size() : text.find('\n', at) + 1)
            if (auto const end = text.find(" =", at); end != std::string::npos && end - at < 30 && end > at)
                names.push_back(text.substr(at, end - at));
        auto made = names[below(names.size())];
        std::erase_if(made, [](char c) { return c == '\n' || c == '"'; });
        return made.empty() ? "omega" : made;
    }

    void change(std::string& text) {
        if (text.empty()) text = word();
        auto const at = below(text.size());
        auto const line = [&](std::size_t from) {
            auto const begin = text.rfind('\n', from);
            auto const end = text.find('\n', from);
            auto const first = begin == std::string::npos ? 0 : begin;
            return std::pair(first, (end == std::string::npos ? text.size() : end) - first);
        };
        switch (below(12)) {
        case 0: text[at] = static_cast<char>(random_()); break;
        case 1: text.erase(at, 1 + below(8)); break;
        case 2: text.insert(at, word()); break;
        case 3: text.insert(at, number()); break;
        case 4: { // a line less
            auto const [begin, length] = line(at);
            text.erase(begin, length);
            break;
        }
        case 5: { // a line elsewhere
            auto const [begin, length] = line(at);
            text.insert(line(below(text.size())).first, text.substr(begin, length));
            break;
        }
        case 6: { // the end of another file
            auto const& other = files_[below(files_.size())];
            text = text.substr(0, at) + other.substr(below(other.size() + 1));
            break;
        }
        case 7: text.resize(at); break;
        case 8:
        case 9: { // another number
            auto const digit = text.find_first_of("0123456789", at);
            if (digit == std::string::npos) break;
            auto const end = text.find_first_not_of("0123456789.e-", digit);
            text.replace(digit, (end == std::string::npos ? text.size() : end) - digit, number());
            break;
        }
        case 10: text.insert(at, std::string(1 + below(300), "([-x{"[below(5)])); break;
        default: { // one word for another
            auto const from = line(at), to = line(below(text.size()));
            text.replace(from.first, from.second, text.substr(to.first, to.second));
        }
        }
        if (text.size() > 20'000) text.resize(20'000);
    }

    std::vector<std::string> files_;
    std::size_t sound_;
    std::mt19937 random_;
};

std::vector<std::string> files_in(std::vector<std::string> const& folders) {
    std::vector<std::string> made;
    for (auto const& folder : folders)
        for (auto const& each : std::filesystem::directory_iterator(std::filesystem::path(LENTO_SOURCE_DIR) / folder))
            if (each.path().extension() == ".toml") made.push_back(lento_test::content(each.path()));
    std::sort(made.begin(), made.end());
    return made;
}

/// What terminals take as a command.
bool has_control_characters(std::string const& text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        auto const byte = static_cast<unsigned char>(text[i]);
        if ((byte < 0x20 && byte != '\n') || byte == 0x7F) return true;
        if (byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0) return true;
    }
    return false;
}

/// How far they come: a test of files that are all refused in their first line would show little.
struct reach {
    std::size_t read = 0;
    std::size_t run = 0;
};

/// What the program would do: nothing, or the fault.
std::string fault_of(mutant const& of, bool runs, double& reading, reach& far) {
    auto const begin = std::chrono::steady_clock::now();
    auto const look = [&] {
        reading = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    auto const told = [&](std::string const& sentence) -> std::string {
        if (reading == 0) look();
        if (sentence.empty() || sentence.size() > 4000)
            return "a sentence of " + std::to_string(sentence.size()) + " bytes";
        return has_control_characters(lento::printable(sentence)) ? "control characters in " + sentence : "";
    };
    try {
        auto const what = lento::read_problem(of.text, "mutant", of.settings);
        look();
        ++far.read;
        if (!runs || what.output_times.size() > 10'000 || what.size > 1000) return "";
        std::atomic<bool> stop = false;
        auto const limit = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
        auto const progress = [&](double) { stop = stop || std::chrono::steady_clock::now() > limit; };
        auto const done = lento::run_problem(what, {.interrupt = &stop, .progress = progress, .max_evaluations = 1000});
        ++far.run;
        auto const document = to_json(what, done);
        if (!nlohmann::json::accept(document)) return "JSON that is none: " + document.substr(0, 200);
        if (has_control_characters(document)) return "control characters in JSON";
        if (has_control_characters(to_text(what, done))) return "control characters in the table";
        static_cast<void>(to_csv(what, done));
        if (!done.message.empty()) return told(done.message);
        return "";
    } catch (lento::problem_error const& error) {
        return told(error.what());
    } catch (lento::does_not_apply const& error) { return told(error.what()); } catch (lento::misuse const& error) {
        return told(error.what());
    } catch (lento::expression::formula_error const& error) {
        return told(error.what());
    } catch (std::bad_alloc const&) { return ""; } catch (std::exception const& error) {
        return std::string("internal error: ") + error.what();
    }
}

/// Where the number of the mutant stands that is tried now; a crash leaves it there, to be tried again as LENTO_SEED.
std::string seed_file() {
    return (std::filesystem::temp_directory_path() / ("lento-mutant-" + std::to_string(getpid()))).string();
}

TEST(Mutated, FilesAndSettingsAreReadOrRefused) {
    std::size_t const count = number_of("LENTO_MUTATED", 400) * 4 / 5;
    std::size_t const first = number_of("LENTO_SEED", 1);
    auto files = files_in({"problems"});
    auto const sound_files = files.size();
    for (auto& each : files_in({"test/bad-problems", "test/inapplicable-problems"})) files.push_back(std::move(each));
    mutations make(std::move(files), sound_files);
    std::ofstream seed(seed_file());
    // whatever hangs ends here, with its number left there
    std::signal(SIGALRM, SIG_DFL);
    std::size_t sound = 0;
    reach far;
    for (std::size_t i = 0; i < count; ++i) {
        auto const one = make.make(first + i);
        seed.seekp(0);
        seed << first + i << std::endl; // NOLINT(performance-avoid-endl): it must be there before anything crashes
        alarm(120);
        double reading = 0;
        auto const fault = fault_of(one, i % 4 == 0, reading, far);
        alarm(0);
        std::string settings;
        for (auto const& each : one.settings) settings += " --set '" + each + "'";
        EXPECT_EQ(fault, "") << "seed " << first + i << settings << "\n" << one.text;
        EXPECT_LT(reading, 5) << "seed " << first + i << settings << "\n" << one.text;
        if (i % 1000 == 999) std::cerr << i + 1 << " of " << count << "\n";
        sound += fault.empty() ? 1 : 0;
    }
    std::filesystem::remove(seed_file());
    EXPECT_EQ(sound, count);
    EXPECT_GT(far.read, count / 20);
    EXPECT_GT(far.run, count / 100);
    std::cerr << far.read << " of " << count << " were read, " << far.run << " of a quarter run\n";
}

TEST(Mutated, IndexFormulasAgreeOrAreRefused) {
    std::size_t const count = number_of("LENTO_MUTATED", 400) / 5;
    std::size_t const first = 1'000'000 + number_of("LENTO_SEED", 1); // others than index_formulas.cpp has
    for (std::size_t i = 0; i < count; ++i) {
        std::mt19937 random(static_cast<std::mt19937::result_type>(first + i));
        auto const one =
            index_formulas::generator([&random](unsigned n) { return static_cast<unsigned>(random() % n); }).make();
        EXPECT_EQ(index_formulas::compared(one).fault, "") << index_formulas::shown(one);
    }
}

} // namespace
