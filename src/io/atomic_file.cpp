#include <lento/io/atomic_file.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lento {
namespace {

/// A temporary file that is gone again unless it was renamed to its place.
class temporary {
public:
    explicit temporary(std::filesystem::path target) : target_(std::move(target)) {
        // not mkstemp, whose files are for their owner alone: who may read results the user's umask says
        constexpr mode_t all_that_umask_leaves = 0666;
        std::string const stem = target_.string() + "." + std::to_string(getpid()) + ".";
        for (int number = 0; descriptor_ < 0; ++number) {
            name_ = stem + std::to_string(number);
            descriptor_ = open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, all_that_umask_leaves);
            if (descriptor_ < 0 && errno != EEXIST && errno != EINTR) fail("create");
        }
    }
    temporary(temporary const&) = delete;
    temporary& operator=(temporary const&) = delete;
    ~temporary() {
        if (descriptor_ >= 0) close(descriptor_);
        if (!renamed_) unlink(name_.c_str());
    }

    void write(std::string_view content) {
        while (!content.empty()) {
            ssize_t const written = ::write(descriptor_, content.data(), content.size());
            if (written < 0 && errno == EINTR) continue;
            if (written <= 0) fail("write");
            content.remove_prefix(static_cast<std::size_t>(written));
        }
    }
    void rename(existing_file another) {
        bool const flushed = fsync(descriptor_) == 0;
        if (!flushed) fail("write");
        int const closing = close(descriptor_);
        descriptor_ = -1;
        if (closing != 0) fail("write");
        if (another == existing_file::kept && link_to_place()) return;
        if (std::rename(name_.c_str(), target_.c_str()) != 0) fail("rename");
        renamed_ = true;
    }

private:
    /// Unlike renaming, linking does not replace. False on a file system that knows no links.
    bool link_to_place() {
        if (link(name_.c_str(), target_.c_str()) == 0) return true;
        bool const unknown = errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS || errno == EMLINK;
        if (unknown && access(target_.c_str(), F_OK) != 0) return false;
        if (!unknown && errno != EEXIST) fail("rename");
        renamed_ = true; // hours of a run may be in it
        throw output_error(target_.string() +
                           " has come into being meanwhile and is kept; what was to be written there "
                           "is in " +
                           name_);
    }
    [[noreturn]] void fail(char const* action) const {
        std::string const reason = std::strerror(errno);
        throw output_error("cannot " + std::string(action) + " " + target_.string() + ": " + reason);
    }

    std::filesystem::path target_;
    std::string name_;
    int descriptor_ = -1;
    bool renamed_ = false;
};

} // namespace

void write_atomically(std::filesystem::path const& file, std::string_view content) {
    write_atomically(file, [content](text_sink const& to) { to(content); });
}

void write_atomically(std::filesystem::path const& file, std::function<void(text_sink const&)> const& content,
                      existing_file another) {
    temporary made(file);
    content([&](std::string_view piece) { made.write(piece); });
    made.rename(another);
}

} // namespace lento
