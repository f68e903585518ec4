// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "models/node/node_spec.hpp"
#include "models/node/schedule.hpp"
#include "models/node/task_graph.hpp"

namespace ascendsim::node {

/// What a task of a host program's graph is to a change.
enum class HostRole : std::uint8_t { other, kernel_call, kernel_start, kernel, copy_to_device, wait };

struct HostTask {
    HostRole role = HostRole::other;
    std::uint32_t call = 0;
    bool blocks = false;  // a thread waits in it, or may: a captured graph ends before it
};

/// A change of a host program.
enum class HostChange : std::uint8_t {
    capture,  // kernels between two waits are one captured graph
    fuse,     // launches of one call that follow each other are one
    overlap,  // a copy to the device comes beforehand, on a stream of its own: nobody waits for it
    pin       // a copy from pageable memory comes from pinned memory
};

/// A change as it was tried, alone.
struct HostTrial {
    HostChange change{};
    std::uint32_t call = 0;  // that it is about; of capture, the first kernel's
    Picoseconds saved = 0;   // of the program
};

/// Finds what changes would save: schedules the graph of each part of a program anew with each of them.
/// Kernels take the time that they took.
class HostTrials {
public:
    /// Takes a part that has run: `tasks` are those of the graph, `pinned` what its copies from pageable
    /// memory would be from pinned memory. Parts follow each other.
    void add(const TaskGraph& graph,
             const Schedule& ran,
             const std::vector<HostTask>& tasks,
             const std::map<TaskId, Task>& pinned,
             const HostSpec& host);

    /// Those that save something, the most first; none of a program with too many tasks to try.
    [[nodiscard]] std::vector<HostTrial> result() const;

private:
    using Key = std::pair<HostChange, std::uint32_t>;

    std::map<Key, std::int64_t> saved_;
    std::optional<std::uint32_t> first_kernel_;
    std::size_t tried_ = 0;  // tasks
};

}  // namespace ascendsim::node
