// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

#include "models/port/core_use.hpp"
#include "models/port/global_memory.hpp"
#include "models/port/timed_op.hpp"
#include "models/spec/chip_spec.hpp"
#include "runtime/acl/host_threads.hpp"
#include "runtime/acl/nn/operator_ask.hpp"
#include "runtime/acl/streams.hpp"

namespace ascendsim::program {

/// What an argument of a launch is; tells how a value of another arithmetic type becomes the one a kernel
/// takes.
enum class ArgumentKind : std::uint8_t { address, signed_integer, unsigned_integer, floating, other };

/// One argument as the host program passed it.
struct LaunchArgument {
    void* value = nullptr;
    std::uint32_t bytes = 0;
    ArgumentKind kind = ArgumentKind::other;
};

/// A launch as the host program wrote it: `text<<<blocks, …>>>(arguments)`, or by name.
struct LaunchRequest {
    const char* text = nullptr;            // the kernel as written, or its name
    const std::type_info* call = nullptr;  // null for a launch by name
    const void* kernel = nullptr;          // the host's own function, where a variable named the kernel
    std::uint32_t blocks = 0;
    const LaunchArgument* arguments = nullptr;
    std::uint32_t count = 0;
    Site site;
    std::optional<CoreUse> cores;  ///< as a unit test says with SetKernelMode; none leaves it to the kernel
    std::uint64_t tiling_key = 0;
    void* stream = nullptr;    ///< a handle; null is the default stream
    bool host_waits = false;   ///< as in a unit test, where running a kernel is a call
    StreamNumber number = {};  ///< of that stream; start_kernel() finds it
};

/// The simulated device behind the ACL calls of a host program. Times are those of the simulation.
class Device {
public:
    virtual ~Device() = default;
    [[nodiscard]] virtual const ChipSpec& chip() const = 0;
    [[nodiscard]] virtual isa::GlobalMemory& memory() = 0;
    /// The host wrote `bytes` at `offset` of global memory, or left them without content.
    virtual void host_wrote(std::uint64_t offset, std::uint64_t bytes) = 0;
    virtual void host_forgot(std::uint64_t offset, std::uint64_t bytes) = 0;
    /// The host copies `bytes` at `offset` to itself: a result.
    virtual void host_reads(std::uint64_t offset, std::uint64_t bytes) = 0;
    /// Puts a kernel on its stream. Throws UserError for a launch that cannot be; a kernel's own failure ends
    /// the program.
    virtual void launch(const LaunchRequest& request) = 0;

    /// The cores that a launch takes; none where this device does not know its kernels.
    [[nodiscard]] virtual std::optional<CoreUse> cores_of(const LaunchRequest& request) const;

    [[nodiscard]] virtual Streams& streams() = 0;
    [[nodiscard]] virtual HostThreads& threads() = 0;
    /// The host program calls exit(code) or the like: does not return.
    [[noreturn]] virtual void end_program(int code) = 0;

    /// The file that the host program would be, were it built beside its source; empty without a program.
    [[nodiscard]] virtual std::string program_file() const { return {}; }

    /// The operator that an aclnn call asks for, found, tiled and compiled. What the operator itself refuses
    /// comes back in `refusal`. Throws UserError for an operator that is not there.
    [[nodiscard]] virtual std::shared_ptr<PreparedOperator> prepare(const OperatorAsk& ask,
                                                                    std::string& refusal);

    /// The shapes that an operator's own inference gives its outputs, as prepare() finds and refuses it.
    [[nodiscard]] virtual std::vector<CallTensor> infer(const OperatorAsk& ask, std::string& refusal);

    /// The library's own code behind an aclnn function; nothing where there is none.
    [[nodiscard]] virtual OwnCode own_code(const std::string& function);

    /// False on a thread that is none of the host program's.
    [[nodiscard]] virtual bool on_host_thread() const = 0;
};

/// The device host programs talk to; null before the program starts and after it ended.
[[nodiscard]] Device* current_device();
void set_current_device(Device* device);

/// What exit and the like of simulated code do: does not return for code that runs inside the session, a
/// kernel's or its program's on the thread of main; returns for others.
using EndOfProcess = void (*)(int code);

/// Sets it for the time a session runs; null puts the C library's functions back.
void set_end_of_process(EndOfProcess end);

/// Where a launch goes that a host program makes; ends the program with a sentence if it cannot be.
void start_kernel(const LaunchRequest& request);

}  // namespace ascendsim::program
