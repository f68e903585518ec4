// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "models/port/global_memory.hpp"
#include "runtime/acl/device.hpp"
#include "runtime/front/front_streams.hpp"
#include "runtime/front/server.hpp"

namespace ascendsim::front {

/// A launch that has ended, on the device's clock.
struct DoneLaunch {
    std::string kernel;
    std::uint32_t blocks = 0;
    double start_us = 0;
    double us = 0;
    std::optional<CoreUse> cores;

    /// The profiler's word for these cores of a chip: a column of kernel_details.csv.
    [[nodiscard]] const char* task_type(const ChipSpec& chip) const;
};

/// The device of a program that runs by itself, such as Python's interpreter: global memory is shared with a
/// simulator, which runs each kernel to its end where the program launches it.
class FrontDevice final : public program::Device {
public:
    /// That of this process, made when it is first asked for. ASCENDSIM_CHIP names the chip (910b3).
    [[nodiscard]] static FrontDevice& get();

    /// Memory that kernels see too. Null if there is no room.
    [[nodiscard]] void* allocate(std::size_t bytes);
    void release(void* pointer);

    [[nodiscard]] std::size_t allocated() const { return allocated_; }

    [[nodiscard]] std::size_t peak() const { return peak_; }

    void forget_peak() { peak_ = allocated_; }

    void add(Bundle bundle);
    /// Ends all simulators, which write their reports.
    void finish();

    /// What has gone wrong in a launch of a library that defers that; empty if nothing has. Forgets it.
    [[nodiscard]] std::string take_failure();

    [[nodiscard]] const std::vector<DoneLaunch>& launches() const { return launches_; }

    /// Notes a launch that was simulated elsewhere.
    void note(std::string kernel, std::uint32_t blocks, double us, std::optional<CoreUse> cores);

    [[nodiscard]] const ChipSpec& chip() const override { return chip_; }

    [[nodiscard]] isa::GlobalMemory& memory() override { return memory_; }

    void host_wrote(std::uint64_t /*offset*/, std::uint64_t /*bytes*/) override {}

    void host_forgot(std::uint64_t offset, std::uint64_t bytes) override;

    void host_reads(std::uint64_t /*offset*/, std::uint64_t /*bytes*/) override {}

    void launch(const program::LaunchRequest& request) override;

    [[nodiscard]] FrontStreams& streams() override { return streams_; }

    [[nodiscard]] program::HostThreads& threads() override { return threads_; }

    [[noreturn]] void end_program(int code) override;

    [[nodiscard]] bool on_host_thread() const override { return true; }

private:
    FrontDevice();

    [[nodiscard]] const Bundle& bundle_of(const program::LaunchRequest& request) const;
    void run(const Bundle& bundle, const program::LaunchRequest& request);

    /// A simulator, and what it knows of the memory.
    struct Running {
        std::unique_ptr<Server> server;
        std::map<std::uint64_t, std::uint64_t> known;  // offset and bytes
    };

    [[nodiscard]] std::vector<SharedBlock> news_for(Running& running) const;

    std::string chip_name_;
    ChipSpec chip_;
    isa::GlobalMemory memory_;
    int file_ = -1;  // behind the memory
    FrontStreams streams_;
    FrontThreads threads_;
    std::vector<std::unique_ptr<Bundle>> bundles_;
    std::map<const Bundle*, Running> running_;
    std::string failure_;
    std::vector<DoneLaunch> launches_;
    std::size_t allocated_ = 0;
    std::size_t peak_ = 0;
    mutable std::recursive_mutex lock_;
};

}  // namespace ascendsim::front
