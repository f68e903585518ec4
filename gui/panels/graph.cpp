// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/analysis/network_figures.hpp"
#include "gui/canvas/imgui_canvas.hpp"
#include "gui/panels/graph/graph_picture.hpp"
#include "gui/panels/graph/graph_view.hpp"
#include "gui/shell/csv.hpp"
#include "gui/shell/widgets.hpp"
#include "gui/timeview/table.hpp"

namespace ascendsim::gui {
namespace {

using analysis::NetworkFigures;
using analysis::NetworkGraph;
using analysis::NetworkNode;

/// The figures of the network under study; null if it is none, or not read yet.
const NetworkFigures* network_under_study(const PanelContext& context) {
    const Run* run = as_run(context.run_a);
    const RunAnalysis* analysis = run == nullptr ? nullptr : run->analysis();
    return analysis == nullptr || !analysis->network ? nullptr : &*analysis->network;
}

bool holds(std::string_view text, std::string_view part) {
    const auto same = [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
    };
    return part.empty() ||
           std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

/// The operators of a network and what goes between them, before and after fusion.
class GraphPanel final : public Panel {
public:
    [[nodiscard]] PanelInfo info() const override {
        return {.name = "graph",
                .title = "Graph",
                .hint = "The network: operators by time or limit, before and after fusion",
                .dock = Dock::centre,
                .order = 30,
                .table = true};
    }

    [[nodiscard]] bool applies(const PanelContext& context) const override {
        const Run* run = as_run(context.run_a);
        return run != nullptr && analysis::is_network(run->recording());
    }

    void draw_content(PanelContext& context) override {
        const Run* run = as_run(context.run_a);
        const NetworkFigures* figures = network_under_study(context);
        if (run == nullptr || figures == nullptr) {
            empty_panel(context, "Reading the network \u2026", "the timeline is there already");
            return;
        }
        if (of_ != run->data()) {
            of_ = run->data();
            before_ = false;
            fitted_ = false;
            followed_.reset();
        }
        before_ = before_ && figures->before.has_value();
        draw_tools(context, *figures);
        const NetworkGraph& graph = before_ ? *figures->before : figures->graph;
        if (graph.width <= 0 || graph.nodes.empty()) {
            empty_panel(context,
                        "No picture of the graph",
                        figures->no_picture.empty() ? "the recording holds none" : figures->no_picture);
            return;
        }
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const ImVec2 room = ImGui::GetContentRegionAvail();
        view_.box = whole_pixels({at.x, at.y, at.x + std::max(1.0F, room.x), at.y + std::max(1.0F, room.y)});
        ImGui::InvisibleButton("graph", {view_.box.width(), view_.box.height()});
        place_view(context, graph);
        follow(context, *run, *figures, graph);
        find(context, graph);
        ImGuiCanvas canvas{*ImGui::GetWindowDrawList(), context.fonts};
        draw_graph(canvas,
                   view_,
                   {.graph = graph,
                    .shown = figures->graph,
                    .colour = colour_,
                    .found = found_,
                    .selected = selected_},
                   context.theme);
        handle(context, *run, *figures, graph);
        publish(context, graph);
    }

    [[nodiscard]] std::optional<std::string> table(const PanelContext& context) override {
        const NetworkFigures* figures = network_under_study(context);
        if (figures == nullptr) {
            return std::nullopt;
        }
        Csv csv{{"graph",
                 "operator",
                 "name",
                 "time (us)",
                 "without launch (us)",
                 "limit",
                 "HBM (B)",
                 "alive (B)",
                 "results",
                 "kernel",
                 "joined in"}};
        add_rows(csv, "as it ran", figures->graph, figures->graph);
        if (figures->before) {
            add_rows(csv, "before fusion", *figures->before, figures->graph);
        }
        return csv.text();
    }

private:
    static void add_rows(Csv& csv,
                         const std::string& name,
                         const NetworkGraph& graph,
                         const NetworkGraph& shown) {
        for (const NetworkNode& node : graph.nodes) {
            csv.row({name,
                     node.kind,
                     node.name,
                     fmt::format("{:.3f}", node.time_us),
                     fmt::format("{:.3f}", node.core_us),
                     node.limit,
                     fmt::format("{:.0f}", node.hbm_bytes),
                     fmt::format("{:.0f}", node.alive_bytes),
                     node.shapes,
                     node.kernel,
                     node.part_of ? shown.nodes[*node.part_of].name : ""});
        }
    }

    void draw_tools(PanelContext& context, const NetworkFigures& figures) {
        const auto choice = [&](const char* label, bool on, const char* name, const char* meaning) {
            const bool clicked = tool_button(context, label, on, meaning);
            anchor_last_item(context, fmt::format("graph/{}", name));
            ImGui::SameLine(0, 2);
            return clicked;
        };
        const float gap = std::round(14 * context.scale());
        if (figures.before) {
            if (choice("As it ran", !before_, "after", "The network after fusion")) {
                show(false);
            }
            if (choice(
                    "As in the file", before_, "before", "Before fusion; a frame is one kernel after it")) {
                show(true);
            }
            ImGui::SameLine(0, gap);
        }
        if (choice(
                "Time", colour_ == GraphColour::time, "time", "The redder, the longer an operator takes")) {
            colour_ = GraphColour::time;
        }
        if (choice("Limit",
                   colour_ == GraphColour::limit,
                   "limit",
                   "The colour of the pipe that limits an operator, as in the timeline; grey: the launch")) {
            colour_ = GraphColour::limit;
        }
        ImGui::SameLine(0, gap);
        if (choice("Fit", false, "fit", "Show all of the graph")) {
            fit_ = true;
        }
        ImGui::SameLine(0, gap);
        const NetworkGraph& graph = before_ ? *figures.before : figures.graph;
        std::string words = fmt::format("{} operators", graph.nodes.size());
        if (figures.before) {
            words += fmt::format(" \u00b7 {} without, {} with fusion",
                                 microseconds(context, figures.before->time_us),
                                 microseconds(context, figures.graph.time_us));
        } else {
            words += fmt::format(" \u00b7 {}", microseconds(context, graph.time_us));
        }
        coloured_text(context.theme.text_dim, fitted(context, words, ImGui::GetContentRegionAvail().x));
        tooltip(
            "Wheel: up and down; Shift: sideways; Ctrl: zoom. Drag to move. A click selects, two show the "
            "timeline");
    }

    static std::string microseconds(const PanelContext& context, double us) {
        return format_time(us * 1e3 * context.time().clock_ghz,
                           {TimeUnit::microseconds, context.time().clock_ghz});
    }

    void show(bool before) {
        before_ = before;
        fitted_ = false;
        followed_.reset();
    }

    /// At first all of a small graph, or the top of a large one in a size that can be read.
    void place_view(const PanelContext& context, const NetworkGraph& graph) {
        if (fitted_ && !fit_) {
            return;
        }
        view_.fit(graph);
        const double readable = 0.8 * context.scale();
        if (!fit_ && view_.zoom < readable) {
            view_.zoom = readable;
            view_.left = (graph.width - view_.box.width() / view_.zoom) / 2;
            view_.top = 0;
        }
        fitted_ = true;
        fit_ = false;
    }

    /// The operator that ran at what is selected; a new selection brings it into view.
    void follow(const PanelContext& context,
                const Run& run,
                const NetworkFigures& figures,
                const NetworkGraph& graph) {
        const std::optional<Pick> pick = gui::selected(run, context.view);
        const std::optional<record::SpanId> span = pick ? std::optional{pick->span()} : std::nullopt;
        if (followed_ && span && followed_->lane == span->lane && followed_->index == span->index) {
            return;
        }
        if (!span) {
            selected_.reset();
            followed_.reset();
            return;
        }
        followed_ = span;
        selected_ = node_of(figures, graph, operator_at(run, *pick));
        const bool own = clicked_ && clicked_ == selected_;
        clicked_.reset();
        if (selected_ && !own && !view_.box.shrunk(4).contains(centre_of(graph, *selected_))) {
            view_.centre_on(graph.nodes[*selected_].centre);
        }
    }

    [[nodiscard]] Point centre_of(const NetworkGraph& graph, std::size_t node) const {
        return view_.pixel(graph.nodes[node].centre);
    }

    /// The span of the operator that runs when a pick begins.
    static std::optional<std::uint64_t> operator_at(const Run& run, const Pick& pick) {
        const std::optional<std::uint32_t> track = run.recording().find(analysis::operators_track());
        if (!track) {
            return std::nullopt;
        }
        const record::Lane& lane = run.recording().lane(*track);
        const std::size_t at = lane.first_ending_after(pick.stretch.start);
        return at < lane.size() ? std::optional<std::uint64_t>{at} : std::nullopt;
    }

    [[nodiscard]] std::optional<std::size_t> node_of(const NetworkFigures& figures,
                                                     const NetworkGraph& graph,
                                                     std::optional<std::uint64_t> span) const {
        const auto ran = std::ranges::find_if(
            figures.graph.nodes, [&](const NetworkNode& node) { return span && node.span == span; });
        if (ran == figures.graph.nodes.end()) {
            return std::nullopt;
        }
        const auto number = static_cast<std::size_t>(ran - figures.graph.nodes.begin());
        if (!before_) {
            return number;
        }
        const auto part = std::ranges::find(graph.nodes, std::optional{number}, &NetworkNode::part_of);
        return part == graph.nodes.end()
                   ? std::nullopt
                   : std::optional{static_cast<std::size_t>(part - graph.nodes.begin())};
    }

    /// What the find field means, once for each text.
    void find(const PanelContext& context, const NetworkGraph& graph) {
        const std::string& text = context.view.find;
        if (text == found_text_ && found_of_ == &graph &&
            (text.empty() || found_.size() == graph.nodes.size())) {
            return;
        }
        found_text_ = text;
        found_of_ = &graph;
        found_.clear();
        for (const NetworkNode& node : graph.nodes) {
            if (!text.empty()) {
                found_.push_back(holds(node.name, text) || holds(node.kind, text) ||
                                 holds(node.kernel, text));
            }
        }
    }

    void handle(PanelContext& context,
                const Run& run,
                const NetworkFigures& figures,
                const NetworkGraph& graph) {
        const ImGuiIO& io = ImGui::GetIO();
        const Point mouse{io.MousePos.x, io.MousePos.y};
        if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left)) {
            view_.move_by(io.MouseDelta.x, io.MouseDelta.y);
            view_.keep_inside(graph);
            dragged_ = true;
        }
        if (!ImGui::IsItemHovered()) {
            return;
        }
        wheel(io, mouse, graph);
        const std::optional<std::size_t> node = node_at(graph, view_, mouse);
        if (node) {
            hint(context, figures, graph.nodes[*node]);
        }
        if (ImGui::IsMouseReleased(ImGuiMouseButton_Left)) {
            if (node && !dragged_) {
                select(context, run, figures, *node, graph.nodes[*node]);
            }
            dragged_ = false;
        }
        if (node && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
            context.requests.command("panel.show_timeline");
        }
    }

