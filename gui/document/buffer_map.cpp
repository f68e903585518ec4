// SPDX-License-Identifier: Apache-2.0
#include "gui/document/buffer_map.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "models/port/pipe.hpp"

namespace ascendsim::gui {
namespace {

constexpr std::array shown_memories{Memory::ub, Memory::l1, Memory::l0a, Memory::l0b, Memory::l0c};

using SlotKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // offset, bytes, label or lane

/// "VECIN, mte2" names a position of the kernel framework and the pipe that has the buffer.
std::pair<std::string, std::string> position_and_pipe(std::string_view label) {
    const std::size_t comma = label.find(", ");
    return comma == std::string_view::npos
               ? std::pair{std::string{label}, std::string{}}
               : std::pair{std::string{label.substr(0, comma)}, std::string{label.substr(comma + 2)}};
}

/// Where a part is taken for the first time; the queue behind it has one such place.
std::uint64_t place_of(const std::vector<BufferSlot>& slots, std::uint32_t offset, const std::string& name) {
    std::uint64_t place = 0;
    std::uint64_t earliest = ~std::uint64_t{0};
    for (const BufferSlot& slot : slots) {
        if (slot.offset == offset && slot.name == name && slot.stretches.front().from < earliest) {
            earliest = slot.stretches.front().from;
            place = slot.stretches.front().index;
        }
    }
    return place;
}

/// Buffers of one position, size and source place take turns: the lowest is ping, the next pong; more are
/// counted.
void name_turns(MemoryMap& map) {
    using Queue = std::tuple<std::string, std::uint32_t, std::uint64_t>;
    std::map<Queue, std::set<std::uint32_t>> places;
    std::vector<Queue> queues;
    for (const BufferSlot& slot : map.held) {
        queues.emplace_back(slot.name, slot.bytes, place_of(map.held, slot.offset, slot.name));
        places[queues.back()].insert(slot.offset);
    }
    for (std::size_t n = 0; n < map.held.size(); ++n) {
        BufferSlot& slot = map.held[n];
        const std::set<std::uint32_t>& turns = places.at(queues[n]);
        const auto turn = std::distance(turns.begin(), turns.find(slot.offset));
        if (turns.size() == 2) {
            slot.name += turn == 0 ? " ping" : " pong";
        } else if (turns.size() > 2) {
            slot.name += fmt::format(" {} of {}", turn + 1, turns.size());
        }
    }
}

/// The most bytes held at the same time.
std::uint64_t peak_of(const std::vector<BufferSlot>& slots) {
    std::map<std::uint64_t, std::int64_t> changes;
    for (const BufferSlot& slot : slots) {
        for (const BufferStretch& stretch : slot.stretches) {
            changes[stretch.from] += slot.bytes;
            changes[stretch.to] -= slot.bytes;
        }
    }
    std::int64_t held = 0;
    std::int64_t most = 0;
    for (const auto& [cycle, change] : changes) {
        held += change;
        most = std::max(most, held);
    }
    return static_cast<std::uint64_t>(most);
}

class Builder {
public:
    Builder(const Run& run, const CoreLanes& core) : run_{run} {
        for (const record::Buffer& buffer : run.recording().buffers()) {
            if (buffer.core_index == core.core_index && buffer.memory < memory_count) {
                add_life(buffer);
            }
        }
        for (const std::uint32_t lane : core.lanes) {
            add_lane(lane);
        }
    }

    std::vector<MemoryMap> finish() {
        std::vector<MemoryMap> maps;
        for (const Memory memory : shown_memories) {
            Part& part = parts_[index(memory)];
            MemoryMap map{.memory = index(memory)};
            map.size = static_cast<std::uint64_t>(
                run_.chip().number(fmt::format("buffers.{}", memory_names[index(memory)]), 0));
            for (auto& [key, slot] : part.held) {
                std::ranges::sort(slot.stretches, {}, &BufferStretch::from);
                slot.add_up();
                map.held.push_back(std::move(slot));
            }
            for (auto& [key, slot] : part.worked) {
                slot.add_up();
                map.worked.push_back(std::move(slot));
            }
            for (const auto* slots : {&map.held, &map.worked}) {
                for (const BufferSlot& slot : *slots) {
                    map.reach = std::max(map.reach, std::uint64_t{slot.offset} + slot.bytes);
                }
            }
            if (map.reach > 0) {
                map.peak = peak_of(map.held);
                name_turns(map);
                maps.push_back(std::move(map));
            }
        }
        return maps;
    }

private:
    struct Part {
        std::map<SlotKey, BufferSlot> held;
        std::map<SlotKey, BufferSlot> worked;
    };

