// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "gui/canvas/imgui_canvas.hpp"
#include "gui/panels/chip_view/chip_diagram.hpp"
#include "gui/panels/chip_view/chip_heat_map.hpp"
#include "gui/panels/chip_view/chip_moment.hpp"
#include "gui/panels/chip_view/chip_player.hpp"
#include "gui/panels/chip_view/node_view.hpp"
#include "gui/shell/widgets.hpp"
#include "gui/timeview/lane_picture.hpp"

namespace ascendsim::gui {
namespace {

/// The chip at one cycle, as a moving diagram: for understanding what works, what waits, and for whom.
class ChipViewPanel final : public Panel {
public:
    [[nodiscard]] PanelInfo info() const override {
        return {.name = "chip_view",
                .title = "Chip",
                .hint = "A core and the chip at the cursor's cycle: step, play, reverse",
                .dock = Dock::centre,
                .order = 20};
    }

    void add_commands(CommandTable& commands, Requests& requests) override {
        const auto add = [&](const char* name, const char* title, const char* key, auto act) {
            commands.add({name, title, "Chip", keys({key}), act, {}, true});
        };
        add("chip.step", "Step to the next event", "", [this] { player_.step(true); });
        add("chip.step_back", "Step to the event before", "", [this] { player_.step(false); });
        add("chip.play", "Play or pause", "", [this] { player_.toggle(true); });
        add("chip.reverse", "Play backwards", "", [this] { player_.toggle(false); });
        add("chip.faster", "Play faster", "", [&requests] { change_speed(requests, 2); });
        add("chip.slower", "Play slower", "", [&requests] { change_speed(requests, 0.5); });
    }

    void draw_content(PanelContext& context) override {
        const Run* run = as_run(context.run_a);
        const bool machine = run != nullptr && run->machine() != nullptr;
        if (machine && (run->cores().empty() || shows_node_)) {
            draw_node(*run, context);
            return;
        }
        if (run == nullptr || run->cores().empty()) {
            empty_panel(context, "Nothing has run yet", "the chip comes alive with the first instruction");
            return;
        }
        buffers_.follow(*run);
        core_ = std::min(core_, run->cores().size() - 1);
        const CoreLanes& core = run->cores()[core_];
        player_.advance(*run, core, context.view, static_cast<double>(ImGui::GetIO().DeltaTime));
        pass_time_on(context);
        draw_transport(*run, core, context);
        const Rect box = rest_of_panel();
        ImGui::InvisibleButton("chip", {box.width(), box.height()});
        const bool hovered = ImGui::IsItemHovered();
        const bool active = ImGui::IsItemActive();
        ImGuiCanvas canvas{*ImGui::GetWindowDrawList(), context.fonts};
        const Places places = place(box, core, context);
        const std::vector<DiagramPart> parts = draw_all(canvas, places, *run, core, context);
        handle(*run, places, parts, hovered, active, context);
    }

private:
    /// The machine around the chips.
    void draw_node(const Run& run, PanelContext& context) {
        node_.follow(run);
        const CoreLanes streams = node_.steps();
        player_.advance(run, streams, context.view, static_cast<double>(ImGui::GetIO().DeltaTime));
        pass_time_on(context);
        draw_transport(run, streams, context);
        const Rect box = rest_of_panel();
        ImGui::InvisibleButton("node", {box.width(), box.height()});
        const bool hovered = ImGui::IsItemHovered();
        const bool active = ImGui::IsItemActive();
        ImGuiCanvas canvas{*ImGui::GetWindowDrawList(), context.fonts};
        node_.draw(canvas, box, run, player_.cycle(), context);
        if (const std::optional<double> moved = node_.handle(run, context, hovered, active)) {
            player_.move_to(*moved);
        }
    }

