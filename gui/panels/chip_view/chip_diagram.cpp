// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/chip_view/chip_diagram.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "gui/canvas/format.hpp"
#include "gui/shell/widgets.hpp"

namespace ascendsim::gui {
namespace {

constexpr double widest_rate = 256;  // bytes per cycle that make the thickest arrow

/// Routes by their place in analysis::route_names.
double rate_of(const ChipMoment& moment, std::initializer_list<std::string_view> routes) {
    double sum = 0;
    for (const std::string_view route : routes) {
        const auto at = std::ranges::find(analysis::route_names, route) - analysis::route_names.begin();
        sum += moment.rates[static_cast<std::size_t>(at)];
    }
    return sum;
}

class Diagram {
public:
    Diagram(Canvas& canvas, Rect box, const ChipMoment& moment, const Theme& theme, float scale)
        : canvas_{canvas}, box_{box}, moment_{moment}, theme_{theme}, scale_{scale} {}

    /// A box by shares of the whole.
    [[nodiscard]] Rect at(float left, float top, float right, float bottom) const {
        return whole_pixels({box_.left + left * box_.width(),
                             box_.top + top * box_.height(),
                             box_.left + right * box_.width(),
                             box_.top + bottom * box_.height()});
    }

    void global_memory(Rect box) {
        canvas_.fill(box, theme_.raised);
        canvas_.outline(box, theme_.border);
        canvas_.text_in({box.left, box.top, box.right, box.centre().y}, theme_.text_dim, "L2", Align::centre);
        canvas_.text_in(
            {box.left, box.centre().y, box.right, box.bottom}, theme_.text_dim, "HBM", Align::centre);
        canvas_.fill({box.left + 4, box.centre().y, box.right - 4, box.centre().y + 1}, theme_.border);
        parts_.push_back({"gm", box, "Global memory: L2 and HBM behind it, shared by all cores"});
    }

    void unit(Pipe pipe, Rect box) {
        const UnitMoment& unit = moment_.unit(pipe);
        const PipeStyle& style = theme_.pipe(name(pipe));
        const bool busy = unit.pick && !unit.pick->waits();
        canvas_.fill(box, busy ? mix(theme_.panel, style.colour, 0.35F) : theme_.panel);
        if (busy) {
            const float right = box.left + static_cast<float>(unit.progress) * box.width();
            canvas_.fill(whole_pixels({box.left, box.top, right, box.bottom}), style.colour);
        } else if (unit.pick) {
            draw_cause(canvas_, box, theme_.cause(unit.pick->stretch.reason), theme_, false);
        }
        canvas_.outline(
            box, unit.present ? style.colour : theme_.border, std::max(1.0F, std::round(2 * scale_)));
        const float line = canvas_.fonts().line_height(TextStyle::bold);
        const bool both = box.height() >= 2 * line + 4;
        const float up = both ? line : std::round(line / 2);
        const Rect label{box.left, box.centre().y - up, box.right, box.centre().y - up + line + 1};
        const Rect state{box.left + 3, box.centre().y, box.right - 3, box.centre().y + line};
        plate(label, style.label, TextStyle::bold, unit.present ? theme_.text : theme_.text_faint);
        if (both) {
            plate(state, state_of(unit), TextStyle::small, unit.present ? theme_.text : theme_.text_faint);
        }
        parts_.push_back({std::string{name(pipe)},
                          box,
                          unit.present ? fmt::format("{} {}", style.label, unit.sentence)
                                       : fmt::format("{}: not used by this core", style.label)});
    }

