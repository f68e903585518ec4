// SPDX-License-Identifier: Apache-2.0
#include "sim/process/passing_names.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <system_error>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

namespace ascendsim::process {
namespace {

constexpr std::size_t most_names = 1024;  // of a process at a time: a check has a recording of each run
constexpr std::size_t longest_name = 512;

enum class Slot : std::uint8_t { open, being_written, set };

/// Names that this process leaves, for the handler of signals. Without locks: a child that is forked while a
/// thread of its parent holds one would wait for ever.
struct Left {
    std::atomic<pid_t> cleared_by{0};
    std::atomic<pid_t> owner{0};
    std::array<std::atomic<Slot>, most_names> slots{};
    std::array<std::array<char, longest_name>, most_names> names{};
};

// A handler can reach nothing else.
Left left;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): see above

/// Calls nothing but what may be called in a handler of signals.
void delete_names_and_end(int signal) {
    if (left.owner == getpid()) {
        for (std::size_t i = 0; i < most_names; ++i) {
            const std::array<char, longest_name>& name = left.names[i];
            if (left.slots[i] != Slot::set || unlink(name.data()) == 0 ||
                (errno != EISDIR && errno != EPERM)) {
                continue;
            }
            const pid_t child = _Fork();
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

/// Makes the names those of this process: a child that was forked has a copy of its parent's, which are not
/// its to delete. It is their owner only once they are gone.
void own_names() {
    const pid_t self = getpid();
    if (left.owner == self) {
        return;
    }
    if (left.cleared_by.exchange(self) == self) {  // another thread is at it
        while (left.owner != self) {
            std::this_thread::yield();
        }
        return;
    }
    for (std::atomic<Slot>& slot : left.slots) {
        slot = Slot::open;
    }
    left.owner = self;
    handle_signals();
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
    if (name.empty() || name.size() >= longest_name) {
        return;
    }
    own_names();
    for (std::size_t i = 0; i < most_names; ++i) {
        Slot open = Slot::open;
        if (left.slots[i].compare_exchange_strong(open, Slot::being_written)) {
            std::memcpy(left.names[i].data(), name.c_str(), name.size() + 1);
            left.slots[i] = Slot::set;
            return;
        }
    }
}

void keep_at_signal(const std::filesystem::path& place) {
    const std::string name = whole_name(place);
    for (std::size_t i = 0; i < most_names; ++i) {
        if (left.slots[i] == Slot::set && name == left.names[i].data()) {
            left.slots[i] = Slot::open;
        }
    }
}

}  // namespace ascendsim::process
