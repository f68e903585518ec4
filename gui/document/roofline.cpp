// SPDX-License-Identifier: Apache-2.0
#include "gui/document/roofline.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/analysis/bounds.hpp"
#include "app/analysis/traffic.hpp"

namespace ascendsim::gui {
namespace {

/// The recorded operations of a kind of pipe in a stretch; those at its ends count by their share.
double work_in(const Run& run, std::string_view pipe, const TimeRange& range) {
    double sum = 0;
    for (const record::Lane& lane : run.recording().lanes()) {
        if (lane.path.pipe() != pipe) {
            continue;
        }
        for (std::size_t i = lane.first_ending_after(static_cast<std::uint64_t>(std::max(0.0, range.begin)));
             i < lane.size() && static_cast<double>(lane.start[i]) < range.end;
             ++i) {
            const auto start = static_cast<double>(lane.start[i]);
            const auto end = static_cast<double>(lane.end[i]);
            const double inside = std::min(end, range.end) - std::max(start, range.begin);
            sum += end > start ? lane.work[i] * inside / (end - start) : lane.work[i];
        }
    }
    return sum;
}

/// What limits a curve: a pipe, or a memory that all cores share.
std::string_view resource_of(std::size_t curve) {
    return curve == hbm_curve        ? "hbm"
           : curve == l2_read_curve  ? "l2_reads"
           : curve == l2_write_curve ? "l2_writes"
                                     : analysis::route_pipes.at(curve - first_route_curve);
}

}  // namespace

Roofline roofline_of(const Run& run, TimeRange range) {
    Roofline result;
    if (!run.chip().known() || !(range.length() > 0)) {
        return result;
    }
    const double cube = 2 * work_in(run, "cube", range);
    const double vector = work_in(run, "vector", range);
    const analysis::Work work = analysis::work_of(run.recording().metadata(), 0, 0);
    const bool on_cube = cube >= vector && cube > 0;
    result.peak_name = on_cube ? "cube" : "vector";
    result.peak_gops =
        run.clock_ghz() *
        (on_cube ? 2 * run.chip().cube_work_per_cycle(work.cube_type) * run.chip().cube_cores()
                 : run.chip().vector_work_per_cycle(work.vector_type) * run.chip().vector_cores());
    const double operations = on_cube ? cube : vector;
    result.gops = operations / range.length() * run.clock_ghz();
    for (std::size_t curve = 0; curve < curve_count; ++curve) {
        const double peak = run.traffic().peak(curve);
        if (!run.traffic().used(curve) || peak <= 0 || result.peak_gops <= 0) {
            continue;
        }
        const double bytes = run.traffic().bytes(curve, range.begin, range.end);
        result.roofs.push_back({.name = std::string{curve_label(curve)},
                                .pipe = std::string{resource_of(curve)},
                                .gb_per_s = peak * run.clock_ghz(),
                                .used_gb_per_s = bytes / range.length() * run.clock_ghz(),
                                .intensity = bytes > 0 ? operations / bytes : 0});
    }
    return result;
}

}  // namespace ascendsim::gui