    void pass_time_on(PanelContext& context) {
        if (const std::optional<double> moved = player_.take_move()) {
            context.requests.change([at = *moved](ViewState& view) { view.cursor = at; });
        } else if (!context.view.cursor) {  // what is shown here is the moment of all views
            context.requests.change([at = player_.cycle()](ViewState& view) {
                if (!view.cursor) {
                    view.cursor = at;
                }
            });
        }
        if (player_.playing()) {
            context.requests.animate();
        }
    }

    static Rect rest_of_panel() {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const ImVec2 room = ImGui::GetContentRegionAvail();
        return whole_pixels({at.x, at.y, at.x + std::max(1.0F, room.x), at.y + std::max(1.0F, room.y)});
    }

    static void change_speed(Requests& requests, double factor) {
        requests.change([factor](ViewState& view) {
            view.play_speed = std::clamp(view.play_speed * factor, least_play_speed, most_play_speed);
        });
    }

    /// Where the parts of the panel are.
    struct Places {
        Rect diagram;
        Rect map;
        Rect sentences;
        std::size_t lines = 1;  // of a sentence
        Rect strip;
    };

    static float row_height(const PanelContext& context) {
        return std::round(context.fonts.line_height(TextStyle::regular) + 3 * context.scale());
    }

    /// Two in a narrow panel that has room for them, where sentences are cut else; never as sentences are
    /// long, which would make the picture jump while the run plays.
    static std::size_t lines_of_sentence(float left, float rows, float width, const PanelContext& context) {
        const bool narrow = width < std::round(900 * context.scale());
        return narrow && left >= 2 * rows * row_height(context) ? 2 : 1;
    }

    /// Of whole rows, in what the diagram leaves of `room`; all of it where there is none for a diagram.
    static float sentences_height(float room, float readable, float rows, const PanelContext& context) {
        const float row = row_height(context);
        const float left = room - readable;
        const float fitting = std::floor((left < row ? room : left) / row);
        return std::clamp(fitting, 0.0F, rows) * row;
    }

    static Places place(Rect box, const CoreLanes& core, const PanelContext& context) {
        const float scale = context.scale();
        const float gap = std::round(10 * scale);
        const float rows = static_cast<float>(core.lanes.size());
        const float readable = std::round(100 * scale);  // the least height of a diagram
        const bool low =
            box.height() < readable + rows * (row_height(context) + std::round(9 * scale)) + 2 * gap;
        const float strip = std::round(rows * std::round((low ? 5 : 9) * scale));
        Places places;
        const float room = box.height() - strip - 2 * gap;
        places.lines = lines_of_sentence(room - readable, rows, box.width(), context);
        const float sentences =
            sentences_height(room, readable, rows * static_cast<float>(places.lines), context);
        const float map = std::min(std::round(230 * scale), box.width() * 0.3F);
        places.strip = {box.left, box.bottom - strip, box.right, box.bottom};
        places.sentences = {box.left, places.strip.top - gap - sentences, box.right, places.strip.top - gap};
        const float bottom = places.sentences.top - gap;
        // A diagram that is too tall is as hard to read as one that is too flat.
        const float tallest = std::max(1.0F, (box.width() - map - gap) * 0.62F);
        const float height = std::min(bottom - box.top, tallest);
        places.diagram = {box.left, box.top, box.right - map - gap, box.top + height};
        places.map = {box.right - map, box.top, box.right, bottom};
        return places;
    }

    std::vector<DiagramPart> draw_all(Canvas& canvas,
                                      const Places& places,
                                      const Run& run,
                                      const CoreLanes& core,
                                      const PanelContext& context) {
        const double window = player_.window(run);
        const ChipMoment moment = moment_of(run, buffers_, core, player_.cycle(), window, context.theme);
        std::vector<DiagramPart> parts;
        constexpr float least = 60;
        if (places.diagram.height() > least && places.diagram.width() > least) {
            parts = draw_core(
                canvas, places.diagram, moment, core.name.starts_with("aic"), context.theme, context.scale());
        }
        draw_sentences(canvas, places.sentences, places.lines, moment, context, parts);
        if (places.map.height() > least) {
            map_.draw(canvas, places.map, run, core_, player_.cycle(), window, context);
        }
        draw_strips(canvas, places.strip, run, core, context);
        return parts;
    }

