// SPDX-License-Identifier: Apache-2.0
#include "sim/process/passing_names.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <string>
#include <system_error>

#include <sys/wait.h>
#include <unistd.h>

namespace ascendsim::process {
namespace {

constexpr std::size_t most_names = 1024;  // of a process at a time: a check has a recording of each run
constexpr std::size_t longest_name = 512;

/// Names that this process leaves, for the handler of signals: one that begins with 0 is none.
struct Left {
    std::atomic<pid_t> owner{0};
    std::mutex writing;
    std::array<std::array<char, longest_name>, most_names> names{};
};

// A handler can reach nothing else.
Left left;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): see above

/// Calls nothing but what may be called in a handler of signals.
void delete_names_and_end(int signal) {
    if (left.owner == getpid()) {
        for (const std::array<char, longest_name>& name : left.names) {
            if (name[0] == '\0' || unlink(name.data()) == 0 || (errno != EISDIR && errno != EPERM)) {
                continue;
            }
            const pid_t child = fork();
            if (child == 0) {
                execl("/bin/rm", "rm", "-rf", name.data(), nullptr);
                _exit(1);
            }
            if (child > 0) {
                waitpid(child, nullptr, 0);
            }
        }
    }
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

void handle_signals() {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction now {};

        if (sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_DFL) {
            now.sa_handler = delete_names_and_end;
            now.sa_flags = SA_NODEFER;
            sigemptyset(&now.sa_mask);
            sigaction(signal, &now, nullptr);
        }
    }
}

/// The working folder may be another one when the signal comes.
std::string whole_name(const std::filesystem::path& place) {
    std::error_code lost;
    const std::filesystem::path name = std::filesystem::absolute(place, lost);
    return lost ? place.string() : name.string();
}

}  // namespace

void delete_at_signal(const std::filesystem::path& place) {
    const std::string name = whole_name(place);
    const std::lock_guard lock{left.writing};
    if (left.owner.exchange(getpid()) != getpid()) {
        left.names = {};
        handle_signals();
    }
    for (std::array<char, longest_name>& one : left.names) {
        if (one[0] == '\0' && !name.empty() && name.size() < one.size()) {
            std::memcpy(one.data() + 1, name.data() + 1, name.size() - 1);
            one[0] = name[0];  // now it is one
            return;
        }
    }
}

void keep_at_signal(const std::filesystem::path& place) {
    const std::string name = whole_name(place);
    const std::lock_guard lock{left.writing};
    for (std::array<char, longest_name>& one : left.names) {
        if (name == one.data()) {
            one = {};
        }
    }
}

}  // namespace ascendsim::process
