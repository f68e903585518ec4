// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/summary/network_summary.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "gui/document/selection.hpp"
#include "gui/shell/widgets.hpp"
#include "gui/timeview/name_list.hpp"
#include "gui/timeview/table.hpp"

namespace ascendsim::gui {
namespace {

using analysis::NetworkFigures;
using analysis::NetworkNode;

std::string network_time(const PanelContext& context, double us) {
    return format_time(us * 1e3 * context.time().clock_ghz, context.time());
}

double of_network(double us, const NetworkFigures& figures) {
    return figures.time_us > 0 ? us / figures.time_us : 0;
}

void draw_kinds(const PanelContext& context, const NetworkFigures& figures) {
    constexpr std::size_t most = 8;
    heading(context, "Time, by kind of operator");
    for (std::size_t i = 0; i < std::min(most, figures.kinds.size()); ++i) {
        const analysis::NetworkKind& kind = figures.kinds[i];
        const double share = of_network(kind.time_us, figures);
        const std::string words = fmt::format("{}: {} operators in {} kernels, {}",
                                              kind.kind,
                                              kind.count,
                                              kind.kernels,
                                              network_time(context, kind.time_us));
        value_row(context, kind.kind, format_percent(share), words);
        share_bar(context, share, context.theme.accent, std::round(4 * context.scale()), words);
    }
}

void draw_longest(PanelContext& context, const Run& run, const NetworkFigures& figures) {
    constexpr std::size_t most = 8;
    heading(context, "Longest operators");
    const std::optional<std::uint32_t> track = run.recording().find(analysis::operators_track());
    std::vector<std::size_t> order = analysis::by_time(figures.graph);
    order.resize(std::min(most, order.size()));
    std::vector<NameList::Row> rows;
    for (const std::size_t number : order) {
        const NetworkNode& node = figures.graph.nodes[number];
        rows.push_back({.name = fmt::format("{} '{}'", node.kind, node.name),
                        .value = format_percent(of_network(node.time_us, figures))});
    }
    const NameList list{context, std::move(rows)};
    for (std::size_t i = 0; i < order.size(); ++i) {
        const NetworkNode& node = figures.graph.nodes[order[i]];
        const auto pick = track && node.span ? pick_span(run, {*track, *node.span}) : std::nullopt;
        if (link(context,
                 list.shown(i),
                 fmt::format("{}\nClick to select it on the timeline", list.name(i))) &&
            pick) {
            context.requests.change([found = *pick](ViewState& view) { select_and_show(view, found); });
        }
        anchor_last_item(context, fmt::format("summary/operator/{}", i));
        list.draw_value(
            context, i, fmt::format("{}, limit {}", network_time(context, node.time_us), node.limit));
    }
}

void draw_totals(const PanelContext& context, const NetworkFigures& figures) {
    const auto bytes = [](double count) { return format_bytes(static_cast<std::uint64_t>(count)); };
    heading(context, "Figures");
    value_row(context, "kernels", format_count(figures.kernels), "Launches, one after the other");
    value_row(context,
              "launches",
              format_percent(of_network(figures.launch_us(), figures)),
              "Share of the time before the first core of a kernel starts and behind the last one's end");
    if (figures.before) {
        value_row(context,
                  "without fusion",
                  network_time(context, figures.before->time_us),
                  "Sum over the kernels of the network as its file states it");
    }
    value_row(context, "HBM", bytes(figures.hbm_bytes), "Read from and written to HBM");
    value_row(context, "weights", bytes(figures.weight_bytes), "Constants and inputs that stand for weights");
    value_row(context,
              "between operators",
              bytes(figures.peak_bytes),
              fmt::format("Tensors alive at the same time at most, in '{}'", figures.peak_operator));
    if (const std::string missing = analysis::left_out(figures); !missing.empty()) {
        value_row(
            context, "pipes recorded", fmt::format("{} of {}", figures.recorded, figures.kernels), missing);
    }
}

}  // namespace

void draw_network_summary(PanelContext& context, const Run& run, const NetworkFigures& figures) {
    draw_kinds(context, figures);
    draw_longest(context, run, figures);
    draw_totals(context, figures);
}

}  // namespace ascendsim::gui
