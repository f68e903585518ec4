// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "models/core/machine.hpp"
#include "models/node/host_timeline.hpp"
#include "models/sanitize/launch_checkers.hpp"
#include "runtime/acl/streams.hpp"

namespace ascendsim::runtime {

/// The simulated chips that do the kernels of a host program, one after the other or side by side.
///
/// Time of the program and cycles of a chip: while kernels are under way both go on together; while there
/// are none, the chips' time stands still. So a program whose kernels never meet has them back to back in its
/// recording, whatever its host does between them.
class ProgramDevices final : public node::KernelRunner {
public:
    explicit ProgramDevices(const ChipSpec& chip) : chip_{chip} {}

    /// `machines`, by device, do what comes from now on, and `checker`, which may be null, holds works of
    /// different streams against each other. They must outlive this.
    void run_on(std::vector<Machine*> machines, sanitize::LaunchCheckers* checker) {
        machines_ = std::move(machines);
        checker_ = checker;
    }

    /// Runs a launch to its end, with nothing beside it, and says what it takes of the device. It is `work`
    /// of a stream, to be held against what others touch.
    node::KernelLoad execute(std::uint32_t device, const Launch& launch, sanitize::StreamWork work);
    /// Takes a launch that start() will name by the number returned.
    std::uint64_t add(std::uint32_t device, Launch launch, sanitize::StreamWork work);
    /// A copy of a stream, or of a host thread.
    void note_copy(sanitize::StreamWork work,
                   const program::CallPlace& call,
                   const program::CopyRequest& request);
    /// A host thread frees `bytes` at `offset` of global memory.
    void note_free(sanitize::StreamWork work,
                   const program::CallPlace& call,
                   std::uint64_t offset,
                   std::uint64_t bytes);
    /// A rank's part of a collective.
    void note_exchange(sanitize::StreamWork work,
                       const program::CallPlace& call,
                       const program::ExchangePart& part);

    /// A kernel that is under way asks for something at `cycle`: `what` happens when the time has come to it.
    void at_cycle(std::uint64_t cycle, std::function<void(node::Picoseconds now)> what);
    /// The cycle of a time while kernels are under way.
    [[nodiscard]] std::uint64_t cycle_of(node::Picoseconds time) const;

    /// What kernels of a device wait for has gone on.
    void exchange_moved(std::uint32_t device) { machine_of(device).exchange_moved(); }

    [[nodiscard]] const std::vector<Machine*>& machines() const { return machines_; }

    void start(std::uint64_t kernel, node::Picoseconds now) override;

    [[nodiscard]] bool busy() const override { return !under_way_.empty(); }

    std::vector<Ended> go_on(std::optional<node::Picoseconds> until) override;

    [[nodiscard]] std::uint64_t launched() const { return launched_; }

    /// From which cycle on the chips' cycles lie at a time of the program.
    struct Started {
        std::uint64_t cycle = 0;
        std::optional<node::Picoseconds> at{};  // nothing: of the next kernel that execute() ran
    };

    [[nodiscard]] const std::vector<Started>& starts() const { return starts_; }

    /// In cycles: from the first launch's start to the latest end.
    [[nodiscard]] std::uint64_t first_start() const { return first_start_; }

    [[nodiscard]] std::uint64_t last_end() const { return last_end_; }

private:
    struct Waiting {
        std::uint32_t device;
        Launch launch;
        sanitize::StreamWork work;
    };

    struct UnderWay {
        std::uint64_t kernel;
        std::uint32_t device;
        Machine::Ticket ticket;
        bool beside;
    };

    [[nodiscard]] Machine& machine_of(std::uint32_t device) const;

    void note(const LaunchOutcome& outcome);
    void note_accesses(sanitize::StreamWork work,
                       const program::CallPlace& call,
                       const isa::Access& read,
                       const isa::Access& written);
    [[nodiscard]] node::Picoseconds time_of(std::uint64_t cycle) const;
    std::vector<Ended> take_ended(std::optional<node::Picoseconds> until);
    std::vector<Ended> take_request(std::optional<node::Picoseconds> until);

    const ChipSpec& chip_;
    std::vector<Machine*> machines_;
    sanitize::LaunchCheckers* checker_ = nullptr;
    std::map<std::uint64_t, Waiting> waiting_;  // for start(), by number
    std::uint64_t next_ = 0;
    std::vector<UnderWay> under_way_;
    std::multimap<std::uint64_t, std::function<void(node::Picoseconds)>> requests_;  // by cycle
    node::Picoseconds base_ = 0;  // while kernels are under way: when the first of them started
    std::uint64_t base_cycle_ = 0;
    std::vector<Started> starts_;
    std::uint64_t first_start_ = 0;
    std::uint64_t last_end_ = 0;
    std::uint64_t launched_ = 0;
};

}  // namespace ascendsim::runtime
