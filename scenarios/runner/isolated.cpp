// SPDX-License-Identifier: Apache-2.0
#include "scenarios/runner/isolated.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scenarios/runner/session.hpp"
#include "sim/base/error.hpp"

namespace ascendsim {
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

std::string read_all(int file) {
    std::string text(static_cast<std::size_t>(lseek(file, 0, SEEK_END)), '\0');
    const ssize_t count = pread(file, text.data(), text.size(), 0);
    text.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
    return text;
}

[[noreturn]] void child(const std::function<ordered_json()>& work, int file) {
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
                .value = {}};
    }
    return {.exit = program,
            .error = std::string{"the simulation was ended by: "} + strsignal(signal),
            .value = {}};
}

}  // namespace

IsolatedResult run_isolated(const std::function<ordered_json()>& work) {
    const int file = memfd_create("result", MFD_CLOEXEC);
    check(file >= 0, "memfd_create: {}", std::strerror(errno));
    std::fflush(stdout);
    std::fflush(stderr);
    const pid_t process = fork();
    check(process >= 0, "fork: {}", std::strerror(errno));
    if (process == 0) {
        child(work, file);
    }
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    const std::string text = read_all(file);
    close(file);
    ordered_json answer = ordered_json::parse(text, nullptr, false);
    if (answer.is_discarded() || !answer.is_object()) {
        return ended_by(status);
    }
    return {.exit = answer["exit"], .error = answer["error"], .value = std::move(answer["value"])};
}

}  // namespace ascendsim
