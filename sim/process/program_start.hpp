// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <spawn.h>
#include <sys/types.h>

namespace ascendsim::process {

/// How a program is started: with an empty input, and the other streams where they are sent.
class ProgramStart {
public:
    ProgramStart();
    ProgramStart(const ProgramStart&) = delete;
    ProgramStart& operator=(const ProgramStart&) = delete;
    ~ProgramStart();

    /// Sends a stream, such as STDERR_FILENO, to an open file.
    void send(int stream, int file);
    /// Sends a stream to a file that is made anew.
    void send(int stream, const std::filesystem::path& file);
    /// Puts the program into a process group of its own, so that its children can be ended with it.
    void in_own_group();

    /// Starts `arguments[0]`, looked up in PATH. Throws UserError if it cannot be started.
    [[nodiscard]] pid_t start(const std::vector<std::string>& arguments) const;

private:
    posix_spawn_file_actions_t files_{};
    posix_spawnattr_t attributes_{};
};

/// Waits until a child process has ended; its status, as waitpid tells it.
int wait_for(pid_t child);

/// The exit code in a status; 128 + signal if a signal ended the process.
[[nodiscard]] int exit_code_of(int status);

}  // namespace ascendsim::process
