// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/traffic.hpp"

#include <algorithm>

#include "models/port/pipe.hpp"
#include "models/port/timed_op.hpp"

namespace ascendsim::analysis {

static_assert(gm_route_count == isa::route_count && gm_route_count == record::LaneSums::routes);
static_assert(memory_count == record::LaneSums::memories);

namespace {

using record::Lane;

constexpr std::size_t l1_to_l0a = gm_route_count;
constexpr std::size_t l1_to_l0b = gm_route_count + 1;
constexpr std::size_t l1_to_tables = gm_route_count + 2;
constexpr std::size_t l0c_to_l1 = gm_route_count + 3;

class Adder {
public:
    Adder(const ChipNumbers& chip, std::uint64_t from, std::uint64_t to) : chip_{chip}, from_{from}, to_{to} {
        for (std::size_t i = 0; i < route_names.size(); ++i) {
            routes_[i].name = route_names[i];
        }
    }

    void add(const Lane& lane) {
        std::array<bool, route_names.size()> used{};
        const std::size_t first = lane.first_ending_after(from_);
        std::size_t last = first;
        record::for_each_span(
            lane, first, [&](const record::ChunkColumns& chunk, std::size_t k, std::size_t i) {
                if (chunk.start[k] >= to_) {
                    return false;
                }
                add_local(lane, chunk, k, used);
                last = i + 1;
                return true;
            });
        for (std::size_t t = lane.first_transfer_from(first);
             t < lane.transfers.size() && lane.transfers.row[t] < last;
             ++t) {
            add_transfer(lane, t, used);
        }
        for (std::size_t route = 0; route < used.size(); ++route) {
            routes_[route].lanes += used[route] ? 1U : 0U;
        }
    }

    void add(const record::TrackPath& track, const record::LaneSums& sums) {
        for (std::size_t memory = 0; memory < sums.moved.size(); ++memory) {
            const record::MemorySum& moved = sums.moved[memory];
            const std::size_t route = core_route(track.pipe(), static_cast<std::uint8_t>(memory));
            if (moved.moves == 0 || route == route_names.size()) {
                continue;
            }
            RouteTraffic& to = routes_[route];
            ++to.lanes;
            to.transfers += moved.moves;
            to.bytes += moved.bytes;
            to.active_cycles += moved.active_cycles;
        }
        for (std::size_t route = 0; route < gm_route_count; ++route) {
            if (sums.transfers[route].transfers != 0) {
                add_route(routes_[route], sums.transfers[route]);
            }
        }
    }

    [[nodiscard]] Traffic result() const {
        Traffic traffic;
        for (std::size_t i = 0; i < routes_.size(); ++i) {
            if (routes_[i].transfers == 0) {
                continue;
            }
            traffic.routes.push_back(routes_[i]);
            traffic.routes.back().peak_bytes_per_cycle = route_peak(i, chip_);
            (writes_gm(i) ? traffic.gm_write_bytes : traffic.gm_read_bytes) +=
                i < gm_route_count ? routes_[i].bytes : 0;
            traffic.l2_hit_bytes += routes_[i].l2_hit_bytes;
            traffic.hbm_read_bytes += routes_[i].hbm_read_bytes;
            traffic.hbm_write_bytes += routes_[i].hbm_write_bytes;
        }
        return traffic;
    }

private:
    static void add_route(RouteTraffic& to, const record::RouteSum& sum) {
        ++to.lanes;
        to.transfers += sum.transfers;
        to.bytes += sum.bytes;
        to.requests += sum.requests;
        to.active_cycles += sum.active_cycles;
        to.l2_hit_bytes += sum.l2_hit_bytes;
        to.hbm_read_bytes += sum.hbm_read_bytes;
        to.hbm_write_bytes += sum.hbm_write_bytes;
        for (std::size_t i = 0; i < to.limited_cycles.size(); ++i) {
            to.limited_cycles[i] += sum.limited_cycles[i];
        }
    }

    using Used = std::array<bool, route_names.size()>;

