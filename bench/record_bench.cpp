// SPDX-License-Identifier: Apache-2.0
// What recording costs a run, and what opening the recording costs a reader: spans like those of a matrix
// product, on 24 cores of five pipes, in lumps of a hundred from core to core.
#include <array>
#include <filesystem>
#include <string>

#include <benchmark/benchmark.h>
#include <nlohmann/json.hpp>

#include "sim/record/recording.hpp"

namespace {

using namespace ascendsim::record;  // NOLINT(google-build-using-namespace): a program of its own

constexpr std::uint32_t cores = 24;
constexpr std::uint32_t pipes = 5;
constexpr std::uint64_t spans = 4'000'000;

std::filesystem::path file() {
    return std::filesystem::temp_directory_path() / "ascendsim_record_bench.rec";
}

Span next(std::uint64_t number, std::uint32_t pipe, std::uint64_t now) {
    const bool waits = number % 3 == 0;
    Span span{
        .issue = now > 200 ? now - 100 - number % 8 : 0, .start = now, .op = 1 + pipe, .site = 1 + pipe};
    span.end = now + (waits ? 7 + number * 2654435761U % 16 : 64);
    span.complete = span.end + 28;
    span.reason = waits ? Reason::flag_data : Reason::none;
    span.offset = static_cast<std::uint32_t>(number % 4 << 11U);
    span.bytes = 32768;
    span.work = 128 * 64 * 256;
    if (!waits && pipe == 3) {
        span.route = 1;
        span.limiter = Limiter::port;
        span.requests = 256;
        span.gm_offset = number * 32768 % (1U << 27U);
        span.l2_hit_bytes = static_cast<std::uint32_t>(number * 40503 % 32768);
    }
    return span;
}

void write(Recorder& recorder) {
    constexpr std::array names{"scalar", "cube", "mte1", "mte2", "fixpipe"};
    for (std::uint32_t core = 0; core < cores; ++core) {
        for (const char* pipe : names) {
            recorder.lane({{TrackKind::device, 0},
                           {TrackKind::group, core},
                           {TrackKind::core, "aic" + std::to_string(core)},
                           {TrackKind::pipe, pipe}});
        }
    }
    std::array<std::uint64_t, std::size_t{cores} * pipes> ends{};
    for (std::uint64_t number = 0; number < spans; ++number) {
        const auto core = static_cast<std::uint32_t>(number / 100 % cores);
        const auto pipe = static_cast<std::uint32_t>(number % pipes);
        const std::uint32_t lane = core * pipes + pipe;
        Span span = next(number, pipe, ends[lane]);
        if (span.reason != Reason::none) {
            const std::uint32_t other = core * pipes + (pipe + 1) % pipes;
            span.culprit = {other, recorder.spans(other)};
        }
        ends[lane] = span.end;
        recorder.span(lane, span);
    }
    recorder.finish({{"cycles", 1}});
}

void record_spans(benchmark::State& state) {
    for (auto round : state) {
        (void)round;
        Recorder recorder{state.range(0) == 0 ? std::filesystem::path{} : file()};
        write(recorder);
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(spans));
    if (state.range(0) != 0) {
        const auto bytes = static_cast<double>(std::filesystem::file_size(file()));
        state.counters["bytes_per_span"] = bytes / static_cast<double>(spans);
    }
}

void open_recording(benchmark::State& state) {
    {
        Recorder recorder{file()};
        write(recorder);
    }
    for (auto round : state) {
        (void)round;
        const Recording recording{file()};
        benchmark::DoNotOptimize(recording.span_count());
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(spans));
    std::filesystem::remove(file());
}

// 0: spans are taken and dropped; 1: they go to a file.
BENCHMARK(record_spans)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(open_recording)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
