// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/components.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/port/pipe.hpp"

namespace ascendsim::analysis {

namespace {

class Finder {
public:
    Finder(const RunSummary& summary, const nlohmann::json& metadata)
        : summary_{summary},
          chip_{metadata},
          work_{work_of(metadata, 0, 0)},
          total_{static_cast<double>(summary.to - summary.from)} {}

    std::vector<Component> find() {
        unit(Pipe::cube, chip_.cube_work_per_cycle(work_.cube_type), "multiply-accumulates", work_.cube_type);
        unit(Pipe::vector, chip_.vector_work_per_cycle(work_.vector_type), "elements", work_.vector_type);
        for (const RouteTraffic& route : summary_.traffic.routes) {
            add_route(route);
        }
        // L2 gives and takes at the same time: the busier direction is what it needs.
        const std::uint64_t read = summary_.traffic.gm_read_bytes;
        const std::uint64_t written = summary_.traffic.gm_write_bytes;
        shared("l2",
               static_cast<double>(std::max(read, written)),
               read >= written ? "to the cores" : "from the cores",
               chip_.number("l2.gb_per_s", 0));
        shared("hbm",
               static_cast<double>(summary_.traffic.hbm_bytes()),
               "read and written",
               chip_.number("hbm.gb_per_s", 0));
        requests();
        std::ranges::stable_sort(found_, std::ranges::greater{}, &Component::utilization);
        return std::move(found_);
    }

private:
    void unit(Pipe pipe, double rate, std::string_view what, std::string_view type) {
        const PipeUse* const use = summary_.find(name(pipe));
        if (use == nullptr || use->work == 0 || rate <= 0 || !chip_.known()) {
            return;
        }
        const double lanes = use->lanes;
        const auto work = static_cast<double>(use->work);
        found_.push_back(
            {std::string{name(pipe)},
             std::string{name(pipe)},
             work / lanes / rate,
             static_cast<double>(use->cycles.busy()) / lanes,
             total_,
             fmt::format("{:.4g} {} / ({} cores x {} a cycle of {})", work, what, lanes, rate, type)});
    }

    void add_route(const RouteTraffic& route) {
        if (route.peak_bytes_per_cycle <= 0 || route.lanes == 0) {
            return;
        }
        const double lanes = route.lanes;
        const auto bytes = static_cast<double>(route.bytes);
        found_.push_back(
            {std::string{route.name},
             pipe_of(route.name),
             bytes / lanes / route.peak_bytes_per_cycle,
             static_cast<double>(route.active_cycles) / lanes,
             total_,
             fmt::format("{:.4g} B / ({} cores x {} B a cycle)", bytes, lanes, route.peak_bytes_per_cycle)});
    }

    void shared(const std::string& name, double bytes, std::string_view way, double gb_per_s) {
        if (bytes > 0 && gb_per_s > 0) {
            const double rate = gb_per_s / chip_.clock_ghz();
            found_.push_back({name,
                              {},
                              bytes / rate,
                              0,
                              total_,
                              fmt::format("{:.4g} B {} / {} GB/s", bytes, way, gb_per_s)});
        }
    }

    // What all cores together may start at L2, either way.
    void requests() {
        std::uint64_t reads = 0;
        std::uint64_t writes = 0;
        for (const RouteTraffic& route : summary_.traffic.routes) {
            (route.writes_gm() ? writes : reads) += route.requests;
        }
        const auto count = static_cast<double>(std::max(reads, writes));
        const double rate = chip_.number("l2.requests_per_ns", 0);
        if (count > 0 && rate > 0) {
            found_.push_back(
                {"l2_requests",
                 {},
                 count / rate * chip_.clock_ghz(),
                 0,
                 total_,
                 fmt::format("{:.4g} {} / {} a ns", count, reads >= writes ? "reads" : "writes", rate)});
        }
    }

    static std::string pipe_of(std::string_view route) {
        if (route.starts_with("gm_to")) {
            return "mte2";
        }
        if (route.starts_with("l0c_to")) {
            return "fixpipe";
        }
        return route.starts_with("l1_to_l0") || route == "l1_to_tables" ? "mte1"
               : route.starts_with("scalar")                            ? "scalar"
                                                                        : "mte3";
    }

    const RunSummary& summary_;
    ChipNumbers chip_;
    Work work_;
    double total_;
    std::vector<Component> found_;
};

}  // namespace

std::vector<Component> components_of(const RunSummary& summary, const nlohmann::json& metadata) {
    return Finder{summary, metadata}.find();
}

}  // namespace ascendsim::analysis
