#include "app/surroundings.hpp"

#include <cerrno>
#include <csignal>
#include <cstddef>

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>
#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

namespace lento::app {
namespace {

constexpr std::size_t enough_stack = 8U << 20U;

/// The pages of the stack that a run uses, taken while there is memory: where it has ended, a stack that grows would
/// end the program.
[[gnu::noinline]] char take_stack() {
    constexpr std::size_t usual = 256U << 10U, page = 4096;
    char volatile taken[usual];
    for (std::size_t at = 0; at < usual; at += page) taken[at] = 0;
    return taken[0];
}

struct task {
    std::function<int()> const* work = nullptr;
    int status = 0;
    static void* run(void* given) {
        auto* const self = static_cast<task*>(given);
        self->status = (*self->work)();
        return nullptr;
    }
};

} // namespace

void settle_surroundings() {
    for (int const stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (fcntl(stream, F_GETFD) < 0 && errno == EBADF)
            // the lowest number that is free is this one
            static_cast<void>(open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));
    std::signal(SIGXFSZ, SIG_IGN);
}

int with_enough_stack(std::function<int()> const& work) {
    rlimit found{};
    if (getrlimit(RLIMIT_STACK, &found) != 0 || found.rlim_cur == RLIM_INFINITY || found.rlim_cur >= enough_stack) {
        static_cast<void>(take_stack());
        return work();
    }
#ifdef M_ARENA_MAX
    mallopt(M_ARENA_MAX, 1); // one more thread, not one more heap: limits on memory count its 128 MB
#endif
    task given{&work};
    pthread_attr_t how{};
    pthread_attr_init(&how);
    pthread_t thread{};
    bool const begun =
        pthread_attr_setstacksize(&how, enough_stack) == 0 && pthread_create(&thread, &how, task::run, &given) == 0;
    pthread_attr_destroy(&how);
    if (!begun) return work();
    pthread_join(thread, nullptr);
    return given.status;
}

void limit_memory(double megabytes) {
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    auto const bytes = static_cast<rlim_t>(megabytes * 1e6);
    if (limit.rlim_cur == RLIM_INFINITY || bytes < limit.rlim_cur) limit.rlim_cur = bytes;
    setrlimit(RLIMIT_AS, &limit);
}

} // namespace lento::app
