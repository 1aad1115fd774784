#pragma once

#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string_view>

namespace lento {

/// Thrown when a result cannot be written; what() names the file and the reason.
class output_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Takes a text piece by piece.
using text_sink = std::function<void(std::string_view)>;

/// What becomes of a file of that name. One that is to be kept may have come since anybody has looked.
enum class existing_file : bool { kept, replaced };

/// Writes a file so that it is there whole or not at all: to a temporary beside it, flushed to disk, then renamed.
/// Where another file is there and is to be kept, the temporary stays, and the error says what it is called.
void write_atomically(std::filesystem::path const& file, std::string_view content);
void write_atomically(std::filesystem::path const& file, std::function<void(text_sink const&)> const& content,
                      existing_file another = existing_file::replaced);

} // namespace lento