    void add_life(const record::Buffer& buffer) {
        BufferSlot& slot = parts_[buffer.memory].held[{buffer.offset, buffer.bytes, buffer.label}];
        if (slot.stretches.empty()) {
            slot.offset = buffer.offset;
            slot.bytes = buffer.bytes;
            std::tie(slot.name, slot.pipe) = position_and_pipe(run_.recording().name(buffer.label));
        }
        const std::uint64_t to = buffer.to == 0 ? run_.recording().cycles() : buffer.to;
        // A life noted while it lasted is noted again with its end.
        if (!slot.stretches.empty() && slot.stretches.back().from == buffer.from) {
            slot.stretches.back().to = to;
        } else {
            slot.stretches.push_back({buffer.from, to, buffer.site});
        }
    }

    void add_lane(std::uint32_t number) {
        const record::Lane& lane = run_.recording().lane(number);
        BufferSlot* last = nullptr;
        for (std::size_t i = 0; i < lane.size(); ++i) {
            if (lane.memory[i] >= memory_count || lane.bytes[i] == 0 ||
                lane.reason[i] != record::Reason::none) {
                continue;
            }
            std::map<SlotKey, BufferSlot>& slots = parts_[lane.memory[i]].worked;
            last = &slots[{lane.offset[i], lane.bytes[i], number}];
            if (last->stretches.empty()) {
                last->offset = lane.offset[i];
                last->bytes = lane.bytes[i];
                last->lane = number;
                last->pipe = lane.path.pipe();
            }
            last->stretches.push_back({lane.start[i], std::max(lane.complete[i], lane.end[i]), i});
        }
    }

    const Run& run_;
    std::array<Part, memory_count> parts_;
};

}  // namespace

void BufferSlot::add_up() {
    covers.clear();
    covers.reserve(stretches.size() + 1);
    std::uint64_t until = 0;
    std::uint64_t sum = 0;
    for (const BufferStretch& stretch : stretches) {
        const std::uint64_t from = std::max(stretch.from, until);
        covers.emplace_back(from, sum);
        until = std::max(until, stretch.to);
        sum += until - std::min(from, until);
    }
    covers.emplace_back(until, sum);
}

std::size_t BufferSlot::first_from(double cycle, std::size_t known) const {
    const auto begins_before = [&](std::size_t i) {
        return i < stretches.size() && static_cast<double>(stretches[i].from) < cycle;
    };
    std::size_t step = 1;
    while (begins_before(known + step - 1)) {
        known += step;
        step *= 2;
    }
    const auto from = stretches.begin() + static_cast<std::ptrdiff_t>(known);
    const auto to =
        stretches.begin() + static_cast<std::ptrdiff_t>(std::min(known + step - 1, stretches.size()));
    const auto found = std::ranges::partition_point(
        from, to, [&](const BufferStretch& stretch) { return static_cast<double>(stretch.from) < cycle; });
    return static_cast<std::size_t>(found - stretches.begin());
}

double BufferSlot::covered_before(double cycle, std::size_t behind) const {
    if (behind == 0) {
        return 0;
    }
    const auto& [from, sum] = covers[behind - 1];
    // An earlier stretch may last beyond `cycle`: then all from there to `from` is covered.
    return std::min(static_cast<double>(sum) + cycle - static_cast<double>(from),
                    static_cast<double>(covers[behind].second));
}

std::uint64_t MemoryMap::shown() const {
    return std::max<std::uint64_t>(1,
                                   overflows() ? reach
                                   : size > 0  ? std::min(size, reach + reach / 8)
                                               : reach);
}

std::vector<MemoryMap> buffer_map_of(const Run& run, const CoreLanes& core) {
    return Builder{run, core}.finish();
}

std::optional<Pick> first_use(const Run& run,
                              const MemoryMap& map,
                              const BufferSlot& slot,
                              const BufferStretch& stretch) {
    std::optional<Pick> first;
    for (const BufferSlot& worked : map.worked) {
        const bool apart =
            worked.offset >= slot.offset + slot.bytes || slot.offset >= worked.offset + worked.bytes;
        if (apart) {
            continue;
        }
        const auto found = std::ranges::lower_bound(worked.stretches, stretch.from, {}, &BufferStretch::from);
        if (found != worked.stretches.end() && found->from < stretch.to &&
            (!first || found->from < first->stretch.start)) {
            first = pick_span(run, {worked.lane, found->index});
        }
    }
    return first;
}

}  // namespace ascendsim::gui
