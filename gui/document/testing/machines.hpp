// SPDX-License-Identifier: Apache-2.0
// Recordings of steps of many devices and of served loads made by hand, for tests of the dashboard.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/analysis/machine/machine_layout.hpp"
#include "app/analysis/machine/recorded_plots.hpp"
#include "app/analysis/machine/recorded_report.hpp"
#include "sim/record/recorder.hpp"

namespace ascendsim::gui {

/// A step of `servers` x `per_server` devices, `tasks` times forward and backward on each; a cycle is a
/// nanosecond. The host calls for 2 us, a task takes 8 us and begins 1 us after its call; then all devices
/// reduce 40 kB in 20 us over a ring of links of 4 GB/s, which half fills them.
class RecordedMachine {
public:
    RecordedMachine(const std::filesystem::path& file,
                    std::uint32_t servers,
                    std::uint32_t per_server,
                    std::uint64_t tasks)
        : recorder_{file}, servers_{servers}, per_server_{per_server}, tasks_{tasks} {
        recorder_.metadata({{"title", "a step of many"},
                            {"mode", "timing"},
                            {"chip", {{"name", "round"}, {"cores", {{"clock_ghz", 1.0}}}}},
                            {"sources", {{"step.toml", "[[task]]\nname = \"forward\"\n"}}},
                            {"machine", analysis::to_json(machine())},
                            {"step", step()},
                            {"plots", analysis::to_json(plots())}});
        for (std::uint32_t device = 0; device < servers_ * per_server_; ++device) {
            add_device(device);
        }
        for (std::uint32_t device = 0; device < servers_ * per_server_ && tasks_ > 0; ++device) {
            add_link(device);
        }
    }

    /// Ends the recording; returns its cycles.
    std::uint64_t finish() {
        recorder_.finish(
            {{"cycles", length()}, {"time_us", static_cast<double>(length()) * 1e-3}, {"cores_used", 0}});
        return length();
    }

private:
    static constexpr std::uint64_t call = 2'000;
    static constexpr std::uint64_t work = 8'000;
    static constexpr std::uint64_t gap = 1'000;
    static constexpr std::uint64_t reduction = 20'000;

    [[nodiscard]] std::uint64_t reduced_from() const { return tasks_ * (call + gap + work); }

    [[nodiscard]] std::uint64_t length() const { return tasks_ == 0 ? 0 : reduced_from() + reduction; }

    [[nodiscard]] std::uint32_t next(std::uint32_t device) const {
        const std::uint32_t first = device / per_server_ * per_server_;
        return first + (device + 1 - first) % per_server_;
    }

    [[nodiscard]] static std::string link_name(std::uint32_t from, std::uint32_t to) {
        return fmt::format("pair {} {}", from, to);
    }

    [[nodiscard]] analysis::MachineLayout machine() const {
        using analysis::LinkEnd;
        analysis::MachineLayout machine{.title = "A round machine",
                                        .servers = std::max(1U, servers_),
                                        .per_server = std::max(1U, per_server_),
                                        .links = {}};
        for (std::uint32_t device = 0; device < servers_ * per_server_; ++device) {
            machine.links.push_back({"link:" + link_name(device, next(device)),
                                     {LinkEnd::device, device},
                                     {LinkEnd::device, next(device)},
                                     4});
        }
        return machine;
    }

