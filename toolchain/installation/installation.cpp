// SPDX-License-Identifier: Apache-2.0
#include "toolchain/installation/installation.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/error.hpp"
#include "sim/process/sandbox.hpp"

namespace ascendsim::toolchain {
namespace {

namespace fs = std::filesystem;

bool is_root(const fs::path& folder) {
    std::error_code ignored;
    return fs::exists(folder / "models" / "port" / "entry.hpp", ignored) &&
           fs::exists(folder / "models" / "chips", ignored);
}

}  // namespace

Installation Installation::find() {
    const fs::path program = fs::canonical("/proc/self/exe");
    const fs::path prefix = program.parent_path().parent_path();
    if (const fs::path share = prefix / "share" / "ascendsim"; is_root(share)) {
        return {.root = share, .libraries = prefix / "lib" / "ascendsim"};
    }
    for (fs::path folder = prefix; folder.has_relative_path(); folder = folder.parent_path()) {
        if (is_root(folder)) {
            return {.root = folder, .libraries = prefix / "lib"};
        }
    }
    throw UserError{
        "{}: its headers, chips and kernels are neither in {} nor in a source tree above it; install it with "
        "'cmake --install'",
        program.string(),
        (prefix / "share" / "ascendsim").string()};
}

fs::path Installation::kernel_source(const std::string& kernel) const {
    if (fs::path{kernel}.filename() != kernel) {  // a path, which would lead out of the folder
        return {};
    }
    std::error_code missing;
    for (const fs::directory_entry& family : fs::directory_iterator{root / "kernels" / "ops", missing}) {
        const fs::path source = family.path() / kernel / (kernel + ".cpp");
        if (fs::is_regular_file(source, missing)) {
            return source;
        }
    }
    return {};
}

std::vector<std::string> Installation::kernels() const {
    std::vector<std::string> names;
    std::error_code missing;
    for (const fs::directory_entry& family : fs::directory_iterator{root / "kernels" / "ops", missing}) {
        for (const fs::directory_entry& kernel : fs::directory_iterator{family.path(), missing}) {
            const std::string name = kernel.path().filename().string();
            if (fs::is_regular_file(kernel.path() / (name + ".cpp"), missing)) {
                names.push_back(name);
            }
        }
    }
    std::ranges::sort(names);
    return names;
}

namespace {

/// The place of a cache where the user has none, and the process that made it.
struct PrivatePlace {
    fs::path folder;
    pid_t owner = -1;
};

/// Made when it is first asked for, of which `why` tells; processes forked from this one share it.
const PrivatePlace& private_place(bool made, std::string_view why = {}) {
    static PrivatePlace place;  // NOLINT: as the environment, it is one for the process
    if (made && place.folder.empty()) {
        std::string name = (fs::temp_directory_path() / "ascendsim-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) {
            throw UserError{"{}: cannot be created: {}; set XDG_CACHE_HOME to a folder for what is compiled",
                            name,
                            std::strerror(errno)};
        }
        place = {.folder = name, .owner = getpid()};
        fmt::print(stderr,
                   "ascendsim: {}, so nothing that is compiled is kept; set XDG_CACHE_HOME to a folder for "
                   "it\n",
                   why);
    }
    return place;
}

/// Code is loaded from there: it has to be the user's, and the user's alone.
void check_owner(const fs::path& folder) {
    struct stat link {};

    struct stat is {};

    if (lstat(folder.c_str(), &link) != 0 || stat(folder.c_str(), &is) != 0 || !S_ISDIR(is.st_mode)) {
        return;  // whoever makes it says what is wrong
    }
    for (const uid_t owner : {link.st_uid, is.st_uid}) {
        if (owner != geteuid()) {
            throw UserError{
                "{}: belongs to user {}, not to you (user {}); compiled code is loaded from there, so it is "
                "not used; set XDG_CACHE_HOME to a folder of your own",
                folder.string(),
                owner,
                geteuid()};
        }
    }
    constexpr mode_t of_others = 0077;
    constexpr mode_t mine_alone = 0700;
    if ((is.st_mode & of_others) != 0 && chmod(folder.c_str(), mine_alone) != 0) {
        throw UserError{"{}: others may read or write it, and it cannot be closed to them: {}",
                        folder.string(),
                        std::strerror(errno)};
    }
}

/// True if files can be made in a folder, which is made if it is missing: only that tells of a read-only
/// file system, or of one that takes no folders, as /proc. True of one that is not the user's, too.
bool takes_files(const fs::path& folder) {
    struct stat is {};

    if (stat(folder.c_str(), &is) != 0) {
        constexpr mode_t mine_alone = 0700;
        std::error_code error;
        fs::create_directories(folder.parent_path(), error);
        return (mkdir(folder.c_str(), mine_alone) == 0 || errno == EEXIST) && fs::is_directory(folder, error);
    }
    return is.st_uid != geteuid() || (S_ISDIR(is.st_mode) && access(folder.c_str(), W_OK | X_OK) == 0);
}

fs::path cache_place() {
    std::string why = "HOME is not set";
    if (const char* folder = std::getenv("XDG_CACHE_HOME"); folder != nullptr && *folder == '/') {
        fs::path place = fs::path{folder} / "ascendsim";
        if (takes_files(place)) {
            return place;
        }
        why = fmt::format("{} cannot be written", place.string());
    } else if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
        fs::path place = fs::path{home} / ".cache" / "ascendsim";
        if (access(home, W_OK) == 0 && takes_files(place)) {  // root could make any home
            return place;
        }
        why = fmt::format("{} cannot be written", place.string());
    }
    return private_place(true, why).folder / "ascendsim";
}

}  // namespace

fs::path cache_folder() {
    const fs::path folder = cache_place();
    if (process::in_sandbox()) {
        return folder / "sandbox";
    }
    check_owner(folder);
    return folder;
}

bool has_private_cache() {
    return !private_place(false).folder.empty();
}

void remove_private_cache() {
    const PrivatePlace& place = private_place(false);
    if (place.owner == getpid()) {
        std::error_code gone;
        fs::remove_all(place.folder, gone);
    }
}

}  // namespace ascendsim::toolchain
