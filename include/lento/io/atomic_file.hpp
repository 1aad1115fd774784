#pragma once

#include <filesystem>
#include <stdexcept>
#include <string_view>

namespace lento {

/// Thrown when a result cannot be written; what() names the file and the reason.
class output_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Writes a file so that it is there whole or not at all: to a temporary beside it, flushed to disk, then renamed.
void write_atomically(std::filesystem::path const& file, std::string_view content);

} // namespace lento