    void memory(Memory which, std::string_view label, Rect box) {
        const MemoryMoment& memory = moment_.memory(which);
        canvas_.fill(box, theme_.panel);
        const float pixels = memory.capacity == 0 ? 0 : box.height() / static_cast<float>(memory.capacity);
        std::size_t n = 0;
        for (const record::Buffer* buffer : memory.buffers) {
            const float top = box.bottom - static_cast<float>(buffer->offset + buffer->bytes) * pixels;
            const float bottom = box.bottom - static_cast<float>(buffer->offset) * pixels;
            const Rect slot = whole_pixels(
                intersect({box.left + 2, top, box.right - 2, std::max(top + 2, bottom - 1)}, box));
            if (!slot.empty()) {
                canvas_.fill(slot, mix(theme_.panel, theme_.accent, n++ % 2 == 0 ? 0.45F : 0.3F));
            }
        }
        draw_touches(box, memory, pixels);
        canvas_.outline(box, theme_.text_faint);
        const float line = canvas_.fonts().line_height(TextStyle::bold);
        plate({box.left, box.top + 2, box.right, box.top + 2 + line}, label, TextStyle::bold, theme_.text);
        const double share = memory.capacity == 0
                                 ? 0
                                 : static_cast<double>(memory.used) / static_cast<double>(memory.capacity);
        plate({box.left, box.top + 2 + line, box.right, box.top + 2 + 2 * line},
              memory.buffers.empty() ? "" : format_percent(share),
              TextStyle::small,
              theme_.text);
        parts_.push_back({std::string{name(which)}, box, hint_of(memory, label)});
    }

    /// An arrow along whole pixels through points; its thickness tells the rate.
    void flow(std::initializer_list<Point> corners, double rate, Pipe pipe) {
        std::vector<Point> points;
        for (const Point& corner : corners) {
            points.push_back({std::round(box_.left + corner.x * box_.width()),
                              std::round(box_.top + corner.y * box_.height())});
        }
        const bool flows = rate > 0;
        const Pixel colour = flows ? theme_.pipe(name(pipe)).colour : theme_.border;
        const float share = static_cast<float>(std::min(1.0, std::sqrt(rate / widest_rate)));
        const float size = scale_ * std::clamp(box_.height() / (320 * scale_), 1.0F, 2.5F);
        const float thick = std::round(std::max(1.0F, (flows ? 2 + 12 * share : 1) * size));
        const float head = std::round(std::max(6 * size, thick * 1.1F));
        for (std::size_t n = 0; n + 1 < points.size(); ++n) {
            segment(points[n], points[n + 1], thick, n + 2 == points.size() ? head : 0, colour);
        }
        canvas_.arrow_head(points[points.size() - 2], points.back(), colour, head);
    }

    /// The rate of a route, written below a unit; left out where the next unit is too near.
    void rate(Pipe pipe, Rect box, double bytes_per_cycle, float next) {
        const float line = canvas_.fonts().line_height(TextStyle::small);
        const Rect words{box.left - 40, box.bottom + 2, box.right + 40, box.bottom + 2 + line};
        if (bytes_per_cycle <= 0 || words.bottom > box_.top + next * box_.height()) {
            return;
        }
        canvas_.text_in(words,
                        theme_.text_dim,
                        fmt::format("{:.1f} B/cycle", bytes_per_cycle),
                        Align::centre,
                        TextStyle::small);
        parts_.push_back({fmt::format("{}/rate", name(pipe)),
                          words,
                          fmt::format("{:.1f} bytes a cycle: what {} moved on average around this moment",
                                      bytes_per_cycle,
                                      theme_.pipe(name(pipe)).label)});
    }

    [[nodiscard]] std::vector<DiagramPart> take() { return std::move(parts_); }

private:
    /// Parts written or read lately, in the colour of the unit; what is touched now is brightest.
    void draw_touches(Rect box, const MemoryMoment& memory, float pixels) {
        for (const Touch& touch : memory.touches) {
            const float bottom = box.bottom - static_cast<float>(touch.offset) * pixels;
            const float top = box.bottom - static_cast<float>(touch.offset + touch.bytes) * pixels;
            const Rect slot = whole_pixels(
                intersect({box.left + 3, std::min(top, bottom - 2), box.right - 3, bottom}, box));
            if (!slot.empty()) {
                canvas_.fill(
                    slot, mix(theme_.panel, theme_.pipe(name(touch.pipe)).colour, touch.now ? 1.0F : 0.45F));
            }
        }
    }

