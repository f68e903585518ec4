// SPDX-License-Identifier: Apache-2.0
#include "sim/process/temporary_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/error.hpp"
#include "sim/process/passing_names.hpp"

namespace ascendsim::process {
namespace {

namespace fs = std::filesystem;

constexpr const char* prefix = "ascendsim-";
constexpr const char* lock_name = ".lock";

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
    delete_at_signal(path_);
}

TemporaryFolder::~TemporaryFolder() {
    if (owner_ == getpid()) {
        std::error_code gone;
        fs::remove_all(path_, gone);
        keep_at_signal(path_);
    }
    if (lock_ >= 0) {
        close(lock_);
    }
}

}  // namespace ascendsim::process
