// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "gui/document/selection.hpp"
#include "gui/document/words.hpp"
#include "gui/shell/imgui_canvas.hpp"
#include "gui/shell/widgets.hpp"
#include "gui/timeview/time_ruler.hpp"
#include "models/isa/pipe.hpp"

namespace ascendsim::gui {
namespace {

constexpr std::array<std::size_t, 5> shown_memories{
    index(Memory::ub), index(Memory::l1), index(Memory::l0a), index(Memory::l0b), index(Memory::l0c)};

constexpr Point nowhere{-1e9F, -1e9F};

/// One memory of one core: its size, and the lanes that write into it or read from it.
struct MemoryRow {
    std::size_t memory = 0;
    double size = 0;   ///< B, as the chip says; 0 if it does not
    double reach = 0;  ///< B, as far as anything was written: what is shown
};

/// Addresses over time: which instruction writes where in UB, L1 and the L0 buffers, ping beside pong.
class BuffersPanel final : public Panel {
public:
    [[nodiscard]] PanelInfo info() const override {
        return {
            .name = "buffers",
            .title = "Buffers",
            .hint =
                "Who uses which part of UB, L1, L0A, L0B and L0C when; ping and pong lie above each other",
            .dock = Dock::lower,
            .order = 10};
    }

    void draw_content(PanelContext& context) override {
        const Run* run = as_run(context.run_a);
        const ImVec2 origin = ImGui::GetCursorScreenPos();
        const ImVec2 room = ImGui::GetContentRegionAvail();
        if (run == nullptr || run->cores().empty() || room.x < 60 || room.y < 20) {
            return;
        }
        const CoreLanes& core = core_of(*run, context.view);
        const std::vector<MemoryRow>& rows = rows_of(*run, core);
        if (rows.empty()) {
            empty_panel(
                context, "No buffer is used", fmt::format("{} moves nothing through its buffers", core.name));
            return;
        }
        const Rect box = whole_pixels({origin.x, origin.y, origin.x + room.x, origin.y + room.y});
        ImGui::InvisibleButton("area", {box.width(), box.height()});
        ImGuiCanvas canvas{*ImGui::GetWindowDrawList(), context.fonts};
        const ImVec2 mouse = ImGui::GetMousePos();
        const Point pointer = ImGui::IsItemHovered() ? Point{mouse.x, mouse.y} : nowhere;
        const std::optional<Pick> hovered = draw(canvas, *run, context, core, rows, box, pointer);
        if (hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
            context.requests.change([pick = *hovered](ViewState& view) { select(view, pick); });
        }
    }

    bool draw_picture(Canvas& canvas, Rect box, const PanelContext& context) override {
        const Run* run = as_run(context.run_a);
        if (run == nullptr || run->cores().empty()) {
            return false;
        }
        const CoreLanes& core = core_of(*run, context.view);
        draw(canvas, *run, context, core, rows_of(*run, core), whole_pixels(box), nowhere);
        return true;
    }

private:
    /// The core of the selection, else the first.
    static const CoreLanes& core_of(const Run& run, const ViewState& view) {
        if (const std::optional<Pick> pick = selected(run, view)) {
            const std::uint32_t index = run.recording().lane(pick->lane).info.core_index;
            const auto found = std::ranges::find(run.cores(), index, &CoreLanes::core_index);
            if (found != run.cores().end()) {
                return *found;
            }
        }
        return run.cores().front();
    }

    /// The memories a core uses, and how large they are: as the chip says, else as far as was written.
    const std::vector<MemoryRow>& rows_of(const Run& run, const CoreLanes& core) {
        if (run.data().get() == rows_run_ && core.core_index == rows_core_) {
            return rows_;
        }
        rows_run_ = run.data().get();
        rows_core_ = core.core_index;
        std::array<double, memory_count> reach{};
        for (const std::uint32_t number : core.lanes) {
            const record::Lane& lane = run.recording().lane(number);
            for (std::size_t i = 0; i < lane.size(); ++i) {
                if (lane.memory[i] < memory_count && lane.reason[i] == record::Reason::none &&
                    lane.bytes[i] != 0) {
                    reach[lane.memory[i]] =
                        std::max(reach[lane.memory[i]], static_cast<double>(lane.offset[i]) + lane.bytes[i]);
                }
            }
        }
        rows_.clear();
        for (const std::size_t memory : shown_memories) {
            if (reach[memory] > 0) {
                const double size = run.chip().number(fmt::format("buffers.{}", memory_names[memory]), 0);
                rows_.push_back({memory, size, reach[memory]});
            }
        }
        return rows_;
    }