    void draw_transport(const Run& run, const CoreLanes& core, PanelContext& context) {
        const auto button = [&](const char* name, const char* label, bool on, const char* hint, auto act) {
            if (tool_button(context, label, on, hint)) {
                act();
            }
            anchor_last_item(context, fmt::format("chip/{}", name));
            ImGui::SameLine();
        };
        if (run.machine() != nullptr && !run.cores().empty()) {
            button(
                "node", "Node", shows_node_, "The machine around the chips", [this] { shows_node_ = true; });
            button("core", "Core", !shows_node_, "A core and its chip", [this] { shows_node_ = false; });
        }
        button("step_back", "< step", false, "To the event before", [this] { player_.step(false); });
        button("reverse", "< play", player_.plays(false), "Backwards", [this] { player_.toggle(false); });
        button("play", "play >", player_.plays(true), "Forwards", [this] { player_.toggle(true); });
        button("step", "step >", false, "To the next event", [this] { player_.step(true); });
        button("slower", "-", false, "Half the speed", [&] { change_speed(context.requests, 0.5); });
        button("faster", "+", false, "Twice the speed", [&] { change_speed(context.requests, 2); });
        ImGui::AlignTextToFramePadding();
        coloured_text(context.theme.text_dim,
                      context.time().unit == TimeUnit::cycles || run.machine() == nullptr
                          ? fmt::format("{} cycles/s", format_number(player_.speed(run), 0))
                          : format_time(player_.speed(run), context.time()) + "/s");
        tooltip("Speed of playing: cycles of the chip in one second");
        ImGui::SameLine(0, std::round(16 * context.scale()));
        ImGui::PushFont(context.fonts.font(TextStyle::bold));
        coloured_text(context.theme.text, core.name);
        ImGui::PopFont();
        tooltip("What is shown; click another on the map");
        ImGui::SameLine();
        coloured_text(context.theme.text, "at " + format_time(std::floor(player_.cycle()), context.time()));
        tooltip("The moment that is shown, from the start of the run: the cursor of all views");
        if (context.anchors.enabled()) {
            context.anchors.value("chip.cycle", player_.cycle());
            context.anchors.value("chip.core", core.name);
            context.anchors.value("chip.playing", player_.plays(true) || player_.plays(false));
        }
    }

    /// A sentence in `lines` lines, of which `first` is the first; the last is cut where it is too long.
    static void draw_lines(Canvas& canvas,
                           Rect first,
                           std::size_t lines,
                           Pixel colour,
                           std::string_view sentence,
                           const PanelContext& context) {
        const std::vector<std::string_view> parts = wrapped(context, sentence, first.width());
        for (std::size_t n = 0; n < std::min(lines, parts.size()); ++n) {
            const auto begin = static_cast<std::size_t>(parts[n].data() - sentence.data());
            canvas.text_in(first, colour, n + 1 == lines ? sentence.substr(begin) : parts[n]);
            first = {first.left, first.bottom, first.right, first.bottom + first.height()};
        }
    }