    [[nodiscard]] nlohmann::json step() const {
        const double all = static_cast<double>(length()) * 1e-3;
        nlohmann::json ranks = nlohmann::json::array();
        for (std::uint32_t rank = 0; rank < servers_ * per_server_ && tasks_ > 0; ++rank) {
            const auto count = static_cast<double>(tasks_);
            ranks.push_back(
                {{"parts", {{"computing", 8 * count}, {"communication", 20}, {"free", 3 * count}}},
                 {"bubbles",
                  {{{"cause", "the host calls for forward"}, {"us", 2 * count}, {"place", "step.toml:2"}},
                   {{"cause", "launch of forward"}, {"us", count}}}}});
        }
        return {{"title", "a step of many"},
                {"node", "round"},
                {"host", "slow"},
                {"step_us", all},
                {"ranks", std::move(ranks)},
                {"tasks",
                 {{{"name", "forward"},
                   {"problem", "1024 x 1024"},
                   {"calls", tasks_},
                   {"device_us", 7.5},
                   {"contended_us", 8},
                   {"with_launch_us", 11},
                   {"critical_us", 8 * static_cast<double>(tasks_)}}}},
                {"critical_path", {{"forward", 8 * static_cast<double>(tasks_)}, {"gradients", 20}}},
                {"energy", {{"average_w", 120}, {"limit_w", 400}}},
                {"advice",
                 {{{"text", "capture the kernels in a graph"},
                   {"change", "mode = \"graph\""},
                   {"place", "step.toml:1"},
                   {"step_us", all * 0.8},
                   {"gain", 0.2}}}}};
    }

    [[nodiscard]] std::vector<analysis::RecordedPlot> plots() const {
        const double from = static_cast<double>(reduced_from()) * 1e-3;
        const double end = static_cast<double>(length()) * 1e-3;
        if (tasks_ == 0) {
            return {};
        }
        return {{.title = "Links",
                 .note = "bytes on their way",
                 .kind = analysis::PlotKind::stack,
                 .y = "GB/s",
                 .over_time = true,
                 .steps = true,
                 .series = {{"between devices", {{0, 0}, {from, 16}, {end, 0}}},
                            {"host to device", {{0, 5}, {from, 0}, {end, 0}}}}},
                {.title = "Power",
                 .y = "W",
                 .over_time = true,
                 .steps = true,
                 .limit = 400,
                 .series = {{"", {{0, 90}, {from / 2, 300}, {from, 100}, {end, 0}}}}},
                {.title = "Ranks by free time",
                 .note = "how long a device does nothing",
                 .kind = analysis::PlotKind::bars,
                 .x = "us",
                 .bars = {{"rank 0", 12, "12 us, 20 %"},
                          {"a rank with a name that is far too long for its place beside the bar",
                           30,
                           "30 us, 50 %"}}},
                {.title = "Scaling, the same batch on each device",
                 .x = "devices",
                 .y = "%",
                 .log_x = true,
                 .series = {{"efficiency, % of the first", {{1, 100}, {8, 97}, {64, 90}, {1024, 71}}},
                            {"MFU, %", {{1, 45}, {8, 43}, {64, 40}, {1024, 31}}}}}};
    }

    void add_device(std::uint32_t device) {
        using record::TrackKind;
        if (tasks_ == 0) {
            return;
        }
        const record::TrackPath node{{TrackKind::node, device / per_server_}};
        const std::uint32_t host =
            recorder_.lane(node / record::TrackSegment{TrackKind::host} /
                           record::TrackSegment{TrackKind::thread, fmt::format("rank {}", device)});
        const record::TrackPath chip = node / record::TrackSegment{TrackKind::device, device};
        const std::uint32_t stream = recorder_.lane(chip / record::TrackSegment{TrackKind::stream, "main"});
        const std::uint32_t network =
            recorder_.lane(chip / record::TrackSegment{TrackKind::stream, "communication"});
        record::SpanId last;
        std::uint64_t now = 0;
        for (std::uint64_t n = 0; n < tasks_; ++n) {
            const record::SpanId called = put(host, now, now + call, "forward", record::Reason::none, {});
            put(stream, now, now + call, "waits for the host", record::Reason::issue, called);
            put(stream, now + call, now + call + gap, "launch of forward", record::Reason::launch, {});
            now += call + gap;
            last = put(stream, now, now + work, "forward", record::Reason::none, {});
            now += work;
        }
        put(network, 0, now, "waits for another stream", record::Reason::flag_data, last);
        put(network, now, now + reduction, "gradients", record::Reason::none, {});
    }

    void add_link(std::uint32_t device) {
        const std::uint32_t lane =
            recorder_.lane({{record::TrackKind::link, link_name(device, next(device))}});
        constexpr std::uint32_t bytes = 40'000;
        recorder_.span(lane,
                       {.issue = reduced_from(),
                        .start = reduced_from(),
                        .end = length(),
                        .complete = length(),
                        .op = recorder_.op("1 flow"),
                        .bytes = bytes});
    }

