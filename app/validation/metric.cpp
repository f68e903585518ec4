// SPDX-License-Identifier: Apache-2.0
#include "app/validation/metric.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace ascendsim::validation {
namespace {

constexpr double ns_per_tick = 20;  // GetSystemCycle counts at 50 MHz

}  // namespace

std::optional<Quantity> quantity_of(const std::string& metric) {
    static constexpr std::array task{"task_duration",
                                     "kernel_time",
                                     "kernel_time_sum",
                                     "time",
                                     "time_us",
                                     "avg_time",
                                     "kernel_latency",
                                     "latency",
                                     "kernel_duration_min",
                                     "duration",
                                     "kernel_duration",
                                     "throughput",
                                     "bandwidth",
                                     "fitted_time",
                                     "system_ticks",
                                     "cycles",
                                     "time_with_dispatch",
                                     "host_launch_plus_sync",
                                     "time_incl_launch_sync",
                                     "overhead"};
    static constexpr std::array core{"aic_time", "aiv_time", "aicore_time", "core_time"};
    if (std::ranges::find(core, metric) != core.end()) {
        return Quantity::core;
    }
    if (std::ranges::find(task, metric) != task.end()) {
        return Quantity::task;
    }
    return std::nullopt;
}

std::optional<std::string> pipe_of(const std::string& metric) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 10> pipes{
        {{"mac", "cube"},
         {"cube", "cube"},
         {"vec", "vector"},
         {"vector", "vector"},
         {"scalar", "scalar"},
         {"mte1", "mte1"},
         {"mte2", "mte2"},
         {"mte3", "mte3"},
         {"fixpipe", "fixpipe"},
         {"fix", "fixpipe"}}};
    const std::size_t end = metric.ends_with("_time")    ? metric.size() - 5
                            : metric.ends_with("_ratio") ? metric.size() - 6
                                                         : 0;
    std::string_view word = std::string_view{metric}.substr(0, end);
    std::string kind;
    if (word.starts_with("aic_") || word.starts_with("aiv_")) {
        kind = word.substr(0, 4);
        word.remove_prefix(4);
    }
    const auto found = std::ranges::find(pipes, word, &std::pair<std::string_view, std::string_view>::first);
    return found == pipes.end() ? std::nullopt : std::optional{kind + std::string{found->second}};
}

std::optional<double> in_us(const Measurement& row, double amount, double clock_ghz) {
    const std::string unit = lower(row.unit);
    static constexpr std::array<std::pair<std::string_view, double>, 6> times{
        {{"us", 1}, {"ms", 1e3}, {"s", 1e6}, {"ns", 1e-3}, {"µs", 1}, {"usec", 1}}};
    for (const auto& [name, factor] : times) {
        if (unit == name) {
            return row.value * factor;
        }
    }
    if (unit.starts_with("tick")) {
        return row.value * ns_per_tick / 1000;
    }
    if (unit == "cycles") {
        return row.value / clock_ghz / 1000;
    }
    static constexpr std::array<std::pair<std::string_view, double>, 6> rates{
        {{"tflops", 1e6}, {"tops", 1e6}, {"gflops", 1e3}, {"gb/s", 1e3}, {"tb/s", 1e6}, {"mb/s", 1}}};
    for (const auto& [name, per_us] : rates) {
        if (unit == name && amount > 0 && row.value > 0) {
            return amount / (row.value * per_us);
        }
    }
    return std::nullopt;
}

}  // namespace ascendsim::validation
