// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/node/host_timeline.hpp"
#include "models/port/exchange_port.hpp"
#include "runtime/acl/meetings.hpp"
#include "runtime/session/program/program_devices.hpp"

namespace ascendsim::runtime {

/// Collectives that kernels ask for while they run. Each rank has a communication server, which does the
/// rounds of its tasks in the order in which they were prepared, each once the kernel has committed it. The
/// n-th rounds of all ranks of a communicator meet; their time is that of the node's collectives, and the
/// data move when it has passed.
class KernelExchanges {
public:
    /// Both must outlive this. `functional`: data move.
    KernelExchanges(node::HostTimeline& timeline, ProgramDevices& devices);
    KernelExchanges(const KernelExchanges&) = delete;
    KernelExchanges& operator=(const KernelExchanges&) = delete;
    ~KernelExchanges();

    /// What comes of data; called once for each rank's receive buffer that was written.
    using Written = std::function<void(std::uint64_t offset, std::uint64_t bytes)>;

    /// From now on kernels of these devices are served. `functional`: data move; then `written` tells where.
    void serve(bool functional, Written written);

    /// `context`, in global memory, stands for this rank. Its server's work is in `stream`.
    void expose(program::GroupNumber group,
                isa::ExchangeRank number,
                std::uint32_t device,
                node::StreamId stream,
                std::byte* context);
    /// The context of a rank; null if it has none.
    [[nodiscard]] std::byte* context_of(program::GroupNumber group, std::uint32_t rank) const;

    /// What kernels have prepared and nobody has done, as a sentence; empty if nothing.
    [[nodiscard]] std::string left() const;

private:
    class Server;

    struct Task {
        isa::KernelExchange what;
        std::string agreed;                    // the same of all ranks
        node::HostCall call;                   // for the timeline
        std::uint32_t committed = 0;           // rounds, as programs come to it
        std::uint32_t arrived = 0;             // of these, as time does
        std::vector<std::uint64_t> ends = {};  // cycles, of the rounds that are over
    };

    struct Rank {
        isa::ExchangeRank number;
        std::uint32_t device = 0;
        node::StreamId stream{};
        std::byte* context = nullptr;
        std::deque<Task> tasks = {};   // of all launches
        std::uint32_t first_task = 0;  // of the present one
        bool finalised = false;        // it prepares nothing more
        std::uint32_t next_task = 0;   // whose round comes next
        std::uint32_t next_round = 0;  // of it
        std::uint64_t turns = 0;       // rounds that have come to their meeting
    };

    /// A round of all ranks.
    struct Seat {
        std::uint32_t task = 0;
        std::uint32_t round = 0;
        node::HostTimeline::Point arrived;
    };

    struct Group {
        std::vector<std::unique_ptr<Rank>> ranks;                            // null: without a context
        std::map<std::uint64_t, std::vector<std::optional<Seat>>> meetings;  // by turn
    };

    [[nodiscard]] static Task task_of(const isa::KernelExchange& what, const char* call, Site site);
    [[nodiscard]] Rank* find(std::uint32_t device, const std::byte* context) const;
    void commit(Rank& rank, std::uint32_t task, std::uint64_t cycle);
    void arrive(Rank& rank);
    void meet(Group& group, Rank& rank);
    void conclude(const Group& group, const std::vector<std::optional<Seat>>& seats);
    void end(Rank& rank, std::uint32_t task, node::Picoseconds now);
    void move(const Group& group, const std::vector<Seat>& seats) const;
    [[nodiscard]] Group& group_of(const Rank& rank);
    [[nodiscard]] std::string why_not(const Rank& rank, std::uint32_t task, std::uint32_t round) const;

    node::HostTimeline& timeline_;
    ProgramDevices& devices_;
    bool functional_ = true;
    Written written_;
    std::map<program::GroupNumber, Group> groups_;
    std::map<const Rank*, program::GroupNumber> group_of_;
    std::vector<std::unique_ptr<Server>> servers_;  // by device
};

}  // namespace ascendsim::runtime
