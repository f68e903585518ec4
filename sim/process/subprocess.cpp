// SPDX-License-Identifier: Apache-2.0
#include "sim/process/subprocess.hpp"

#include <unistd.h>

#include "sim/process/program_start.hpp"

namespace ascendsim::process {

Subprocess::Subprocess(const std::vector<std::string>& arguments) {
    ProgramStart program;
    program.send(STDOUT_FILENO, output_.descriptor());
    program.send(STDERR_FILENO, output_.descriptor());
    pid_ = program.start(arguments);
}

Subprocess::~Subprocess() {
    wait();
}

int Subprocess::wait() {
    if (pid_ < 0) {
        return 0;
    }
    const int status = wait_for(pid_);
    pid_ = -1;
    return exit_code_of(status);
}

}  // namespace ascendsim::process
