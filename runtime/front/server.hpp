// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "runtime/acl/device.hpp"
#include "runtime/front/packet.hpp"
#include "sim/process/memory_file.hpp"

namespace ascendsim::front {

/// The kernels of one library: what it takes to simulate them.
struct Bundle {
    std::filesystem::path file;      // a list of words for `ascendsim run`, one a line
    std::vector<std::string> names;  // of kernels that are launched by name
    const void* base = nullptr;      // of the library that brings them
    bool defers = false;             // a failure is told at the next synchronisation, as C code expects
};

/// What a simulator says of a launch that has ended.
struct LaunchAnswer {
    double us = 0;                 // on the device
    std::optional<CoreUse> cores;  // that it took
};

/// A simulator that runs the kernels of one bundle, in a process of its own, until one of them fails or the
/// program ends.
class Server {
public:
    /// Starts it. `memory` is the file behind the memory both share, `base` where it lies. Throws UserError
    /// with what the simulator said if it does not come up.
    Server(const Bundle& bundle, const std::string& chip, int memory, const std::byte* base);
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    /// Lets it write its report, and waits for that.
    ~Server();

    /// Runs a launch to its end. Throws ProgramError with the simulator's sentence if the kernel fails: then
    /// the server has gone.
    LaunchAnswer launch(const program::LaunchRequest& request, const std::vector<SharedBlock>& blocks);

private:
    [[noreturn]] void fail();
    [[nodiscard]] std::string said() const;

    int socket_ = -1;
    pid_t child_ = -1;
    process::MemoryFile messages_;  // what it says
};

/// The command line: the environment's ASCENDSIM, the one of this installation, or that in PATH.
[[nodiscard]] std::filesystem::path command_line();

}  // namespace ascendsim::front
