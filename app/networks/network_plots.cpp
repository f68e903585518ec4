// SPDX-License-Identifier: Apache-2.0
#include "app/networks/network_plots.hpp"

#include <string>

#include <nlohmann/json.hpp>

#include "app/analysis/energy_prices.hpp"
#include "app/networks/network_energy.hpp"

namespace ascendsim::report {
namespace {

/// A figure of each kernel that holds while it runs.
template <class Figure>
analysis::PlotSeries of_kernels(const std::vector<TimedKernel>& kernels, const Figure& figure) {
    analysis::PlotSeries series;
    for (const TimedKernel& kernel : kernels) {
        series.points.emplace_back(kernel.start_us, figure(kernel));
    }
    series.points.emplace_back(kernels.back().end_us, 0);
    constexpr std::size_t most = 5000;  // kernels with steps of their own
    return thinned(std::move(series), most);
}

analysis::RecordedPlot by_kernel(std::string title,
                                 std::string note,
                                 std::string unit,
                                 analysis::PlotSeries series) {
    return {.title = std::move(title),
            .note = std::move(note),
            .x = "us",
            .y = std::move(unit),
            .over_time = true,
            .steps = true,
            .series = {std::move(series)}};
}

/// A figure of each step of training, with what is not finite left out.
analysis::PlotSeries of_steps(const nlohmann::ordered_json& steps, const std::string& name, const char* key) {
    analysis::PlotSeries series{.name = name, .points = {}};
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const auto found = steps[i].find(key);
        if (found != steps[i].end() && found->is_number()) {
            series.points.emplace_back(static_cast<double>(i + 1), found->get<double>());
        }
    }
    return series;
}

}  // namespace

std::vector<analysis::RecordedPlot> network_plots(const std::vector<TimedKernel>& kernels,
                                                  const ChipSpec& chip,
                                                  const nlohmann::json& metadata) {
    std::vector<analysis::RecordedPlot> plots;
    if (kernels.empty()) {
        return plots;
    }
    if (const auto prices = analysis::prices_of(metadata)) {
        constexpr double us_a_second = 1e6;
        plots.push_back(
            by_kernel("Power",
                      "What the chip draws, with the work of a kernel spread over its time, launch included",
                      "W",
                      of_kernels(kernels, [&](const TimedKernel& kernel) {
                          return prices->idle_w + dynamic_joules(*kernel.result, metadata) * us_a_second /
                                                      kernel.result->time_us;
                      })));
        if (prices->limit_w > 0) {
            plots.back().limit = prices->limit_w;
        }
    }
    constexpr double bytes_a_us_a_gb_a_s = 1e3;
    plots.push_back(by_kernel("HBM",
                              "Read from and written to HBM, spread over the time of each kernel",
                              "GB/s",
                              of_kernels(kernels, [](const TimedKernel& kernel) {
                                  return (kernel.result->hbm_read_bytes + kernel.result->hbm_write_bytes) /
                                         kernel.result->time_us / bytes_a_us_a_gb_a_s;
                              })));
    plots.back().limit = chip.hbm.gb_per_s;
    constexpr double mib = 1024.0 * 1024;
    plots.push_back(
        by_kernel("Tensors alive",
                  "Between operators, without weights, as the memory plan has them",
                  "MiB",
                  of_kernels(kernels, [](const TimedKernel& kernel) { return kernel.alive_bytes / mib; })));
    return plots;
}

std::vector<analysis::RecordedPlot> stability_plots(const nlohmann::ordered_json& stability) {
    std::vector<analysis::RecordedPlot> plots;
    const auto steps = stability.find("steps");
    if (steps == stability.end() || !steps->is_array()) {
        return plots;
    }
    const auto add = [&](std::string title, std::string note, std::vector<analysis::PlotSeries> series) {
        std::erase_if(series, [](const analysis::PlotSeries& one) { return one.points.empty(); });
        if (!series.empty()) {
            plots.push_back({.title = std::move(title),
                             .note = std::move(note),
                             .x = "step",
                             .series = std::move(series)});
        }
    };
    add("Loss", "Of each step, skipped ones too", {of_steps(*steps, {}, "loss")});
    add("Gradients",
        "After the loss scale is taken out; a step with an overflow has none",
        {of_steps(*steps, "norm", "gradient_norm"), of_steps(*steps, "largest element", "largest_gradient")});
    add("Loss scale",
        "Halved, or as asked, at an overflow, and grown after steps without",
        {of_steps(*steps, {}, "loss_scale")});
    for (analysis::RecordedPlot& plot : plots) {
        plot.steps = plot.title == "Loss scale";
    }
    add("Overflows",
        "Elements of gradients that are no finite number, or zero",
        {of_steps(*steps, "not finite", "not_finite"), of_steps(*steps, "zero", "zeros")});
    add("Largest activation",
        "Of all tensors of the forward pass",
        {of_steps(*steps, {}, "largest_activation")});
    add("Saturated", "Elements at the largest number of their type", {of_steps(*steps, {}, "saturated")});
    return plots;
}

}  // namespace ascendsim::report
