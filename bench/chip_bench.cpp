// SPDX-License-Identifier: Apache-2.0
// Reading a chip's file, which every run begins with: 2 ms is the aim.
#include <benchmark/benchmark.h>

#include "models/spec/chip_file.hpp"

namespace ascendsim {
namespace {

void load(benchmark::State& state) {
    for (auto _ : state) {
        benchmark::DoNotOptimize(load_chip("910b1", "models/chips"));
    }
}

BENCHMARK(load)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ascendsim

BENCHMARK_MAIN();