    void wheel(const ImGuiIO& io, Point mouse, const NetworkGraph& graph) {
        const float up = std::clamp(io.MouseWheel, -20.0F, 20.0F);
        const float right = std::clamp(io.MouseWheelH, -20.0F, 20.0F);
        if (up == 0 && right == 0) {
            return;
        }
        constexpr float step = 48;  // pixels
        if (io.KeyCtrl) {
            view_.zoom_by(std::pow(1.15, up), mouse);
        } else if (io.KeyShift) {
            view_.move_by(step * up, 0);
        } else {
            view_.move_by(-step * right, step * up);
        }
        view_.keep_inside(graph);
    }

    static void hint(const PanelContext& context, const NetworkFigures& figures, const NetworkNode& node) {
        std::string words = fmt::format("{} '{}'\n{}", node.kind, node.name, node.shapes);
        if (!node.error.empty()) {
            words += fmt::format("\ncannot run: {}", node.error);
        } else if (node.time_us > 0) {
            words += fmt::format("\n{}, without launch {}; limit {}\n{}\nHBM {}",
                                 microseconds(context, node.time_us),
                                 microseconds(context, node.core_us),
                                 node.limit,
                                 node.kernel,
                                 format_bytes(static_cast<std::uint64_t>(node.hbm_bytes)));
        } else {
            words += "\ntakes no time";
        }
        if (node.alive_bytes > 0) {
            words += fmt::format("\nbetween operators alive: {}",
                                 format_bytes(static_cast<std::uint64_t>(node.alive_bytes)));
        }
        if (node.part_of) {
            const NetworkNode& stands = figures.graph.nodes[*node.part_of];
            words += fmt::format(
                "\nruns as {} '{}', {}", stands.kind, stands.name, microseconds(context, stands.time_us));
        }
        words += node.note.empty() ? "" : "\n" + node.note;
        tooltip(words);
        *context.status = fmt::format("{} '{}'", node.kind, node.name);
    }

