// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/orphans.hpp"

#include <charconv>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ascendsim::runtime {
namespace {

std::vector<pid_t> processes() {
    std::vector<pid_t> found;
    std::error_code error;
    for (std::filesystem::directory_iterator at{"/proc", error}, end; !error && at != end;
         at.increment(error)) {
        const std::string name = at->path().filename().string();
        pid_t process = 0;
        const auto [rest, fault] = std::from_chars(name.data(), name.data() + name.size(), process);
        if (fault == std::errc{} && rest == name.data() + name.size()) {
            found.push_back(process);
        }
    }
    return found;
}

/// 0 if it has ended.
pid_t parent_of(pid_t process) {
    std::ifstream file{fmt::format("/proc/{}/stat", process)};
    std::string text;
    std::getline(file, text);
    const std::size_t name_end = text.rfind(')');  // a name may hold anything
    char state = 0;
    long parent = 0;
    return name_end != std::string::npos &&
                   std::sscanf(text.c_str() + name_end + 1, " %c %ld", &state, &parent) == 2
               ? static_cast<pid_t>(parent)
               : 0;
}

}  // namespace

void end_orphans(int file, const std::function<bool(pid_t)>& is_ours) {
    struct stat mine {};

    constexpr int most_generations = 8;  // each may have forked before it was ended
    bool any = fstat(file, &mine) == 0;
    for (int i = 0; any && i < most_generations; ++i) {
        any = false;
        for (const pid_t process : processes()) {
            struct stat open {};

            if (process == getpid() || is_ours(process) ||
                stat(fmt::format("/proc/{}/fd/{}", process, file).c_str(), &open) != 0 ||
                open.st_ino != mine.st_ino || open.st_dev != mine.st_dev) {
                continue;
            }
            const pid_t parent = parent_of(process);
            if (parent != 0 && parent != getpid() && !is_ours(parent)) {
                any = kill(process, SIGKILL) == 0 || any;
            }
        }
    }
}

}  // namespace ascendsim::runtime