    [[nodiscard]] static std::string hint_of(const MemoryMoment& memory, std::string_view label) {
        std::string hint = fmt::format("{}: {}", label, format_bytes(memory.capacity));
        if (!memory.buffers.empty()) {
            hint +=
                fmt::format(", {} in use by {} buffers", format_bytes(memory.used), memory.buffers.size());
        }
        return hint +
               fmt::format("\nlit: written or read lately, by {} instructions; address 0 is at the bottom",
                           memory.touches.size());
    }

    /// A thick line across or down, on whole pixels.
    void segment(Point from, Point to, float thick, float shorten, Pixel colour) {
        const float half = std::floor(thick / 2);
        if (std::abs(from.y - to.y) < 1) {
            const float end = to.x + (to.x > from.x ? -shorten : shorten);
            canvas_.fill({std::min(from.x, end) - (shorten == 0 ? half : 0),
                          from.y - half,
                          std::max(from.x, end) + (shorten == 0 ? half : 0),
                          from.y - half + thick},
                         colour);
        } else {
            const float end = to.y + (to.y > from.y ? -shorten : shorten);
            canvas_.fill({from.x - half, std::min(from.y, end), from.x - half + thick, std::max(from.y, end)},
                         colour);
        }
    }

    /// Text with a background, readable on any hatch.
    void plate(Rect box, std::string_view text, TextStyle style, Pixel colour) {
        if (text.empty()) {
            return;
        }
        const float width = std::min(canvas_.measure(text, style).x + std::round(8 * scale_), box.width());
        const float left = std::round(box.centre().x - width / 2);
        canvas_.fill(whole_pixels({left, box.top, left + width, box.bottom}), with_alpha(theme_.panel, 200));
        canvas_.text_in(
            {left + 2, box.top, left + width - 2, box.bottom}, colour, text, Align::centre, style);
    }

    [[nodiscard]] std::string_view state_of(const UnitMoment& unit) const {
        if (!unit.present) {
            return "not used";
        }
        if (!unit.pick) {
            return "idle";
        }
        return unit.pick->waits() ? theme_.cause(unit.pick->stretch.reason).label : std::string_view{"busy"};
    }

