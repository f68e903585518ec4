// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/advice/queue_depth.hpp"

#include <cstdint>
#include <utility>

namespace ascendsim::analysis {

namespace {

/// The buffers of one queue on one core, as far as they count.
struct QueueDepth {
    std::uint32_t offset = 0;  // of the first buffer seen
    bool several = false;
};

/// By line and core.
using QueuesOfPipe = std::map<std::pair<std::uint32_t, std::uint32_t>, QueueDepth>;

}  // namespace

QueueDepths::QueueDepths(const record::Recording& recording) {
    // A queue is known by the line that takes its buffers ("VECIN, mte2" from there on), and on each core by
    // itself.
    std::map<std::string, QueuesOfPipe, std::less<>> all;
    std::map<std::uint32_t, QueuesOfPipe*> by_label;  // null: of no queue
    for (const record::Buffer& buffer : recording.buffers()) {
        auto known = by_label.find(buffer.label);
        if (known == by_label.end()) {
            const std::string_view label = recording.name(buffer.label);
            const std::size_t comma = label.find(", ");
            QueuesOfPipe* const queues =
                comma == std::string_view::npos ? nullptr : &all[std::string{label.substr(comma + 2)}];
            known = by_label.emplace(buffer.label, queues).first;
        }
        if (known->second != nullptr) {
            const auto [queue, first] = known->second->try_emplace({buffer.site, buffer.core_index},
                                                                   QueueDepth{.offset = buffer.offset});
            queue->second.several = queue->second.several || queue->second.offset != buffer.offset;
        }
    }
    for (const auto& [pipe, queues] : all) {
        std::map<std::uint32_t, bool> several;  // by line, on any core
        for (const auto& [queue, depth] : queues) {
            several[queue.first] = several[queue.first] || depth.several;
        }
        bool& all_several = double_.emplace(pipe, true).first->second;
        for (const auto& [site, two] : several) {
            all_several = all_several && two;
        }
    }
}

bool QueueDepths::has_double_buffers(std::string_view pipe) const {
    const auto found = double_.find(pipe);
    return found != double_.end() && found->second;
}

}  // namespace ascendsim::analysis
