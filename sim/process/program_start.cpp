// SPDX-License-Identifier: Apache-2.0
#include "sim/process/program_start.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/base/error.hpp"

namespace ascendsim::process {

ProgramStart::ProgramStart() {
    posix_spawn_file_actions_init(&files_);
    posix_spawnattr_init(&attributes_);
    posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
}

ProgramStart::~ProgramStart() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
}

void ProgramStart::send(int stream, int file) {
    posix_spawn_file_actions_adddup2(&files_, file, stream);
}

void ProgramStart::send(int stream, const std::filesystem::path& file) {
    constexpr mode_t readable = 0644;
    posix_spawn_file_actions_addopen(&files_, stream, file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, readable);
}

void ProgramStart::in_own_group() {
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes_, 0);
}

pid_t ProgramStart::start(const std::vector<std::string>& arguments) const {
    std::vector<char*> pointers;
    pointers.reserve(arguments.size() + 1);
    for (const std::string& argument : arguments) {
        pointers.push_back(const_cast<char*>(argument.c_str()));  // posix_spawn does not write
    }
    pointers.push_back(nullptr);
    pid_t started = -1;
    const int error =
        posix_spawnp(&started, pointers.front(), &files_, &attributes_, pointers.data(), environ);
    if (error != 0) {
        throw UserError{"{} cannot be started: {}", arguments.front(), std::strerror(error)};
    }
    return started;
}

int wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

int exit_code_of(int status) {
    static constexpr int signalled = 128;
    return WIFEXITED(status) ? WEXITSTATUS(status) : signalled + WTERMSIG(status);
}

}  // namespace ascendsim::process
