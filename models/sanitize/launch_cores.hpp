// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "models/port/core_port.hpp"
#include "models/sanitize/core_state.hpp"

namespace ascendsim::sanitize {

/// How the run came to its end. In one that an error ended, flags wait because their sets never came: those
/// waits follow from the error and are no findings of their own.
enum class Ending : std::uint8_t { completed, stuck, failed };

/// The cores of a launch, and the one whose program is running.
class LaunchCores {
public:
    /// Replaces the cores by those of a launch; none is running. With `placed` they are found only once
    /// place() has said which core each is.
    void start(std::span<const isa::LaunchCore> cores, bool placed = false);
    void place(std::uint32_t member, const isa::CoreIdentity& core);
    /// Forgets all cores.
    void clear();

    /// The core with this identity, or null: it is not one of the launch.
    [[nodiscard]] CoreState* find(const isa::CoreIdentity& identity) const;

    /// The program of `core` runs from now on, and sees the machine through `port`.
    void run(const isa::CorePort& port, CoreState& core) {
        port_ = &port;
        running_ = &core;
    }

    /// No program runs until the next run().
    void leave() { port_ = nullptr; }

    /// True if the program that sees the machine through `port` is the one that is running.
    [[nodiscard]] bool runs(const isa::CorePort& port) const { return port_ == &port; }

    [[nodiscard]] CoreState& running() const { return *running_; }

    /// The global memory that accesses go to.
    void set_memory(const isa::GlobalMemory& memory) { memory_ = &memory; }

    [[nodiscard]] const isa::GlobalMemory& memory() const { return *memory_; }

    [[nodiscard]] CoreState& operator[](std::size_t number) const { return *cores_[number]; }

    [[nodiscard]] std::size_t size() const { return cores_.size(); }

    [[nodiscard]] auto begin() const { return cores_.begin(); }

    [[nodiscard]] auto end() const { return cores_.end(); }

    /// True for lines of the kernel framework's own sources.
    [[nodiscard]] bool is_framework(Site site) const { return port_ != nullptr && port_->is_framework(site); }

    /// The operation that `core` is issuing.
    [[nodiscard]] Touch touch_of(const CoreState& core, const isa::TimedOp& op) const;
    /// An operation of `core` that is not issued, or not yet.
    [[nodiscard]] static Touch touch_of(const CoreState& core, const isa::OpInfo& info, Site site, Pipe pipe);

private:
    std::vector<std::unique_ptr<CoreState>> cores_;
    std::map<std::pair<CoreKind, std::uint32_t>, std::uint16_t> number_of_;
    const isa::GlobalMemory* memory_ = nullptr;
    const isa::CorePort* port_ = nullptr;  // of running_; null: no program runs
    CoreState* running_ = nullptr;
};

}  // namespace ascendsim::sanitize