    /// What every unit does or waits for; becomes part of what the pointer can rest on, as it may be cut.
    static void draw_sentences(Canvas& canvas,
                               Rect box,
                               std::size_t lines,
                               const ChipMoment& moment,
                               const PanelContext& context,
                               std::vector<DiagramPart>& parts) {
        const float line = row_height(context);
        const float row = line * static_cast<float>(lines);
        const float label = std::round(74 * context.scale());
        float top = box.top;
        auto left = std::ranges::count_if(moment.units, &UnitMoment::present);
        canvas.push_clip(box);
        for (std::size_t n = 0; n < pipe_count; ++n) {
            const UnitMoment& unit = moment.units[n];
            if (!unit.present) {
                continue;
            }
            if (left > 1 && top + 2 * row > box.bottom + 1) {
                canvas.text_in({box.left, top, box.right, top + row},
                               context.theme.text_faint,
                               fmt::format("{} more: point at the units, or enlarge this view", left));
                break;
            }
            --left;
            const PipeStyle& style = context.theme.pipe(pipe_names[n]);
            const Rect swatch{box.left, top + 1, box.left + label - 8, top + line - 2};
            canvas.fill(whole_pixels(swatch), style.colour);
            canvas.text_in(swatch, readable_on(style.colour), style.label, Align::centre, TextStyle::small);
            const bool waits = unit.pick && unit.pick->waits();
            const std::string_view sentence = unit.sentence.empty() ? std::string_view{"has nothing to do"}
                                                                    : std::string_view{unit.sentence};
            draw_lines(canvas,
                       {box.left + label, top, box.right, top + line},
                       lines,
                       waits ? context.theme.text_dim : context.theme.text,
                       sentence,
                       context);
            parts.push_back({fmt::format("sentence/{}", pipe_names[n]),
                             intersect({box.left, top, box.right, top + row}, box),
                             fmt::format("{} {}", style.label, unit.sentence)});
            top += row;
        }
        canvas.pop_clip();
    }

    /// The whole run of this core, thin, with the cursor: drag in it to move in time.
    void draw_strips(
        Canvas& canvas, Rect box, const Run& run, const CoreLanes& core, const PanelContext& context) const {
        const TimeAxis axis{{0, std::max(1.0, run.cycles())}, box.left, box.width()};
        const float row = box.height() / static_cast<float>(core.lanes.size());
        const LaneStyle style{.theme = &context.theme, .cause = {}, .labels = false, .step = 1};
        float top = box.top;
        for (const std::uint32_t lane : core.lanes) {
            draw_strip(
                canvas, run, lane, axis, whole_pixels({box.left, top, box.right, top + row - 1}), style);
            top += row;
        }
        const float x = axis.pixel(std::floor(player_.cycle()));
        canvas.fill({x, box.top - 3, x + std::max(1.0F, std::round(2 * context.scale())), box.bottom},
                    context.theme.guide);
    }

    void handle(const Run& run,
                const Places& places,
                const std::vector<DiagramPart>& parts,
                bool hovered,
                bool active,
                PanelContext& context) {
        if (context.anchors.enabled()) {
            context.anchors.add("chip/strip", places.strip);
            for (const DiagramPart& part : parts) {
                context.anchors.add("chip/part/" + part.name, part.box);
            }
            map_.name_places(context.anchors);
        }
        const ImVec2 mouse = ImGui::GetMousePos();
        const Point point{mouse.x, mouse.y};
        if (active && places.strip.contains(
                          {std::clamp(point.x, places.strip.left, places.strip.right - 1), point.y})) {
            const TimeAxis axis{{0, std::max(1.0, run.cycles())}, places.strip.left, places.strip.width()};
            player_.move_to(std::clamp(axis.whole_cycle(point.x), 0.0, run.cycles()));
        }
        if (!hovered) {
            return;
        }
        for (const DiagramPart& part : parts) {
            if (part.box.contains(point)) {
                tooltip(part.hint);
                *context.status = part.hint;
            }
        }
        if (places.strip.contains(point)) {
            tooltip("The pipes of this core over the whole run; drag to move in time");
        }
        if (const std::optional<std::size_t> core = map_.at(point)) {
            tooltip(map_.hint(run, *core));
            if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
                core_ = *core;
            }
        }
    }

    BufferIndex buffers_;
    ChipPlayer player_;
    ChipHeatMap map_;
    NodeView node_;
    bool shows_node_ = true;  // where there is a machine
    std::size_t core_ = 0;
};

}  // namespace

std::unique_ptr<Panel> make_chip_view_panel();

std::unique_ptr<Panel> make_chip_view_panel() {
    return std::make_unique<ChipViewPanel>();
}

}  // namespace ascendsim::gui