    /// Selects the operator's span, and shows the source that was generated for it.
    void select(PanelContext& context,
                const Run& run,
                const NetworkFigures& figures,
                std::size_t number,
                const NetworkNode& node) {
        const NetworkNode& ran = node.part_of ? figures.graph.nodes[*node.part_of] : node;
        const std::optional<std::uint32_t> track = run.recording().find(analysis::operators_track());
        if (!track || !ran.span) {
            return;
        }
        if (const std::optional<Pick> pick = pick_span(run, {*track, *ran.span})) {
            clicked_ = number;
            context.requests.change([found = *pick](ViewState& view) { select_and_show(view, found); });
            if (!ran.source.empty()) {
                context.requests.command("panel.show_source");
            }
        }
    }

    void publish(const PanelContext& context, const NetworkGraph& graph) const {
        if (!context.anchors.enabled()) {
            return;
        }
        context.anchors.value("graph.operators", graph.nodes.size());
        context.anchors.value("graph.frames", graph.frames.size());
        context.anchors.value("graph.selected", selected_ ? graph.nodes[*selected_].name : "");
        context.anchors.value("graph.found", std::ranges::count(found_, true));
        context.anchors.value("graph.zoom", view_.zoom);
        for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
            const Rect box = intersect(view_.box_of(graph.nodes[i]), view_.box);
            if (!box.empty()) {
                context.anchors.add(fmt::format("graph/operator/{}", i), box);
            }
        }
    }

    std::shared_ptr<const RunData> of_;  // what the view below is of
    GraphView view_;
    bool before_ = false;  // shows the graph of the file
    bool fitted_ = false;
    bool fit_ = false;  // asked for
    bool dragged_ = false;
    GraphColour colour_ = GraphColour::time;
    std::string found_text_;
    const NetworkGraph* found_of_ = nullptr;  // compared, never followed
    std::vector<bool> found_;
    std::optional<std::size_t> selected_;
    std::optional<std::size_t> clicked_;  // on its way to become selected
    std::optional<record::SpanId> followed_;
};

}  // namespace

std::unique_ptr<Panel> make_graph_panel();

std::unique_ptr<Panel> make_graph_panel() {
    return std::make_unique<GraphPanel>();
}

}  // namespace ascendsim::gui
