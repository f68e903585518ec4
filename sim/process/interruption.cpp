// SPDX-License-Identifier: Apache-2.0
#include "sim/process/interruption.hpp"

#include <atomic>
#include <csignal>

#include <unistd.h>

namespace ascendsim::process {
namespace {

// A handler can reach nothing else.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): see above
std::atomic<pid_t> interruption_owner{0};
std::atomic<bool> interrupted{false};  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): likewise

struct sigaction handled_before {};  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): likewise

/// Calls nothing but what may be called in a handler of signals.
void note_or_end(int signal) {
    if (interruption_owner == getpid() && !interrupted.exchange(true)) {
        return;
    }
    if (interruption_owner == getpid()) {
        sigaction(signal, &handled_before, nullptr);
    } else {
        std::signal(signal, SIG_DFL);
    }
    std::raise(signal);
}

}  // namespace

Interruption::Interruption() {
    interrupted = false;
    interruption_owner = getpid();

    struct sigaction now {};

    now.sa_handler = note_or_end;
    now.sa_flags = SA_NODEFER;
    sigemptyset(&now.sa_mask);
    sigaction(SIGINT, &now, &handled_before);
}

Interruption::~Interruption() {
    if (interruption_owner == getpid()) {
        sigaction(SIGINT, &handled_before, nullptr);
        interruption_owner = 0;
    }
}

bool Interruption::came() {
    return interrupted;
}

}  // namespace ascendsim::process
