// SPDX-License-Identifier: Apache-2.0
#include "sim/process/temporary_folder.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/base/error.hpp"

namespace ascendsim::process {
namespace {

namespace fs = std::filesystem;

constexpr const char* prefix = "ascendsim-";
constexpr const char* lock_name = ".lock";
constexpr std::size_t most_folders = 8;  // of a process at a time that a signal takes along
constexpr std::size_t longest_name = 512;

/// Folders of this process, for the handler of signals: a name that begins with 0 is none.
struct Left {
    std::atomic<pid_t> owner{0};
    std::array<std::array<char, longest_name>, most_folders> names{};
};

// A handler can reach nothing else.
Left left;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): see above

/// Calls nothing but what may be called in a handler of signals.
void delete_folders_and_end(int signal) {
    if (left.owner == getpid()) {
        for (const std::array<char, longest_name>& name : left.names) {
            const pid_t child = name[0] == '\0' ? -1 : fork();
            if (child == 0) {
                execl("/bin/rm", "rm", "-rf", name.data(), nullptr);
                _exit(1);
            }
            if (child > 0) {
                waitpid(child, nullptr, 0);
            }
        }
    }
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

/// Whoever handles these signals already does so still; so does a process that ignores them.
void handle_signals() {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction now {};

        if (sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_DFL) {
            now.sa_handler = delete_folders_and_end;
            now.sa_flags = SA_NODEFER;
            sigemptyset(&now.sa_mask);
            sigaction(signal, &now, nullptr);
        }
    }
}

void note(const std::string& name) {
    if (left.owner.exchange(getpid()) != getpid()) {
        left.names = {};
        handle_signals();
    }
    for (std::array<char, longest_name>& place : left.names) {
        if (place[0] == '\0' && name.size() < place.size()) {
            std::memcpy(place.data(), name.data(), name.size());
            return;
        }
    }
}

void forget(const std::string& name) {
    for (std::array<char, longest_name>& place : left.names) {
        if (name == place.data()) {
            place = {};
        }
    }
}

int locked(const fs::path& folder) {
    const int file = open((folder / lock_name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0) {
        close(file);
        return -1;
    }
    return file;
}

/// Folders of ours whose processes were killed.
void delete_left_over(const fs::path& temporary) {
    std::error_code gone;
    for (const fs::directory_entry& entry : fs::directory_iterator{temporary, gone}) {
        struct stat is {};

        const bool ours = entry.path().filename().string().starts_with(prefix) &&
                          lstat(entry.path().c_str(), &is) == 0 && S_ISDIR(is.st_mode) &&
                          is.st_uid == getuid() && fs::exists(entry.path() / lock_name, gone);
        if (const int lock = ours ? locked(entry.path()) : -1; lock >= 0) {
            fs::remove_all(entry.path(), gone);
            close(lock);
        }
    }
}

}  // namespace

TemporaryFolder::TemporaryFolder() : owner_{getpid()} {
    const fs::path temporary = fs::temp_directory_path();
    delete_left_over(temporary);
    std::string name = (temporary / (std::string{prefix} + "XXXXXX")).string();
    if (mkdtemp(name.data()) == nullptr) {
        throw UserError{"{}: cannot be created: {}; TMPDIR names another place for temporary files",
                        name,
                        std::strerror(errno)};
    }
    path_ = name;
    lock_ = locked(path_);
    note(name);
}

TemporaryFolder::~TemporaryFolder() {
    if (owner_ == getpid()) {
        std::error_code gone;
        fs::remove_all(path_, gone);
        forget(path_.string());
    }
    if (lock_ >= 0) {
        close(lock_);
    }
}

}  // namespace ascendsim::process
