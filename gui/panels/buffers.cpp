// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "gui/canvas/imgui_canvas.hpp"
#include "gui/document/buffer_map.hpp"
#include "gui/document/latest.hpp"
#include "gui/document/words.hpp"
#include "gui/panels/buffers/slot_picture.hpp"
#include "gui/shell/csv.hpp"
#include "gui/shell/widgets.hpp"
#include "gui/timeview/time_ruler.hpp"
#include "models/port/pipe.hpp"

namespace ascendsim::gui {
namespace {

constexpr Point nowhere{-1e9F, -1e9F};

/// Addresses over time: who lives in UB, L1 and the L0 buffers and who works on them, ping beside pong.
class BuffersPanel final : public Panel {
public:
    [[nodiscard]] PanelInfo info() const override {
        return {
            .name = "buffers",
            .title = "Buffers",
            .hint =
                "What is in each part of UB, L1, L0A, L0B and L0C, and when; ping and pong above each other",
            .dock = Dock::lower,
            .order = 10,
            .table = true};
    }

    /// A machine's recording, or a load's, may have no core at all.
    [[nodiscard]] bool applies(const PanelContext& context) const override {
        const Run* run = as_run(context.run_a);
        return run == nullptr || !run->cores().empty() ||
               std::ranges::none_of(run->plots(), &analysis::RecordedPlot::over_time);
    }

    void draw_content(PanelContext& context) override {
        const Run* run = as_run(context.run_a);
        const ImVec2 origin = ImGui::GetCursorScreenPos();
        const ImVec2 room = ImGui::GetContentRegionAvail();
        if (run == nullptr || run->cores().empty() || room.x < 60 || room.y < 20) {
            return;
        }
        const CoreLanes& core = core_of(*run, context.view);
        const std::vector<MemoryMap>* maps = maps_of(*run, core);
        if (maps == nullptr || maps->empty()) {
            empty_panel(
                context,
                maps == nullptr ? "Following the buffers \u2026" : "No buffer is used",
                maps == nullptr ? "" : fmt::format("{} moves nothing through its buffers", core.name));
            return;
        }
        const Rect box = whole_pixels({origin.x, origin.y, origin.x + room.x, origin.y + room.y});
        ImGui::InvisibleButton("area", {box.width(), box.height()});
        ImGuiCanvas canvas{*ImGui::GetWindowDrawList(), context.fonts};
        const ImVec2 mouse = ImGui::GetMousePos();
        const bool hovered = ImGui::IsItemHovered();
        scroll(context, *maps, box, hovered);
        found_.reset();
        draw(canvas, *run, context, core, *maps, box, hovered ? Point{mouse.x, mouse.y} : nowhere);
        const float all = row_height(context, *maps, box) * static_cast<float>(maps->size());
        draw_scroll_mark(canvas, context, box, all, scroll_);
        if (found_) {
            act(*run, context);
        } else if (hovered && mouse.x < axis_of(context, box).left) {
            hover_label(core, *maps, mouse.y - box.top + scroll_, row_height(context, *maps, box));
        }
        if (context.anchors.enabled()) {
            publish(context, *maps, box);
        }
    }

    [[nodiscard]] std::optional<std::string> table(const PanelContext& context) override {
        const Run* run = as_run(context.run_a);
        if (run == nullptr || run->cores().empty()) {
            return std::nullopt;
        }
        const CoreLanes& core = core_of(*run, context.view);
        const std::vector<MemoryMap>* maps = maps_of(*run, core);
        if (maps == nullptr) {
            return std::nullopt;
        }
        Csv csv{{"core",
                 "memory",
                 "what",
                 "held by",
                 "offset (B)",
                 "bytes (B)",
                 "from (cycle)",
                 "to (cycle)",
                 "source"}};
        for (const MemoryMap& map : *maps) {
            for (const BufferSlot& slot : map.held) {
                for (const BufferStretch& stretch : slot.stretches) {
                    csv.row({core.name,
                             std::string{memory_words(static_cast<std::uint8_t>(map.memory))},
                             slot.name,
                             slot.pipe,
                             std::to_string(slot.offset),
                             std::to_string(slot.bytes),
                             std::to_string(stretch.from),
                             std::to_string(stretch.to),
                             place_text(run->recording(), static_cast<std::uint32_t>(stretch.index))});
                }
            }
        }
        return csv.text();
    }

private:
    /// What the pointer is over.
    struct Found {
        const MemoryMap* map = nullptr;
        const BufferSlot* slot = nullptr;
        BufferStretch stretch;
        std::size_t count = 1;  // stretches that share the pixels
        bool held = false;
    };