    void add_transfer(const Lane& lane, std::size_t i, Used& used) {
        const record::TransferColumns& from = lane.transfers;
        const std::size_t number = from.route[i];
        if (number >= gm_route_count) {
            return;
        }
        const std::size_t row = from.row[i];
        const std::uint64_t cycles = lane.end[row] - lane.start[row];
        RouteTraffic& to = routes_[number];
        used[number] = true;
        ++to.transfers;
        to.bytes += lane.bytes[row];
        to.requests += from.requests[i];
        to.active_cycles += cycles;
        to.l2_hit_bytes += from.l2_hit_bytes[i];
        to.hbm_read_bytes += from.hbm_read_bytes[i];
        to.hbm_write_bytes += from.hbm_write_bytes[i];
        to.limited_cycles[static_cast<std::size_t>(from.limiter[i])] += cycles;
    }

    void add_local(const Lane& lane, const record::ChunkColumns& chunk, std::size_t k, Used& used) {
        if (chunk.bytes[k] == 0 || chunk.reason[k] != record::Reason::none) {
            return;
        }
        const std::size_t number = core_route(lane.path.pipe(), chunk.memory[k]);
        if (number == route_names.size()) {
            return;
        }
        RouteTraffic& to = routes_[number];
        used[number] = true;
        ++to.transfers;
        to.bytes += chunk.bytes[k];
        to.active_cycles += chunk.end[k] - chunk.start[k];
    }

    const ChipNumbers& chip_;
    std::uint64_t from_;
    std::uint64_t to_;
    std::array<RouteTraffic, route_names.size()> routes_{};
};

}  // namespace

bool RouteTraffic::writes_gm() const {
    return analysis::writes_gm(
        static_cast<std::size_t>(std::ranges::find(route_names, name) - route_names.begin()));
}

record::Limiter RouteTraffic::limiter() const {
    const auto most = std::ranges::max_element(limited_cycles);
    return static_cast<record::Limiter>(most - limited_cycles.begin());
}

std::size_t core_route(std::string_view pipe, std::uint8_t memory) {
    const auto in = static_cast<Memory>(memory);
    if (pipe == name(Pipe::mte1)) {
        switch (in) {
            case Memory::l0a:
                return l1_to_l0a;
            case Memory::l0b:
                return l1_to_l0b;
            case Memory::bias_table:
            case Memory::fixpipe_buffer:
                return l1_to_tables;
            case Memory::gm:
            case Memory::ub:
            case Memory::l1:
            case Memory::l0c:
                break;
        }
    }
    return pipe == name(Pipe::fixpipe) && in == Memory::l1 ? l0c_to_l1 : route_names.size();
}

double route_peak(std::size_t route, const ChipNumbers& chip) {
    const double read = chip.number("port.read_bytes_per_cycle", 0);
    const double write = chip.number("port.write_bytes_per_cycle", 0);
    switch (route) {
        case 0:
        case 1:
        case 3:
            return read;
        case 2:
            return read * chip.number("port.nd2nz_efficiency", 1);
        case 4:
            return chip.number("port.ub_write_bytes_per_cycle", write);
        case 5:
            return write;
        case 6:
        case 7:
            return std::min(write, chip.number("fixpipe.gm_bytes_per_cycle", write));
        case l1_to_l0a:
            return chip.number("mte1.l0a_bytes_per_cycle", 0);
        case l1_to_l0b:
            return chip.number("mte1.l0b_bytes_per_cycle", 0);
        case l1_to_tables:
            return chip.number("mte1.bt_bytes_per_cycle", 0);
        default:
            return 0;
    }
}

Traffic traffic_of(const record::Recording& recording,
                   const ChipNumbers& chip,
                   std::uint64_t from,
                   std::uint64_t to) {
    Adder adder{chip, from, to};
    for (const Lane& lane : recording.lanes()) {
        if (lane.core_index) {
            adder.add(lane);
        }
    }
    return adder.result();
}

Traffic traffic_of(const record::Recording& recording,
                   const ChipNumbers& chip,
                   const std::vector<record::LaneSums>& sums) {
    Adder adder{chip, 0, 0};
    for (std::size_t lane = 0; lane < sums.size(); ++lane) {
        if (recording.lanes()[lane].core_index) {
            adder.add(recording.lanes()[lane].path, sums[lane]);
        }
    }
    return adder.result();
}

}  // namespace ascendsim::analysis
