// SPDX-License-Identifier: Apache-2.0
#include "sim/process/subprocess.hpp"

#include <csignal>
#include <cstring>
#include <utility>

#include <sys/wait.h>
#include <unistd.h>

#include "sim/base/error.hpp"
#include "sim/process/program_start.hpp"

namespace ascendsim::process {

Subprocess::Subprocess(const std::vector<std::string>& arguments) : program_{arguments.front()} {
    ProgramStart program;
    program.send(STDOUT_FILENO, output_.descriptor());
    program.send(STDERR_FILENO, output_.descriptor());
    pid_ = program.start(arguments);
}

Subprocess::~Subprocess() {
    wait();
}

int Subprocess::wait() {
    return pid_ < 0 ? 0 : exit_code_of(wait_for(std::exchange(pid_, -1)));
}

int Subprocess::finish() {
    const int status = pid_ < 0 ? 0 : wait_for(std::exchange(pid_, -1));
    if (WIFSIGNALED(status)) {
        throw UserError{"{} was ended by a signal: {}{}",
                        program_,
                        strsignal(WTERMSIG(status)),
                        WTERMSIG(status) == SIGKILL ? "; the system may have run out of memory" : ""};
    }
    return exit_code_of(status);
}

}  // namespace ascendsim::process
