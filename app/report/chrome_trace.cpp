// SPDX-License-Identifier: Apache-2.0
#include "app/report/chrome_trace.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/analysis/chip_numbers.hpp"
#include "app/analysis/lane_use.hpp"
#include "app/analysis/machine/program_axis.hpp"
#include "app/analysis/traffic.hpp"
#include "app/report/program/program_trace.hpp"
#include "models/port/pipe.hpp"

namespace ascendsim::report {

namespace {

using record::Lane;
using record::Recording;
using record::Span;

std::string json_text(std::string_view text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

class TraceWriter {
public:
    TraceWriter(std::ostream& out, const Recording& recording, const TraceOptions& options)
        : out_{out},
          recording_{recording},
          options_{options},
          cycles_per_us_{analysis::ChipNumbers{recording.metadata()}.clock_ghz() * 1000},
          axis_{recording.totals(), cycles_per_us_},
          to_{std::min(options.to, recording.cycles())},
          processes_{processes_of(recording)} {
        for (const std::string& name : recording.names()) {
            names_.push_back(json_text(name));
        }
        for (const record::SourceLine& site : recording.sites()) {
            sites_.push_back(json_text(site.file.empty() ? "" : fmt::format("{}:{}", site.file, site.line)));
        }
    }

    TraceResult write() {
        shortest_ = shortest_to_keep();
        fmt::format_to(sink(), "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
        for (std::uint32_t number = 0; number < recording_.lanes().size(); ++number) {
            const Lane& one = recording_.lane(number);
            if (analysis::is_used(one) && analysis::on_axis_of_cores(recording_, one)) {
                lane(number);
            }
        }
        counters();
        program();
        fmt::format_to(sink(),
                       "\n],\"otherData\":{{\"scenario\":{},\"chip\":{},\"cycles_per_us\":{},\"spans_left_"
                       "out\":{}}}}}\n",
                       json_text(recording_.metadata().value("scenario", "")),
                       json_text(analysis::ChipNumbers{recording_.metadata()}.name()),
                       cycles_per_us_,
                       result_.left_out);
        spill();
        return result_;
    }

private:
    std::back_insert_iterator<fmt::memory_buffer> sink() { return std::back_inserter(buffer_); }

    void begin_event() {
        if (buffer_.size() > spill_bytes) {
            spill();
        }
        fmt::format_to(sink(), "{}\n", first_ ? "" : ",");
        first_ = false;
    }

    void spill() {
        out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
        buffer_.clear();
    }

    // By lane, the process it is a thread of: its core; where there is none, what it is listed under.
    static std::vector<std::size_t> processes_of(const Recording& recording) {
        const std::size_t counters = counter_process(recording);
        std::vector<std::size_t> processes;
        std::map<std::string, std::size_t> places;
        for (const Lane& lane : recording.lanes()) {
            processes.push_back(
                lane.core_index
                    ? *lane.core_index
                    : places.try_emplace(lane.path.place(), counters + 1 + places.size()).first->second);
        }
        return processes;
    }

    // Behind the cores.
    static std::size_t counter_process(const Recording& recording) { return recording.lanes().size() + 1; }

    // The host program's thread and streams, before the cores in what a viewer shows.
    void program() {
        constexpr std::size_t process = 1'000'000;  // beyond every core
        for (const std::string& event : program_events(recording_.totals(), process)) {
            begin_event();
            fmt::format_to(sink(), "{}", event);
        }
    }

    // Cycles as microseconds, the unit of `dur`.
    [[nodiscard]] double us(std::uint64_t cycle) const { return static_cast<double>(cycle) / cycles_per_us_; }

    [[nodiscard]] bool shown(const Lane& lane, std::size_t i) const {
        return lane.start[i] < to_ && analysis::in_program(lane, i);
    }

    // The length from which on spans are kept, so that at most most_spans are.
    std::uint64_t shortest_to_keep() const {
        std::array<std::uint64_t, 65> by_length{};  // by bits of the length
        std::uint64_t all = 0;
        for (const Lane& lane : recording_.lanes()) {
            if (!analysis::on_axis_of_cores(recording_, lane)) {
                continue;
            }
            each_in_time(lane, [&](const record::ChunkColumns& chunk, std::size_t k, std::size_t) {
                if (!analysis::outside_program(chunk.reason[k])) {
                    ++by_length[static_cast<std::size_t>(std::bit_width(chunk.end[k] - chunk.start[k]))];
                    ++all;
                }
            });
        }
        std::uint64_t shortest = 0;
        for (std::size_t bits = 0; options_.most_spans != 0 && all > options_.most_spans && bits < 64;
             ++bits) {
            all -= by_length[bits];
            shortest = std::uint64_t{1} << bits;
        }
        return shortest;
    }

    void names_of(std::uint32_t number, const Lane& lane) {
        const std::size_t process = processes_[number];
        begin_event();
        fmt::format_to(sink(),
                       R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":{}}}}})",
                       process,
                       json_text(lane.path.place()));
        begin_event();
        fmt::format_to(sink(),
                       R"({{"ph":"M","name":"process_sort_index","pid":{},"args":{{"sort_index":{}}}}})",
                       process,
                       process);
        begin_event();
        fmt::format_to(sink(),
                       R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})",
                       process,
                       number,
                       json_text(lane.path.leaf()));
        begin_event();
        fmt::format_to(
            sink(),
            R"({{"ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}}}})",
            process,
            number,
            number);
    }

    void lane(std::uint32_t number) {
        const Lane& lane = recording_.lane(number);
        names_of(number, lane);
        std::size_t transfer = lane.first_transfer_from(lane.first_ending_after(options_.from));
        each_in_time(lane, [&](const record::ChunkColumns& chunk, std::size_t k, std::size_t i) {
            if (analysis::outside_program(chunk.reason[k])) {
                return;
            }
            if (chunk.end[k] - chunk.start[k] < shortest_) {
                ++result_.left_out;
                return;
            }
            std::size_t at = std::max(transfer, chunk.transfer_first) - chunk.transfer_first;
            while (at < chunk.transfers() && chunk.transfer_row[at] < i) {
                ++at;
            }
            transfer = chunk.transfer_first + at;
            const bool is_transfer = at < chunk.transfers() && chunk.transfer_row[at] == i;
            span(number, lane, i, is_transfer ? &lane.transfers : nullptr, transfer);
            if (options_.flows && chunk.reason[k] != record::Reason::none) {
                flow(number, lane, i);
            }
        });
    }

    /// Calls `visit(chunk, k, i)` for the spans of a lane that are in the window.
    template <class Visit>
    void each_in_time(const Lane& lane, Visit visit) const {
        record::for_each_span(lane,
                              lane.first_ending_after(options_.from),
                              [&](const record::ChunkColumns& chunk, std::size_t k, std::size_t i) {
                                  if (chunk.start[k] >= to_) {
                                      return false;
                                  }
                                  visit(chunk, k, i);
                                  return true;
                              });
    }

    void span(std::uint32_t number,
              const Lane& lane,
              std::size_t i,
              const record::TransferColumns* transfers,
              std::size_t at) {
        ++result_.spans;
        begin_event();
        add_name(number, lane, i);
        add_arguments(lane, i);
        if (transfers != nullptr) {
            add_transfer(*transfers, at);
        }
        fmt::format_to(sink(), "}}}}");
    }

    // When and where the span was, and what it is called.
    void add_name(std::uint32_t number, const Lane& lane, std::size_t i) {
        const bool waits = lane.reason[i] != record::Reason::none;
        fmt::format_to(sink(),
                       R"({{"ph":"X","pid":{},"tid":{},"ts":{:.4f},"dur":{:.4f},"cat":"{}","name":)",
                       processes_[number],
                       number,
                       axis_.us(lane.start[i]),
                       us(lane.end[i] - lane.start[i]),
                       waits ? "wait" : "busy");
        if (waits) {
            fmt::format_to(sink(), "\"wait: {}\"", record::name(lane.reason[i]));
        } else {
            fmt::format_to(sink(), "{}", names_[lane.op[i] < names_.size() ? lane.op[i] : 0]);
        }
    }

    void add_arguments(const Lane& lane, std::size_t i) {
        const bool waits = lane.reason[i] != record::Reason::none;
        fmt::format_to(sink(),
                       R"(,"args":{{"cycle":{},"cycles":{},"issue":{},"complete":{})",
                       lane.start[i],
                       lane.end[i] - lane.start[i],
                       lane.issue[i],
                       lane.complete[i]);
        if (lane.site[i] != 0 && lane.site[i] < sites_.size()) {
            fmt::format_to(sink(), ",\"source\":{}", sites_[lane.site[i]]);
        }
        optional("instruction", waits ? names_[lane.op[i] < names_.size() ? lane.op[i] : 0] : std::string{});
        optional("bytes", lane.bytes[i]);
        optional("work", lane.work[i]);
        optional("conflict_cycles", lane.conflict[i]);
        if (!waits && lane.bytes[i] != 0 && lane.memory[i] < memory_names.size()) {
            fmt::format_to(
                sink(), R"(,"memory":"{}","offset":{})", memory_names[lane.memory[i]], lane.offset[i]);
        }
    }

    void add_transfer(const record::TransferColumns& transfers, std::size_t at) {
        const std::uint8_t route = transfers.route[at];
        fmt::format_to(sink(),
                       R"(,"route":"{}","limiter":"{}","gm_offset":{})",
                       route < analysis::route_names.size() ? analysis::route_names[route] : "",
                       name(transfers.limiter[at]),
                       transfers.gm_offset[at]);
        optional("requests", transfers.requests[at]);
        optional("l2_hit_bytes", transfers.l2_hit_bytes[at]);
        optional("hbm_read_bytes", transfers.hbm_read_bytes[at]);
        optional("hbm_write_bytes", transfers.hbm_write_bytes[at]);
    }

    void optional(std::string_view key, std::uint64_t value) {
        if (value != 0) {
            fmt::format_to(sink(), ",\"{}\":{}", key, value);
        }
    }

    void optional(std::string_view key, const std::string& json) {
        if (!json.empty() && json != "\"\"") {
            fmt::format_to(sink(), ",\"{}\":{}", key, json);
        }
    }

    // An arrow from the span that ended a wait to the wait's end. A flow must start and end inside drawn
    // spans.
    void flow(std::uint32_t number, const Lane& lane, std::size_t i) {
        const record::SpanId culprit = lane.culprit(i);
        if (!recording_.contains(culprit)) {
            return;
        }
        const Lane& from = recording_.lane(culprit.lane);
        const std::uint64_t length = from.end[culprit.index] - from.start[culprit.index];
        const bool drawn =
            shown(from, culprit.index) && from.end[culprit.index] > options_.from && length >= shortest_;
        if (!drawn || length == 0 || from.start[culprit.index] > lane.start[i]) {
            return;
        }
        const std::uint64_t id = ++result_.flows;
        const double begin = axis_.us(from.end[culprit.index]) - 0.5 / cycles_per_us_;
        const double end = std::max(begin, axis_.us(lane.end[i]) - 0.5 / cycles_per_us_);
        begin_event();
        fmt::format_to(sink(),
                       R"({{"ph":"s","id":{},"pid":{},"tid":{},"ts":{:.4f},"cat":"flow","name":"{}"}})",
                       id,
                       processes_[culprit.lane],
                       culprit.lane,
                       begin,
                       name(lane.reason[i]));
        begin_event();
        fmt::format_to(
            sink(),
            R"({{"ph":"f","bp":"e","id":{},"pid":{},"tid":{},"ts":{:.4f},"cat":"flow","name":"{}"}})",
            id,
            processes_[number],
            number,
            end,
            name(lane.reason[i]));
    }

    struct Track {
        std::string name;
        std::vector<double> bytes;
    };

    // Spreads a transfer's bytes over the points its time covers.
    void spread(
        Track& track, double bytes, std::uint64_t start, std::uint64_t end, std::uint64_t step) const {
        if (bytes == 0) {
            return;
        }
        start = std::max(start, options_.from);
        end = std::max(std::min(end, to_), start + 1);
        for (std::uint64_t now = start; now < end;) {
            const std::uint64_t point = (now - options_.from) / step;
            const std::uint64_t until = now + std::min(end - now, step - (now - options_.from) % step);
            if (point < track.bytes.size()) {
                track.bytes[point] +=
                    bytes * static_cast<double>(until - now) / static_cast<double>(end - start);
            }
            now = until;
        }
    }

    void counters() {
        if (to_ <= options_.from || options_.counter_points == 0) {
            return;
        }
        // Without a sum that a recording's greatest cycle would wrap.
        const std::uint64_t last = to_ - options_.from - 1;
        const std::uint64_t step = last / options_.counter_points + 1;
        const std::size_t points = last / step + 1;
        std::vector<Track> tracks{{"HBM read", {}}, {"HBM write", {}}, {"L2 hits", {}}};
        for (std::size_t route = 0; route < analysis::gm_route_count; ++route) {
            tracks.push_back({std::string{analysis::route_names[route]}, {}});
        }
        for (Track& track : tracks) {
            track.bytes.resize(points);
        }
        for (const Lane& lane : recording_.lanes()) {
            const record::TransferColumns& transfers = lane.transfers;
            for (std::size_t i = 0; lane.core_index && i < transfers.size(); ++i) {
                const std::size_t row = transfers.row[i];
                const auto add = [&](std::size_t track, std::uint32_t bytes) {
                    spread(tracks[track], bytes, lane.start[row], lane.complete[row], step);
                };
                if (lane.start[row] >= to_ || lane.complete[row] <= options_.from ||
                    transfers.route[i] >= analysis::gm_route_count) {
                    continue;
                }
                add(0, transfers.hbm_read_bytes[i]);
                add(1, transfers.hbm_write_bytes[i]);
                add(2, transfers.l2_hit_bytes[i]);
                add(3 + transfers.route[i], lane.bytes[row]);
            }
        }
        write_counters(tracks, step);
    }

    void write_counters(const std::vector<Track>& tracks, std::uint64_t step) {
        const std::size_t pid = counter_process(recording_);
        begin_event();
        fmt::format_to(
            sink(), R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":"memory, GB/s"}}}})", pid);
        for (const Track& track : tracks) {
            if (std::ranges::all_of(track.bytes, [](double bytes) { return bytes == 0; })) {
                continue;
            }
            for (std::size_t point = 0; point < track.bytes.size(); ++point) {
                if (point > 0 && track.bytes[point] == track.bytes[point - 1]) {
                    continue;
                }
                const double gbps = track.bytes[point] / static_cast<double>(step) * cycles_per_us_ / 1000;
                begin_event();
                fmt::format_to(sink(),
                               R"({{"ph":"C","pid":{},"ts":{:.4f},"name":"{}","args":{{"GB/s":{:.3f}}}}})",
                               pid,
                               axis_.us(options_.from + point * step),
                               track.name,
                               gbps);
            }
        }
    }

    static constexpr std::size_t spill_bytes = std::size_t{1} << 20U;

    std::ostream& out_;
    const Recording& recording_;
    TraceOptions options_;
    double cycles_per_us_;
    ProgramAxis axis_;
    std::uint64_t to_;
    std::vector<std::size_t> processes_;
    std::uint64_t shortest_ = 0;
    std::vector<std::string> names_;
    std::vector<std::string> sites_;
    fmt::memory_buffer buffer_;
    bool first_ = true;
    TraceResult result_;
};

}  // namespace

TraceResult write_chrome_trace(std::ostream& out, const Recording& recording, const TraceOptions& options) {
    return TraceWriter{out, recording, options}.write();
}

}  // namespace ascendsim::report