    /// The core of the selection, else the first.
    static const CoreLanes& core_of(const Run& run, const ViewState& view) {
        if (const std::optional<Pick> pick = selected(run, view)) {
            const std::optional<std::uint32_t> index = run.recording().lane(pick->lane).core_index;
            const auto found = std::ranges::find(run.cores(), index, &CoreLanes::core_index);
            if (found != run.cores().end()) {
                return *found;
            }
        }
        return run.cores().front();
    }

    const std::vector<MemoryMap>* maps_of(const Run& run, const CoreLanes& core) {
        const auto held = run.shared_from_this();
        return maps_.get({run.data().get(), core.core_index}, run.at_once(), [held, core] {
            return buffer_map_of(*held, core);
        });
    }

    static TimeAxis axis_of(const PanelContext& context, Rect box) {
        const float head = std::min(time_header_width(context.scale()), std::round(box.width() / 3));
        return {context.view.visible(), box.left + head, std::max(1.0F, box.width() - head)};
    }

    static float row_height(const PanelContext& context, const std::vector<MemoryMap>& maps, Rect box) {
        const float share = std::floor(box.height() / static_cast<float>(maps.size()));
        return std::max(share, std::round(30 * context.scale()));
    }

    void scroll(const PanelContext& context, const std::vector<MemoryMap>& maps, Rect box, bool hovered) {
        const float row = row_height(context, maps, box);
        const float most = std::max(0.0F, row * static_cast<float>(maps.size()) - box.height());
        const ImGuiIO& io = ImGui::GetIO();
        if (hovered && !io.KeyCtrl && !io.KeyShift) {
            scroll_ -= std::clamp(io.MouseWheel, -20.0F, 20.0F) * row / 2;
        }
        scroll_ = std::round(std::clamp(scroll_, 0.0F, most));
    }

    void draw(Canvas& canvas,
              const Run& run,
              const PanelContext& context,
              const CoreLanes& core,
              const std::vector<MemoryMap>& maps,
              Rect box,
              Point pointer) {
        const TimeAxis axis = axis_of(context, box);
        const float row = row_height(context, maps, box);
        canvas.push_clip(box);
        float top = box.top - scroll_;
        for (const MemoryMap& map : maps) {
            const Rect line{box.left, top, box.right, top + row - 2};
            top += row;
            if (line.bottom <= box.top || line.top >= box.bottom) {
                continue;
            }
            draw_label(canvas, context, core, map, {line.left, line.top, axis.left - 6, line.bottom});
            const Rect area{axis.left, line.top + 1, line.right, line.bottom};
            canvas.fill(area, context.theme.window);
            draw_time_grid(canvas, axis, area, context.time(), context.theme);
            canvas.push_clip(intersect(area, box));
            draw_slots(canvas, run, context, map, axis, area, pointer);
            draw_limit(canvas, context, map, area);
            canvas.pop_clip();
        }
        draw_time_overlays(
            canvas, axis, {axis.left, box.top, box.right, box.bottom}, context.view, context.theme);
        canvas.pop_clip();
    }

    static void draw_label(
        Canvas& canvas, const PanelContext& context, const CoreLanes& core, const MemoryMap& map, Rect box) {
        const float line = context.fonts.line_height(TextStyle::small);
        const auto words = memory_words(static_cast<std::uint8_t>(map.memory));
        canvas.text_in({box.left, box.top, box.right, box.top + line},
                       context.theme.text,
                       fmt::format("{} {}", core.name, words),
                       Align::left,
                       TextStyle::small);
        const std::uint64_t used = map.peak > 0 ? map.peak : map.reach;
        canvas.text_in({box.left, box.top + line, box.right, box.top + 2 * line},
                       map.overflows() ? context.theme.bad : context.theme.text_dim,
                       map.overflows()
                           ? fmt::format("{} over {}", format_bytes(map.reach), format_bytes(map.size))
                       : map.size > 0 ? fmt::format("{} of {}", format_bytes(used), format_bytes(map.size))
                                      : format_bytes(used),
                       Align::left,
                       TextStyle::small);
    }

