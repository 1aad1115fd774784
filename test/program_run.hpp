#pragma once

#include <array>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <stdlib.h>
#include <sys/wait.h>

/// Runs the program as its users do.
namespace lento_test {

struct finished {
    int status = -1;
    std::string output;
    std::string errors;
};

inline std::string content(std::filesystem::path const& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

/// A directory of this test's own, gone with it.
class scratch_directory {
public:
    scratch_directory() {
        std::string name = (std::filesystem::temp_directory_path() / "lento-test-XXXXXX").string();
        path_ = mkdtemp(name.data());
    }
    scratch_directory(scratch_directory const&) = delete;
    scratch_directory& operator=(scratch_directory const&) = delete;
    ~scratch_directory() { std::filesystem::remove_all(path_); }
    [[nodiscard]] std::filesystem::path operator/(std::string const& name) const { return path_ / name; }

private:
    std::filesystem::path path_;
};

/// Runs a command of the shell.
inline finished run_command(std::string const& command) {
    scratch_directory const scratch;
    std::string const errors = (scratch / "errors").string();
    finished result;
    FILE* pipe = popen((command + " 2>\"" + errors + "\"").c_str(), "r");
    std::array<char, 4096> buffer{};
    while (std::size_t const n = std::fread(buffer.data(), 1, buffer.size(), pipe))
        result.output.append(buffer.data(), n);
    int const status = pclose(pipe);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    result.errors = content(errors);
    return result;
}

/// Runs the program with arguments.
inline finished lento(std::string const& arguments) {
    return run_command(std::string("\"") + LENTO_PROGRAM + "\" " + arguments);
}

} // namespace lento_test
