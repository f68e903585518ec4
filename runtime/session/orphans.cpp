// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/orphans.hpp"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "sim/process/program_start.hpp"

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

std::vector<pid_t> children() {
    std::vector<pid_t> found = processes();
    std::erase_if(found, [](pid_t process) { return parent_of(process) != getpid(); });
    return found;
}

}  // namespace

OrphanCare::OrphanCare() : before_{children()} {
    prctl(PR_GET_CHILD_SUBREAPER, &cared_, 0, 0, 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

OrphanCare::~OrphanCare() {
    end_orphans();
    prctl(PR_SET_CHILD_SUBREAPER, cared_, 0, 0, 0);
}

void OrphanCare::end_orphans(const std::function<bool(pid_t)>& is_ours) const {
    constexpr int most_generations = 100;  // the end of one makes its children ours
    bool any = true;
    for (int i = 0; any && i < most_generations; ++i) {
        any = false;
        for (const pid_t process : children()) {
            if ((!is_ours || !is_ours(process)) && std::ranges::find(before_, process) == before_.end() &&
                kill(process, SIGKILL) == 0) {
                process::wait_for(process);
                any = true;
            }
        }
    }
}

}  // namespace ascendsim::runtime
