// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/chip_view/node_moment.hpp"

#include <algorithm>

#include "gui/timeview/lane_picture.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::gui {
namespace {

using analysis::LinkEnd;
using record::Lane;
using record::TrackKind;

/// Bytes for each nanosecond that a link's track moves in a window; its spans are evenly filled.
double flow_in(const Run& run, std::uint32_t number, TimeRange window) {
    const Lane& lane = run.recording().lane(number);
    double bytes = 0;
    for (std::size_t i = lane.first_ending_after(static_cast<std::uint64_t>(window.begin));
         i < lane.size() && static_cast<double>(lane.start[i]) < window.end;
         ++i) {
        const auto start = static_cast<double>(lane.start[i]);
        const auto end = static_cast<double>(lane.end[i]);
        const double inside = std::min(end, window.end) - std::max(start, window.begin);
        if (inside > 0 && end > start) {
            bytes += lane.bytes[i] * inside / (end - start);
        }
    }
    return window.length() > 0 ? bytes / window.length() * run.clock_ghz() : 0;
}

double busy_in(const Run& run, std::uint32_t lane, TimeRange window) {
    const record::Occupancy sum = visible_occupancy(run, lane, window);
    return sum.total() == 0 ? 0 : static_cast<double>(sum.busy()) / static_cast<double>(sum.total());
}

std::optional<std::uint32_t> lane_of(const Run& run, const std::string& track) {
    try {
        return run.recording().find(record::TrackPath::parse(track));
    } catch (const UserError&) {
        return std::nullopt;  // the file may come from anyone
    }
}

}  // namespace

void NodeIndex::follow(const Run& run) {
    if (data_ == run.data()) {
        return;
    }
    data_ = run.data();
    streams_.clear();
    threads_.clear();
    links_.clear();
    const analysis::MachineLayout* machine = run.machine();
    servers_ = machine == nullptr ? 0 : machine->servers;
    per_server_ = machine == nullptr ? 1 : machine->per_server;
    streams_.resize(std::size_t{servers_} * per_server_);
    threads_.resize(servers_);
    for (const TrackLanes& track : run.tracks()) {
        for (const std::uint32_t lane : track.lanes) {
            const record::TrackPath& path = run.recording().lane(lane).path;
            const std::uint32_t node = path.number(TrackKind::node).value_or(0);
            const std::optional<std::uint32_t> device = path.number(TrackKind::device);
            if (device && *device < streams_.size()) {
                streams_[*device].push_back(lane);
            } else if (path.has(TrackKind::host) && node < threads_.size()) {
                threads_[node].push_back(lane);
            }
        }
    }
    mains_.clear();
    for (std::uint32_t device = 0; device < streams_.size(); ++device) {
        mains_.push_back(main_stream(run, device));
    }
    if (machine == nullptr) {
        return;
    }
    for (const analysis::MachineLink& link : machine->links) {
        if (const std::optional<std::uint32_t> lane = lane_of(run, link.track)) {
            links_.push_back({&link, *lane});
        }
    }
}

const std::vector<std::uint32_t>& NodeIndex::streams_of(std::uint32_t device) const {
    static const std::vector<std::uint32_t> none;
    return device < streams_.size() ? streams_[device] : none;
}

std::vector<std::uint32_t> NodeIndex::devices_of(std::uint32_t server) const {
    std::vector<std::uint32_t> devices;
    for (std::uint32_t n = 0; n < per_server_; ++n) {
        devices.push_back(server * per_server_ + n);
    }
    return devices;
}

std::optional<std::uint32_t> NodeIndex::main_stream(const Run& run, std::uint32_t device) const {
    std::optional<std::uint32_t> best;
    std::uint64_t most = 0;
    for (const std::uint32_t lane : streams_of(device)) {
        const record::Pyramid* pyramid = run.pyramid(lane);
        const std::uint64_t busy =
            pyramid == nullptr ? 0 : pyramid->cycles(pyramid->levels() - 1, 0, record::Reason::none);
        if (!best || busy > most) {
            best = lane;
            most = busy;
        }
    }
    return best;
}

double NodeIndex::busy_of(const Run& run, std::uint32_t device, TimeRange window) const {
    double busy = 0;
    for (const std::uint32_t lane : streams_of(device)) {
        busy = std::max(busy, busy_in(run, lane, window));
    }
    return busy;
}

double NodeIndex::heat_of(const Run& run, std::uint32_t server, TimeRange window) const {
    double sum = 0;
    for (const std::uint32_t device : devices_of(server)) {
        const std::optional<std::uint32_t> stream = mains_[device];
        sum += stream ? busy_in(run, *stream, window) : 0;
    }
    return sum / per_server_;
}

NodeMoment NodeIndex::moment_of(
    const Run& run, std::uint32_t server, double cycle, double window, const Theme& theme) const {
    NodeMoment moment;
    const TimeRange range{std::max(0.0, cycle - window / 2), std::min(run.cycles(), cycle + window / 2)};
    for (const std::uint32_t number : devices_of(server)) {
        DeviceMoment device{.number = number,
                            .busy = busy_of(run, number, range),
                            .doing = {},
                            .flows = {},
                            .stream = mains_[number]};
        std::optional<Pick> pick = device.stream ? pick_at(run, *device.stream, cycle) : std::nullopt;
        for (const std::uint32_t lane : streams_of(number)) {
            const std::optional<Pick> other = pick_at(run, lane, cycle);
            if ((!pick || pick->waits()) && other && !other->waits()) {
                pick = other;
            }
        }
        device.doing = pick ? pick_label(run, *pick, theme) : "nothing";
        moment.devices.push_back(std::move(device));
    }
    const auto device_at = [&](const analysis::LinkPlace& place) -> DeviceMoment* {
        const bool here = place.kind == LinkEnd::device && place.number / per_server_ == server;
        return here ? &moment.devices[place.number % per_server_] : nullptr;
    };
    for (const LinkLane& one : links_) {
        DeviceMoment* const from = device_at(one.link->from);
        DeviceMoment* const to = device_at(one.link->to);
        if (from == nullptr && to == nullptr) {
            continue;
        }
        LinkFlow flow{.name = {}, .gb_per_s = flow_in(run, one.lane, range)};
        flow.share = one.link->gb_per_s > 0 ? std::min(1.0, flow.gb_per_s / one.link->gb_per_s) : 0;
        moment.any_rate = moment.any_rate || one.link->gb_per_s > 0;
        if (from != nullptr && to != nullptr) {
            moment.links.push_back({from->number, to->number, std::move(flow)});
            continue;
        }
        const LinkEnd other = (from != nullptr ? one.link->to : one.link->from).kind;
        const std::string_view where = other == LinkEnd::host     ? "host"
                                       : other == LinkEnd::device ? "other servers"
                                                                  : "network";
        flow.name = (from != nullptr ? "to " : "from ") + std::string{where};
        (from != nullptr ? from : to)->flows.push_back(std::move(flow));
    }
    for (const std::uint32_t lane :
         server < threads_.size() ? threads_[server] : std::vector<std::uint32_t>{}) {
        ++moment.threads;
        moment.host_busy = std::max(moment.host_busy, busy_in(run, lane, range));
    }
    return moment;
}

}  // namespace ascendsim::gui
