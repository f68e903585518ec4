// SPDX-License-Identifier: Apache-2.0
#include "app/report/network_html.hpp"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "app/report/html_report.hpp"
#include "app/report/style.hpp"
#include "app/report/svg_graph.hpp"
#include "app/report/svg_timeline.hpp"

namespace ascendsim::report {

namespace {

using analysis::NetworkFigures;
using analysis::NetworkGraph;
using analysis::NetworkNode;

double share_in(double part, double whole) {
    return whole > 0 ? part / whole : 0;
}

std::string big_figure(std::string_view value, std::string_view what) {
    return fmt::format("<div><b>{}</b><span>{}</span></div>", html_text(value), html_text(what));
}

std::string totals_html(const NetworkFigures& figures) {
    constexpr double us_a_s = 1e6;
    std::string html{"<div class=\"figures\">"};
    html += big_figure(time_text(figures.time_us),
                       fmt::format("in {} kernel{}", figures.kernels, figures.kernels == 1 ? "" : "s"));
    if (figures.before) {
        html += big_figure(time_text(figures.before->time_us), "without fusion");
    }
    html += big_figure(percent_text(share_in(figures.launch_us(), figures.time_us)),
                       fmt::format("launches, {}", time_text(figures.launch_us())));
    html +=
        big_figure(fmt::format("{:.4g}", share_in(figures.flops, figures.time_us / us_a_s) / 1e12), "TFLOPS");
    html += big_figure(bytes_text(figures.hbm_bytes), "to and from HBM");
    html += big_figure(bytes_text(figures.peak_bytes),
                       fmt::format("between operators at most, in '{}'", figures.peak_operator));
    html += big_figure(bytes_text(figures.weight_bytes), "weights");
    return html + "</div>\n";
}

HtmlTable kinds_table(const NetworkFigures& figures) {
    HtmlTable table{.heading = "Kinds of operators",
                    .columns = {"kind", "count", "kernels", "time", "share", "HBM"},
                    .rows = {}};
    for (const analysis::NetworkKind& kind : figures.kinds) {
        table.rows.push_back({kind.kind,
                              count_text(kind.count),
                              count_text(kind.kernels),
                              time_text(kind.time_us),
                              percent_text(share_in(kind.time_us, figures.time_us)),
                              bytes_text(kind.hbm_bytes)});
    }
    return table;
}

HtmlTable operators_table(const NetworkFigures& figures) {
    HtmlTable table{.heading = "Operators, the longest first",
                    .columns = {"operator", "name", "place", "time", "share", "limit", "HBM", "kernel"},
                    .rows = {}};
    for (const std::size_t i : analysis::by_time(figures.graph)) {
        const NetworkNode& node = figures.graph.nodes[i];
        table.rows.push_back({node.kind,
                              node.name,
                              count_text(i + 1),
                              time_text(node.time_us),
                              percent_text(share_in(node.time_us, figures.time_us)),
                              node.limit,
                              bytes_text(node.hbm_bytes),
                              node.kernel});
    }
    return table;
}

HtmlTable refused_table(const NetworkFigures& figures) {
    HtmlTable table{
        .heading = "Cannot run, and are not in the sums", .columns = {"operator", "name", "why"}, .rows = {}};
    for (const NetworkNode& node : figures.graph.nodes) {
        if (!node.error.empty()) {
            table.rows.push_back({node.kind, node.name, node.error});
        }
    }
    return table;
}

/// A list of `fusion`, as fusion_json() makes it; empty if it is none.
const nlohmann::json& list_of(const nlohmann::json& fusion, const char* key) {
    static const nlohmann::json none = nlohmann::json::array();
    return fusion.is_object() && fusion.contains(key) && fusion[key].is_array() ? fusion[key] : none;
}

HtmlTable decisions_table(const nlohmann::json& fusion, const char* key, std::string heading) {
    HtmlTable table{
        .heading = std::move(heading),
        .columns = {"operators", "pattern", "count", "apart", "fused", "traffic saved", "score", "why"},
        .rows = {}};
    for (const nlohmann::json& one : list_of(fusion, key)) {
        table.rows.push_back({one.value("kinds", ""),
                              one.value("pattern", ""),
                              count_text(one.value("count", std::uint64_t{1})),
                              time_text(one.value("apart_us", 0.0)),
                              time_text(one.value("fused_us", 0.0)),
                              percent_text(one.value("traffic_saved", 0.0)),
                              fmt::format("{:.2f}", one.value("score", 0.0)),
                              one.value("code", "").empty()
                                  ? ""
                                  : fmt::format("{}: {}", one.value("code", ""), one.value("text", ""))});
    }
    return table;
}

HtmlTable not_joined_table(const nlohmann::json& fusion) {
    HtmlTable table{
        .heading = "Neighbours that were not joined", .columns = {"operators", "count", "why"}, .rows = {}};
    for (const nlohmann::json& one : list_of(fusion, "not_joined")) {
        table.rows.push_back({fmt::format("{} → {}", one.value("from", ""), one.value("to", "")),
                              count_text(one.value("count", std::uint64_t{1})),
                              fmt::format("{}: {}", one.value("code", ""), one.value("text", ""))});
    }
    return table;
}

std::string graph_html(const NetworkFigures& figures) {
    if (!figures.no_picture.empty()) {
        return fmt::format("<h2>Graph</h2>\n<p class=\"sub\">No picture: {}.</p>\n",
                           html_text(figures.no_picture));
    }
    constexpr std::string_view box = "<div style=\"overflow:auto;max-height:80vh;border:1px solid #8884\">\n";
    std::string html = fmt::format(
        "<h2>Graph{}, {}</h2>\n<p class=\"sub\">The redder, the longer; figures on hover.</p>\n{}{}</div>\n",
        figures.before ? " after fusion" : "",
        time_text(figures.graph.time_us),
        box,
        svg_graph(figures.graph, figures.graph, "The network as it ran"));
    if (figures.before) {
        html += fmt::format(
            "<h2>Graph before fusion, {}</h2>\n<p class=\"sub\">A frame: operators that one kernel stands "
            "for "
            "after fusion.</p>\n{}{}</div>\n",
            time_text(figures.before->time_us),
            box,
            svg_graph(*figures.before, figures.graph, "The network as its file states it"));
    }
    return html;
}

}  // namespace

void write_network_html(std::ostream& out, const NetworkFigures& figures) {
    out << html_head(figures.name) << "<h1>" << html_text(figures.name) << "</h1>\n";
    out << fmt::format(
        "<p class=\"sub\">{} · {} operators</p>\n", html_text(figures.chip), figures.graph.nodes.size());
    out << fmt::format(
        "<p{}>{}.</p>\n", figures.complete ? "" : " class=\"bad\"", html_text(analysis::verdict(figures)));
    out << totals_html(figures) << html(refused_table(figures)) << html(kinds_table(figures))
        << graph_html(figures);
    if (const std::string memory = svg_memory(figures); !memory.empty()) {
        out << "<h2>Memory between operators</h2>\n" << memory;
    }
    out << html(decisions_table(figures.fusion, "fused", "Joined"))
        << html(decisions_table(figures.fusion, "refused", "Simulated, and not joined"))
        << html(not_joined_table(figures.fusion)) << html(operators_table(figures)) << html_foot();
}

}  // namespace ascendsim::report
