// SPDX-License-Identifier: Apache-2.0
#include "sim/process/subprocess.hpp"

#include <cerrno>
#include <cstring>

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/base/error.hpp"

namespace ascendsim::host {

Subprocess::Subprocess(const std::vector<std::string>& arguments)
    : output_{memfd_create("output", MFD_CLOEXEC)} {
    check(output_ >= 0, "memfd_create: {}", std::strerror(errno));
    std::vector<char*> pointers;
    pointers.reserve(arguments.size() + 1);
    for (const std::string& argument : arguments) {
        pointers.push_back(const_cast<char*>(argument.c_str()));  // posix_spawn does not write
    }
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
    posix_spawn_file_actions_adddup2(&actions, output_, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output_, STDERR_FILENO);
    const int error = posix_spawnp(&pid_, pointers[0], &actions, nullptr, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        close(output_);
        throw UserError{"{} cannot be started: {}", arguments[0], std::strerror(error)};
    }
}

Subprocess::~Subprocess() {
    wait();
    close(output_);
}

int Subprocess::wait() {
    static constexpr int signalled = 128;
    if (pid_ < 0) {
        return 0;
    }
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : signalled + WTERMSIG(status);
}

std::string Subprocess::output() const {
    std::string text(static_cast<std::size_t>(lseek(output_, 0, SEEK_END)), '\0');
    const ssize_t got = pread(output_, text.data(), text.size(), 0);
    text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return text;
}

}  // namespace ascendsim::host
