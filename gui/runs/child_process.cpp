// SPDX-License-Identifier: Apache-2.0
#include "gui/runs/child_process.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/base/error.hpp"

namespace ascendsim::gui {
namespace {

constexpr std::chrono::seconds grace{1};

/// What a child starts with: a group of its own, so that its own children end with it, and files for output.
class SpawnSetup {
public:
    SpawnSetup(const std::filesystem::path& output, const std::filesystem::path& errors) {
        constexpr mode_t readable = 0644;
        posix_spawn_file_actions_init(&files_);
        posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_addopen(
            &files_, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, readable);
        posix_spawn_file_actions_addopen(
            &files_, STDERR_FILENO, errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, readable);
        posix_spawnattr_init(&attributes_);
        posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
        posix_spawnattr_setpgroup(&attributes_, 0);
    }

    SpawnSetup(const SpawnSetup&) = delete;
    SpawnSetup& operator=(const SpawnSetup&) = delete;

    ~SpawnSetup() {
        posix_spawn_file_actions_destroy(&files_);
        posix_spawnattr_destroy(&attributes_);
    }

    /// 0 or an error number.
    int start(pid_t& pid, const std::vector<std::string>& arguments) const {
        std::vector<char*> pointers;
        std::vector<std::string> words = arguments;
        for (std::string& word : words) {
            pointers.push_back(word.data());
        }
        pointers.push_back(nullptr);
        return posix_spawnp(&pid, pointers.front(), &files_, &attributes_, pointers.data(), environ);
    }

private:
    posix_spawn_file_actions_t files_{};
    posix_spawnattr_t attributes_{};
};

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& arguments,
                           const std::filesystem::path& output,
                           const std::filesystem::path& errors) {
    const int error = SpawnSetup{output, errors}.start(pid_, arguments);
    if (error != 0) {
        throw UserError{"{}: cannot be started: {}", arguments.front(), std::strerror(error)};
    }
}

ChildProcess::~ChildProcess() {
    if (!poll()) {
        kill(-pid_, SIGKILL);
        int status = 0;
        while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
        }
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
        constexpr int signalled = 128;
        exit_ = WIFEXITED(status) ? WEXITSTATUS(status) : signalled + WTERMSIG(status);
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