    Canvas& canvas_;
    Rect box_;
    const ChipMoment& moment_;
    const Theme& theme_;
    float scale_;
    std::vector<DiagramPart> parts_;
};

void draw_vector_core(Diagram& d, const ChipMoment& moment) {
    d.flow({{0.13F, 0.2F}, {0.50F, 0.2F}}, rate_of(moment, {"gm_to_ub"}), Pipe::mte2);
    d.flow({{0.50F, 0.77F}, {0.13F, 0.77F}}, rate_of(moment, {"ub_to_gm"}), Pipe::mte3);
    const bool vector = moment.unit(Pipe::vector).pick && !moment.unit(Pipe::vector).pick->waits();
    d.flow({{0.66F, 0.22F}, {0.76F, 0.22F}}, vector ? widest_rate / 8 : 0, Pipe::vector);
    d.flow({{0.76F, 0.4F}, {0.66F, 0.4F}}, vector ? widest_rate / 8 : 0, Pipe::vector);
    d.global_memory(d.at(0, 0.02F, 0.13F, 0.98F));
    d.unit(Pipe::mte2, d.at(0.22F, 0.08F, 0.39F, 0.34F));
    d.unit(Pipe::mte3, d.at(0.22F, 0.64F, 0.39F, 0.90F));
    d.rate(Pipe::mte2, d.at(0.22F, 0.08F, 0.39F, 0.34F), rate_of(moment, {"gm_to_ub"}), 0.64F);
    d.rate(Pipe::mte3, d.at(0.22F, 0.64F, 0.39F, 0.90F), rate_of(moment, {"ub_to_gm"}), 1.1F);
    d.memory(Memory::ub, "UB", d.at(0.50F, 0.02F, 0.66F, 0.98F));
    d.unit(Pipe::vector, d.at(0.76F, 0.08F, 0.99F, 0.54F));
    d.unit(Pipe::scalar, d.at(0.76F, 0.70F, 0.99F, 0.94F));
}

void draw_cube_core(Diagram& d, const ChipMoment& moment) {
    d.flow({{0.10F, 0.2F}, {0.33F, 0.2F}}, rate_of(moment, {"gm_to_l1", "gm_to_l1_nd2nz"}), Pipe::mte2);
    d.flow({{0.43F, 0.16F}, {0.66F, 0.16F}}, rate_of(moment, {"l1_to_l0a"}), Pipe::mte1);
    d.flow({{0.43F, 0.44F}, {0.66F, 0.44F}}, rate_of(moment, {"l1_to_l0b"}), Pipe::mte1);
    const bool cube = moment.unit(Pipe::cube).pick && !moment.unit(Pipe::cube).pick->waits();
    d.flow({{0.75F, 0.16F}, {0.82F, 0.16F}}, cube ? widest_rate / 8 : 0, Pipe::cube);
    d.flow({{0.75F, 0.44F}, {0.82F, 0.44F}}, cube ? widest_rate / 8 : 0, Pipe::cube);
    d.flow({{0.91F, 0.58F}, {0.91F, 0.68F}}, cube ? widest_rate / 8 : 0, Pipe::cube);
    d.flow({{0.82F, 0.78F}, {0.10F, 0.78F}},
           rate_of(moment, {"l0c_to_gm", "l0c_to_gm_nz2nd", "l0c_to_l1"}),
           Pipe::fixpipe);
    d.global_memory(d.at(0, 0.02F, 0.10F, 0.98F));
    d.unit(Pipe::mte2, d.at(0.15F, 0.07F, 0.28F, 0.34F));
    d.rate(
        Pipe::mte2, d.at(0.15F, 0.07F, 0.28F, 0.34F), rate_of(moment, {"gm_to_l1", "gm_to_l1_nd2nz"}), 0.46F);
    d.rate(Pipe::mte1, d.at(0.48F, 0.07F, 0.60F, 0.54F), rate_of(moment, {"l1_to_l0a", "l1_to_l0b"}), 0.67F);
    d.rate(Pipe::fixpipe,
           d.at(0.48F, 0.67F, 0.62F, 0.90F),
           rate_of(moment, {"l0c_to_gm", "l0c_to_gm_nz2nd", "l0c_to_l1"}),
           1.1F);
    d.memory(Memory::l1, "L1", d.at(0.33F, 0.02F, 0.43F, 0.62F));
    d.unit(Pipe::mte1, d.at(0.48F, 0.07F, 0.60F, 0.54F));
    d.memory(Memory::l0a, "L0A", d.at(0.66F, 0.02F, 0.75F, 0.29F));
    d.memory(Memory::l0b, "L0B", d.at(0.66F, 0.32F, 0.75F, 0.60F));
    d.unit(Pipe::cube, d.at(0.82F, 0.02F, 1.0F, 0.58F));
    d.memory(Memory::l0c, "L0C", d.at(0.82F, 0.68F, 1.0F, 0.98F));
    d.unit(Pipe::fixpipe, d.at(0.48F, 0.67F, 0.62F, 0.90F));
    d.unit(Pipe::scalar, d.at(0.15F, 0.46F, 0.28F, 0.69F));
}

}  // namespace

std::vector<DiagramPart> draw_core(
    Canvas& canvas, Rect box, const ChipMoment& moment, bool cube, const Theme& theme, float scale) {
    Diagram diagram{canvas, box, moment, theme, scale};
    if (cube) {
        draw_cube_core(diagram, moment);
    } else {
        draw_vector_core(diagram, moment);
    }
    return diagram.take();
}

}  // namespace ascendsim::gui
