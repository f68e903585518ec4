// SPDX-License-Identifier: Apache-2.0
#include "gui/runs/child_process.hpp"

#include <algorithm>
#include <csignal>
#include <fstream>

#include <sys/wait.h>
#include <unistd.h>

#include "sim/process/program_start.hpp"

namespace ascendsim::gui {
namespace {

constexpr std::chrono::seconds grace{1};

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& arguments,
                           const std::filesystem::path& output,
                           const std::filesystem::path& errors) {
    process::ProgramStart program;
    program.send(STDOUT_FILENO, output);
    program.send(STDERR_FILENO, errors);
    program.in_own_group();  // so that its own children end with it
    pid_ = program.start(arguments);
}

ChildProcess::~ChildProcess() {
    if (!poll()) {
        kill(-pid_, SIGKILL);
        process::wait_for(pid_);
    }
}

std::optional<int> ChildProcess::poll() {
    if (exit_) {
        return exit_;
    }
    if (cancelled_at_ && Clock::now() - *cancelled_at_ > grace) {
        kill(-pid_, SIGKILL);
    }
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
        exit_ = process::exit_code_of(status);
    }
    return exit_;
}

void ChildProcess::cancel() {
    if (!exit_ && !cancelled_at_) {
        cancelled_at_ = Clock::now();
        kill(-pid_, SIGTERM);
    }
}

std::string read_tail(const std::filesystem::path& file, std::size_t most) {
    std::ifstream stream{file, std::ios::binary | std::ios::ate};
    if (!stream) {
        return {};
    }
    const auto size = static_cast<std::size_t>(std::max<std::streamoff>(0, stream.tellg()));
    const std::size_t length = std::min(size, most);
    stream.seekg(static_cast<std::streamoff>(size - length));
    std::string text(length, '\0');
    stream.read(text.data(), static_cast<std::streamsize>(length));
    text.resize(static_cast<std::size_t>(stream.gcount()));
    return text;
}

}  // namespace ascendsim::gui