    static std::optional<Pick> draw(Canvas& canvas,
                                    const Run& run,
                                    const PanelContext& context,
                                    const CoreLanes& core,
                                    const std::vector<MemoryRow>& rows,
                                    Rect box,
                                    Point pointer) {
        const float scale = context.scale();
        const float head = std::min(time_header_width(scale), std::round(box.width() / 3));
        const TimeAxis axis{context.view.visible(), box.left + head, std::max(1.0F, box.width() - head)};
        const Rect tracks{axis.left, box.top, box.right, box.bottom};
        const float gap = std::round(4 * scale);
        const float each =
            std::floor((box.height() + gap) / static_cast<float>(std::max<std::size_t>(1, rows.size()))) -
            gap;
        std::optional<Pick> found;
        canvas.push_clip(box);
        draw_time_grid(canvas, axis, tracks, context.time(), context.theme);
        float top = box.top;
        for (const MemoryRow& row : rows) {
            const Rect area{tracks.left, top, tracks.right, top + std::max(6.0F, each)};
            draw_head(canvas,
                      context,
                      core,
                      row,
                      {box.left, area.top, tracks.left - std::round(8 * scale), area.bottom});
            canvas.push_clip(intersect(area, tracks));
            canvas.fill(area, with_alpha(context.theme.window, 150));
            if (const std::optional<Pick> pick =
                    draw_uses(canvas, run, context, core, row, axis, area, pointer)) {
                found = pick;
            }
            canvas.pop_clip();
            top = area.bottom + gap;
        }
        draw_time_overlays(canvas, axis, tracks, context.view, context.theme);
        canvas.pop_clip();
        if (found && context.status != nullptr) {
            const record::Span span = run.recording().span(found->span());
            *context.status = fmt::format("{}: {} at {:#x}, {}, by {}",
                                          memory_words(span.memory),
                                          pick_label(run, *found, context.theme),
                                          span.offset,
                                          format_bytes(span.bytes),
                                          lane_label(run, found->lane, context.theme));
        }
        return found;
    }

    static void draw_head(
        Canvas& canvas, const PanelContext& context, const CoreLanes& core, const MemoryRow& row, Rect box) {
        const float line = context.fonts.line_height(TextStyle::small);
        canvas.text_in({box.left, box.top, box.right, box.top + line},
                       context.theme.text,
                       fmt::format("{} {}", core.name, memory_words(row.memory)),
                       Align::left,
                       TextStyle::small);
        const auto text = [](double bytes) { return format_bytes(static_cast<std::uint64_t>(bytes)); };
        canvas.text_in(
            {box.left, box.top + line, box.right, box.top + 2 * line},
            row.reach > row.size && row.size > 0 ? context.theme.bad : context.theme.text_dim,
            row.size > 0 ? fmt::format("{} of {} used", text(row.reach), text(row.size)) : text(row.reach),
            Align::left,
            TextStyle::small);
    }

    /// Draws what instructions write (or, on their way out, read), from start until the result is there.
    static std::optional<Pick> draw_uses(Canvas& canvas,
                                         const Run& run,
                                         const PanelContext& context,
                                         const CoreLanes& core,
                                         const MemoryRow& row,
                                         const TimeAxis& axis,
                                         Rect area,
                                         Point pointer) {
        constexpr std::size_t most = 20'000;  // boxes; beyond, nothing could be told apart
        const auto from = static_cast<std::uint64_t>(std::max(0.0, axis.seen.begin));
        std::optional<Pick> found;
        std::size_t drawn = 0;
        for (const std::uint32_t number : core.lanes) {
            const record::Lane& lane = run.recording().lane(number);
            const Pixel colour = context.theme.pipe(lane.info.pipe).colour;
            for (std::size_t i = lane.first_ending_after(from);
                 i < lane.size() && static_cast<double>(lane.start[i]) < axis.seen.end && drawn < most;
                 ++i) {
                if (lane.memory[i] != row.memory || lane.reason[i] != record::Reason::none ||
                    lane.bytes[i] == 0) {
                    continue;
                }
                ++drawn;
                const Rect use = box_of(lane, i, row, axis, area);
                canvas.fill(use, mix(context.theme.window, colour, 0.55F));
                canvas.fill({use.left, use.top, use.right, use.top + 1}, colour);
                if (use.contains(pointer)) {
                    found = pick_span(run, {number, i});
                    canvas.outline(use, context.theme.text);
                }
            }
        }
        if (drawn == most) {
            canvas.text_in(
                area, context.theme.text, "too many uses: zoom in", Align::centre, TextStyle::small);
        }
        return found;
    }

    static Rect box_of(
        const record::Lane& lane, std::size_t i, const MemoryRow& row, const TimeAxis& axis, Rect area) {
        const float left = axis.pixel(static_cast<double>(lane.start[i]));
        const float right = axis.pixel(static_cast<double>(std::max(lane.complete[i], lane.end[i])));
        const auto place = [&](double offset) {
            return std::round(area.bottom - static_cast<float>(offset / row.reach) * area.height());
        };
        const float bottom = place(lane.offset[i]);
        const float top = place(static_cast<double>(lane.offset[i]) + lane.bytes[i]);
        return {left, std::min(top, bottom - 1), std::max(right, left + 1), bottom};
    }

    std::vector<MemoryRow> rows_;
    const void* rows_run_ = nullptr;
    std::uint32_t rows_core_ = 0;
};

}  // namespace

std::unique_ptr<Panel> make_buffers_panel();

std::unique_ptr<Panel> make_buffers_panel() {
    return std::make_unique<BuffersPanel>();
}

}  // namespace ascendsim::gui