    /// What the figures at the left mean.
    static void hover_label(const CoreLanes& core,
                            const std::vector<MemoryMap>& maps,
                            float down,
                            float row) {
        const auto n = static_cast<std::size_t>(std::max(0.0F, down / row));
        if (n >= maps.size()) {
            return;
        }
        const MemoryMap& map = maps[n];
        tooltip(fmt::format("{} of {}: {}, of {} there are. Addresses run upwards from 0.",
                            memory_words(static_cast<std::uint8_t>(map.memory)),
                            core.name,
                            map.peak > 0
                                ? fmt::format("at most {} held at once", format_bytes(map.peak))
                                : fmt::format("instructions touch the first {}", format_bytes(map.reach)),
                            map.size > 0 ? format_bytes(map.size) : std::string{"an unknown size"}));
    }

    void draw_slots(Canvas& canvas,
                    const Run& run,
                    const PanelContext& context,
                    const MemoryMap& map,
                    const TimeAxis& axis,
                    Rect area,
                    Point pointer) {
        const SlotPlace place{axis, area, static_cast<double>(map.shown())};
        const Theme& theme = context.theme;
        for (const bool held : {true, false}) {
            for (const BufferSlot& slot : held ? map.held : map.worked) {
                const Pixel colour = slot.pipe.empty() ? theme.text_dim : theme.pipe(slot.pipe).colour;
                ColumnPainter columns{[&](const Rect& box, float share) {
                    held ? fill_held(canvas, theme, box, colour, share)
                         : fill_work(canvas, theme, box, colour, share);
                }};
                for_each_slot_box(slot, place, [&](const SlotBox& box) {
                    if (box.column) {
                        columns.add(box);
                    } else {
                        columns.flush();
                        held ? draw_held(canvas, theme, slot, box, colour)
                             : fill_work(canvas, theme, box.box, colour, 1);
                    }
                    if (box.box.contains(pointer)) {
                        found_ = Found{&map, &slot, slot.stretches[box.first], box.count, held};
                        outlined_ = box.box;
                    }
                });
                columns.flush();
            }
        }
        if (found_ && found_->map == &map) {
            canvas.outline(outlined_, theme.text);
        }
        (void)run;
    }

    /// Joins neighbouring columns of the same shade into one box.
    template <class Fill>
    class ColumnPainter {
    public:
        explicit ColumnPainter(Fill fill) : fill_{std::move(fill)} {}

        void add(const SlotBox& column) {
            constexpr float shades = 24;
            // What there is at all can be seen.
            const float shade = std::max(3.0F, std::round(column.share * shades)) / shades;
            if (shade != shade_ || column.box.left != open_.right) {
                flush();
                open_ = column.box;
                shade_ = shade;
            }
            open_.right = column.box.right;
        }

        void flush() {
            if (!open_.empty()) {
                fill_(open_, shade_);
            }
            open_ = {};
        }

    private:
        Fill fill_;
        Rect open_{};
        float shade_ = 0;
    };

    /// Of a share of the time it is transparent: others may have the same part in the rest of it.
    static Pixel tinted(const Theme& theme, Pixel colour, float strength, float share) {
        return share < 1 ? with_alpha(colour, static_cast<unsigned>(std::round(255 * strength * share)))
                         : mix(theme.window, colour, strength);
    }

    /// A part that somebody has for a share of the time.
    static void fill_held(Canvas& canvas, const Theme& theme, const Rect& box, Pixel colour, float share) {
        canvas.fill(box, tinted(theme, colour, 0.30F, share));
        canvas.fill({box.left, box.bottom - 1, box.right, box.bottom}, theme.window);
    }

    /// A part that somebody has: tinted, with its name where there is room.
    static void draw_held(
        Canvas& canvas, const Theme& theme, const BufferSlot& slot, const SlotBox& box, Pixel colour) {
        fill_held(canvas, theme, box.box, colour, 1);
        canvas.fill({box.box.left, box.box.top, box.box.left + 1, box.box.bottom - 1},
                    mix(theme.window, colour, 0.7F));
        const float above = std::round(box.box.height() * 0.55F);  // what the work at its foot leaves
        if (box.box.width() > 24 && above >= canvas.fonts().line_height(TextStyle::small) - 2) {
            canvas.text_in(
                {box.box.left + 4, box.box.top, box.box.right - 2, box.box.top + above},
                theme.text,
                slot.pipe.empty() ? slot.name : fmt::format("{}, {}", slot.name, theme.pipe(slot.pipe).label),
                Align::left,
                TextStyle::small);
        }
    }

    /// What instructions work on for a share of the time: a line at the foot of the part, so that the name
    /// above stays readable.
    static void fill_work(Canvas& canvas, const Theme& theme, const Rect& box, Pixel colour, float share) {
        const float height = std::max(1.0F, std::min(box.height(), std::round(box.height() * 0.45F)));
        canvas.fill({box.left, box.bottom - height, box.right, box.bottom}, tinted(theme, colour, 1, share));
    }

