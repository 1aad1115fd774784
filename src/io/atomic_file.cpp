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
        if (fsync(descriptor_) != 0) fail("write");
    }
    void rename() {
        int const closing = close(descriptor_);
        descriptor_ = -1;
        if (closing != 0) fail("write");
        if (std::rename(name_.c_str(), target_.c_str()) != 0) fail("rename");
        renamed_ = true;
    }

private:
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
    temporary made(file);
    made.write(content);
    made.rename();
}

} // namespace lento