    record::SpanId put(std::uint32_t lane,
                       std::uint64_t from,
                       std::uint64_t to,
                       const char* what,
                       record::Reason reason,
                       record::SpanId on) {
        return {lane,
                recorder_.span(lane,
                               {.issue = from,
                                .start = from,
                                .end = to,
                                .complete = to,
                                .op = recorder_.op(what),
                                .site = recorder_.site("step.toml", 2),
                                .reason = reason,
                                .culprit = on})};
    }

    record::Recorder recorder_;
    std::uint32_t servers_;
    std::uint32_t per_server_;
    std::uint64_t tasks_;
};

/// A load of three requests, two at a time, with curves and figures as a server writes them.
inline void record_served(const std::filesystem::path& file) {
    using record::TrackKind;
    record::Recorder recorder{file};
    analysis::RecordedReport report{.verdict = "3 requests in 1.00 s", .figures = {}};
    report.figures = {{"first token", "120 ms", "from a request's arrival"},
                      {"tokens", "250/s", "of output"}};
    analysis::RecordedPlot requests{
        .title = "Requests over time", .y = "requests", .over_time = true, .steps = true};
    requests.series = {{"waiting", {{0, 1}, {2e5, 0}, {1e6, 0}}},
                       {"under way", {{0, 2}, {4e5, 1}, {1e6, 0}}}};
    analysis::RecordedPlot cache{
        .title = "The cache over time", .y = "blocks", .over_time = true, .steps = true, .limit = 100};
    cache.series = {{"in use", {{0, 20}, {2e5, 60}, {8e5, 30}, {1e6, 0}}}};
    analysis::RecordedPlot latencies{
        .title = "Latencies: % of requests that are not above a value", .x = "ms", .y = "%", .steps = true};
    latencies.series = {{"first token", {{90, 33.3}, {120, 66.7}, {150, 100}}},
                        {"whole request", {{400, 33.3}, {600, 66.7}, {1000, 100}}}};
    recorder.metadata({{"title", "a served model"},
                       {"mode", "timing"},
                       {"chip", {{"name", "round"}, {"cores", {{"clock_ghz", 1.0}}}}},
                       {"plots", analysis::to_json({requests, cache, latencies})},
                       {"report", analysis::to_json(report)}});
    const std::uint32_t steps = recorder.lane({{TrackKind::device, 0}, {TrackKind::stream, "steps"}});
    constexpr std::uint64_t ms = 1'000'000;
    for (std::uint64_t n = 0; n < 100; ++n) {
        recorder.span(steps,
                      {.issue = 10 * n * ms,
                       .start = 10 * n * ms,
                       .end = (10 * n + 8) * ms,
                       .complete = (10 * n + 8) * ms,
                       .op = recorder.op(n % 10 == 0 ? "prompt '512 tokens'" : "decode '2 sequences'")});
    }
    for (std::uint32_t slot = 0; slot < 2; ++slot) {
        const std::uint32_t lane = recorder.lane(
            {{TrackKind::other, "requests:0"}, {TrackKind::stream, fmt::format("slot {}", slot)}});
        const auto put =
            [&](std::uint64_t from, std::uint64_t to, const std::string& what, record::Reason reason) {
                recorder.span(lane,
                              {.issue = from * ms,
                               .start = from * ms,
                               .end = to * ms,
                               .complete = to * ms,
                               .op = recorder.op(fmt::format("{} 'request {}'", what, slot)),
                               .reason = reason});
            };
        put(100 * slot, 150 * slot + 50, "queued", record::Reason::flag_data);
        put(150 * slot + 50, 200 * slot + 120, "prompt", record::Reason::none);
        put(200 * slot + 120, 900, "output", record::Reason::none);
    }
    recorder.finish({{"cycles", 1000 * ms}, {"time_us", 1e6}, {"cores_used", 0}});
}

}  // namespace ascendsim::gui
