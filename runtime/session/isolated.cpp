// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/isolated.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <map>

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" {  // the C library's header of Debian 12 does not say so itself
#include <sys/pidfd.h>
}

#include "runtime/session/session.hpp"
#include "sim/base/error.hpp"
#include "sim/process/memory_file.hpp"
#include "sim/process/program_start.hpp"

namespace ascendsim::runtime {
namespace {

using nlohmann::ordered_json;

void write_all(int file, const std::string& text) {
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t count = write(file, text.data() + done, text.size() - done);
        if (count <= 0 && errno != EINTR) {
            return;
        }
        done += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
}

[[noreturn]] void child(const std::function<ordered_json()>& work, int file, pid_t parent) {
    // Whoever ends the study ends its simulations.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(1);
    }
    ordered_json answer;
    try {
        answer = {{"exit", 0}, {"error", ""}, {"value", work()}};
    } catch (...) {
        const std::exception_ptr failure = std::current_exception();
        answer = {{"exit", exit_code(failure)}, {"error", message(failure)}, {"value", nullptr}};
    }
    write_all(file, answer.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
    std::fflush(stdout);
    std::fflush(stderr);
    _exit(0);
}

IsolatedResult ended_by(int status) {
    constexpr int ours = 4;
    constexpr int program = 3;
    if (!WIFSIGNALED(status)) {
        return {.exit = ours, .error = "the simulation ended without a result", .value = {}};
    }
    const int signal = WTERMSIG(status);
    if (signal == SIGKILL) {
        return {.exit = program,
                .error = "the system killed the simulation; it may have run out of memory",
                .signal = signal,
                .value = {}};
    }
    return {.exit = program,
            .error = std::string{"the simulation was ended by: "} + strsignal(signal),
            .signal = signal,
            .value = {}};
}

/// A process that is doing its work.
class Child {
public:
    explicit Child(const std::function<ordered_json()>& work) {
        std::fflush(stdout);
        std::fflush(stderr);
        const pid_t parent = getpid();
        process_ = fork();
        check(process_ >= 0, "fork: {}", std::strerror(errno));
        if (process_ == 0) {
            child(work, answer_.descriptor(), parent);
        }
        watch_ = pidfd_open(process_, 0);
        check(watch_ >= 0, "pidfd_open: {}", std::strerror(errno));
    }

    /// A descriptor that can be read once the process has ended.
    [[nodiscard]] int watch() const { return watch_; }

    /// Waits for the end. To be called once.
    [[nodiscard]] IsolatedResult result() const {
        const int status = process::wait_for(process_);
        close(watch_);
        ordered_json answer = ordered_json::parse(answer_.text(), nullptr, false);
        if (answer.is_discarded() || !answer.is_object()) {
            return ended_by(status);
        }
        return {.exit = answer["exit"], .error = answer["error"], .value = std::move(answer["value"])};
    }

private:
    process::MemoryFile answer_;
    int watch_ = -1;
    pid_t process_ = -1;
};

/// The numbers of those that have ended; waits until there is one.
std::vector<std::size_t> ended_of(const std::map<std::size_t, Child>& running) {
    std::vector<pollfd> watched;
    for (const auto& [number, process] : running) {
        watched.push_back({.fd = process.watch(), .events = POLLIN, .revents = 0});
    }
    while (poll(watched.data(), watched.size(), -1) < 0 && errno == EINTR) {
    }
    std::vector<std::size_t> ended;
    auto watch = watched.begin();
    for (const auto& [number, process] : running) {
        if ((watch++)->revents != 0) {
            ended.push_back(number);
        }
    }
    return ended;
}

}  // namespace

IsolatedResult run_isolated(const std::function<ordered_json()>& work) {
    return Child{work}.result();
}

std::vector<IsolatedResult> run_isolated(const std::vector<std::function<ordered_json()>>& works,
                                         std::size_t jobs,
                                         const std::function<void(std::size_t)>& ended) {
    std::vector<IsolatedResult> results(works.size());
    std::map<std::size_t, Child> running;
    for (std::size_t next = 0; next < works.size() || !running.empty();) {
        while (next < works.size() && running.size() < std::max<std::size_t>(1, jobs)) {
            running.try_emplace(next, works[next]);
            ++next;
        }
        for (const std::size_t number : ended_of(running)) {
            results[number] = running.at(number).result();
            running.erase(number);
            if (ended) {
                ended(number);
            }
        }
    }
    return results;
}

}  // namespace ascendsim::runtime