    /// The end of a memory that programs write beyond.
    static void draw_limit(Canvas& canvas, const PanelContext& context, const MemoryMap& map, Rect area) {
        if (!map.overflows()) {
            return;
        }
        const double share = static_cast<double>(map.size) / static_cast<double>(map.shown());
        const float y = std::round(area.bottom - static_cast<float>(share) * area.height());
        canvas.hatch(
            {area.left, area.top, area.right, y}, Pattern::diagonal, with_alpha(context.theme.bad, 150));
        canvas.fill({area.left, y, area.right, y + 2}, context.theme.bad);
        canvas.text({area.left + 4, y + 2},
                    context.theme.bad,
                    fmt::format("end of {}", memory_words(static_cast<std::uint8_t>(map.memory))),
                    TextStyle::small);
    }

    void act(const Run& run, PanelContext& context) const {
        const Found& found = *found_;
        const std::string what = describe(run, context, found);
        tooltip(what);
        if (context.status != nullptr) {
            *context.status = what.substr(0, what.find('\n'));
        }
        if (!ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
            return;
        }
        const std::optional<Pick> pick = found.held ? first_use(run, *found.map, *found.slot, found.stretch)
                                                    : pick_span(run, {found.slot->lane, found.stretch.index});
        const TimeRange life{static_cast<double>(found.stretch.from), static_cast<double>(found.stretch.to)};
        context.requests.change([pick, life, held = found.held](ViewState& view) {
            if (pick) {
                select(view, *pick);
            }
            if (held && life.length() > 0) {
                view.range = life;
            }
        });
    }

    static std::string describe(const Run& run, const PanelContext& context, const Found& found) {
        const BufferSlot& slot = *found.slot;
        const TimeScale time = context.time();
        const auto cycles = static_cast<double>(found.stretch.to - found.stretch.from);
        const std::string where = fmt::format("{} {:#x}, {}",
                                              memory_words(static_cast<std::uint8_t>(found.map->memory)),
                                              slot.offset,
                                              format_bytes(slot.bytes));
        const std::string when = fmt::format("from {} for {}",
                                             format_time(static_cast<double>(found.stretch.from), time),
                                             format_time(cycles, time));
        if (found.count > 1) {
            return fmt::format("{}: {} uses too close to tell apart here; zoom in", where, found.count);
        }
        if (!found.held) {
            const std::optional<Pick> pick = pick_span(run, {slot.lane, found.stretch.index});
            return fmt::format("{}: {} {}\n{}",
                               where,
                               lane_label(run, slot.lane, context.theme),
                               pick ? pick_label(run, *pick, context.theme) : "",
                               when);
        }
        const std::string site = place_text(run.recording(), static_cast<std::uint32_t>(found.stretch.index));
        return fmt::format("{}: {}, {}\n{}{}\nClick selects its first use and this time.",
                           where,
                           slot.name,
                           slot.pipe.empty() ? "held by the program"
                                             : fmt::format("with {}", context.theme.pipe(slot.pipe).label),
                           when,
                           site.empty() ? "" : ", taken at " + site);
    }

    void publish(PanelContext& context, const std::vector<MemoryMap>& maps, Rect box) const {
        const float row = row_height(context, maps, box);
        for (std::size_t n = 0; n < maps.size(); ++n) {
            const std::string name{memory_names[maps[n].memory]};
            const float top = box.top - scroll_ + row * static_cast<float>(n);
            const TimeAxis axis = axis_of(context, box);
            context.anchors.add("buffers/" + name,
                                intersect({axis.left, top, box.right, top + row - 2}, box));
            context.anchors.value(fmt::format("buffers.{}.held", name), maps[n].held.size());
            context.anchors.value(fmt::format("buffers.{}.peak", name), maps[n].peak);
            context.anchors.value(fmt::format("buffers.{}.overflows", name), maps[n].overflows());
        }
    }

    Latest<std::pair<const void*, std::uint32_t>, std::vector<MemoryMap>> maps_;
    std::optional<Found> found_;
    Rect outlined_{};
    float scroll_ = 0;
};

}  // namespace

std::unique_ptr<Panel> make_buffers_panel();

std::unique_ptr<Panel> make_buffers_panel() {
    return std::make_unique<BuffersPanel>();
}

}  // namespace ascendsim::gui
