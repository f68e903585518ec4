// SPDX-License-Identifier: Apache-2.0
#include "sim/process/landlock.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sim/base/error.hpp"

namespace ascendsim::process {
namespace {

// The system's header of Debian 12 ends with version 2; numbers as in Linux 6.12,
// include/uapi/linux/landlock.h.
constexpr std::uint64_t bit(unsigned number) {
    return std::uint64_t{1} << number;
}

constexpr std::uint64_t execute = bit(0);
constexpr std::uint64_t write_file = bit(1);
constexpr std::uint64_t read_file = bit(2);
constexpr std::uint64_t read_folder = bit(3);
constexpr std::uint64_t make_device = bit(6) | bit(11);  // of characters, of blocks
constexpr std::uint64_t make_socket = bit(9);
constexpr std::uint64_t truncate = bit(14);
constexpr std::uint64_t control_device = bit(15);
constexpr std::uint64_t reads = execute | read_file | read_folder;
constexpr std::uint64_t of_files = execute | write_file | read_file | truncate | control_device;

struct RulesetAttributes {
    std::uint64_t files = 0;
    std::uint64_t network = 0;
    std::uint64_t scoped = 0;
};

struct [[gnu::packed]] PathAttributes {
    std::uint64_t allowed = 0;
    std::int32_t parent = -1;
};

constexpr int network_version = 4;
constexpr int scope_version = 6;

/// All rights to files that a version knows.
std::uint64_t known(int version) {
    constexpr std::array<unsigned, 5> bits{13, 14, 15, 15, 16};  // of versions 1 to 5
    const unsigned count = bits[static_cast<std::size_t>(std::min<int>(version, bits.size())) - 1];
    return bit(count) - 1;
}

long create_ruleset(const RulesetAttributes* attributes, std::size_t size, unsigned flags) {
    return syscall(SYS_landlock_create_ruleset, attributes, size, flags);
}

}  // namespace

int Landlock::version() {
    constexpr unsigned ask_version = 1;
    const long version = create_ruleset(nullptr, 0, ask_version);
    return version > 0 ? static_cast<int>(version) : 0;
}

Landlock::Landlock(bool writes_only) {
    const int version = Landlock::version();
    check(version > 0, "Landlock is not there");
    handled_ = known(version) & (writes_only ? ~(reads | control_device) : ~std::uint64_t{0});
    const RulesetAttributes attributes{.files = handled_,
                                       .network = version >= network_version ? bit(0) | bit(1) : 0,
                                       .scoped = version >= scope_version ? bit(0) | bit(1) : 0};
    const std::size_t size = version >= scope_version     ? sizeof attributes
                             : version >= network_version ? offsetof(RulesetAttributes, scoped)
                                                          : offsetof(RulesetAttributes, network);
    rules_ = static_cast<int>(create_ruleset(&attributes, size, 0));
    check(rules_ >= 0, "landlock_create_ruleset: {}", std::strerror(errno));
}

Landlock::~Landlock() {
    close(rules_);
}

void Landlock::grant(const std::filesystem::path& place, Right right) {
    const int file = open(place.c_str(), O_PATH | O_CLOEXEC);

    struct stat is {};

    if (file < 0 || fstat(file, &is) != 0) {
        if (file >= 0) {
            close(file);
        }
        return;
    }
    std::uint64_t allowed = right == Right::read  ? read_file | read_folder
                            : right == Right::run ? reads
                                                  : ~(execute | make_device | make_socket);
    allowed &= S_ISDIR(is.st_mode) ? ~std::uint64_t{0} : of_files;
    const PathAttributes attributes{.allowed = allowed & handled_, .parent = file};
    constexpr unsigned below_path = 1;
    const long failed =
        attributes.allowed == 0 ? 0 : syscall(SYS_landlock_add_rule, rules_, below_path, &attributes, 0U);
    const int error = errno;
    close(file);
    check(failed == 0, "landlock_add_rule {}: {}", place.string(), std::strerror(error));
}

void Landlock::enforce() const {
    check(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "prctl: {}", std::strerror(errno));
    check(syscall(SYS_landlock_restrict_self, rules_, 0U) == 0,
          "landlock_restrict_self: {}",
          std::strerror(errno));
}

}  // namespace ascendsim::process
