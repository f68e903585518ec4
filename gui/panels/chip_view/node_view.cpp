// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/chip_view/node_view.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "gui/canvas/elide.hpp"
#include "gui/canvas/format.hpp"
#include "gui/shell/widgets.hpp"
#include "gui/timeview/lane_picture.hpp"

namespace ascendsim::gui {
namespace {

std::string flow_text(double gb_per_s) {
    return gb_per_s < 0.005 ? "0 GB/s" : fmt::format("{:.3g} GB/s", gb_per_s);
}

/// The point of a box's edge on the way from its middle to another place.
Point edge_towards(Rect box, Point to) {
    const Point middle = box.centre();
    const float x = to.x - middle.x;
    const float y = to.y - middle.y;
    const float wide = std::abs(x) < 1e-3F ? 1e9F : box.width() / 2 / std::abs(x);
    const float high = std::abs(y) < 1e-3F ? 1e9F : box.height() / 2 / std::abs(y);
    const float part = std::min({wide, high, 1.0F});
    return {middle.x + x * part, middle.y + y * part};
}

Pixel flow_colour(const Theme& theme, double share) {
    return share <= 0
               ? theme.border
               : mix(theme.text_faint, theme.pipe("mte3").colour, 0.3F + 0.7F * static_cast<float>(share));
}

}  // namespace

void NodeView::follow(const Run& run) {
    index_.follow(run);
    server_ = std::min(server_, std::max(1U, index_.servers()) - 1);
}

CoreLanes NodeView::steps() const {
    CoreLanes lanes;
    const std::uint32_t per_server = std::max(1U, count_);
    lanes.name = title();
    lanes.lanes = index_.streams_of(server_ * per_server);
    return lanes;
}

std::string NodeView::title() const {
    return fmt::format("server {}", server_);
}

void NodeView::draw(Canvas& canvas, Rect box, const Run& run, double cycle, const PanelContext& context) {
    parts_.clear();
    const float scale = context.scale();
    const float gap = std::round(10 * scale);
    const NodeMoment moment = index_.moment_of(run, server_, cycle, window_of(run), context.theme);
    count_ = static_cast<std::uint32_t>(moment.devices.size());
    const float strips = std::min(std::round(static_cast<float>(count_) * 6 * scale), box.height() / 4);
    strip_ = {box.left, box.bottom - strips, box.right, box.bottom};
    const float line = std::ceil(context.fonts.line_height(TextStyle::small));
    const float map = index_.servers() > 1 ? std::min(std::round(230 * scale), box.width() * 0.3F) : 0;
    Rect area{box.left, box.top, box.right - map - (map > 0 ? gap : 0), strip_.top - gap};
    canvas.text_in({area.left, area.top, area.right, area.top + line},
                   context.theme.text_dim,
                   fmt::format("{}: busy, and what flows, in {} around the cursor",
                               run.machine()->title.empty() ? "The machine" : run.machine()->title,
                               format_time(window_of(run), context.time())),
                   Align::left,
                   TextStyle::small);
    area.top += line + gap / 2;
    if (area.height() > 3 * line && area.width() > 60) {
        place_devices(area, context);
        draw_links(canvas, moment, context);
        for (std::size_t n = 0; n < moment.devices.size(); ++n) {
            draw_device(canvas, moment.devices[n], devices_[n], context);
        }
        draw_host(canvas, moment, area, context);
    }
    if (map > 0) {
        draw_servers(canvas, {box.right - map, box.top, box.right, strip_.top - gap}, run, cycle, context);
    }
    draw_strips(canvas, run, moment, cycle, context);
}

void NodeView::place_devices(Rect area, const PanelContext& context) {
    constexpr std::uint32_t most_in_ring = 10;
    const float scale = context.scale();
    const float line = std::ceil(context.fonts.line_height(TextStyle::small));
    const float gap = std::round(8 * scale);
    const float height = std::min(std::round(4 * line + 3 * gap), area.height() / 3);
    const float width = std::min(std::round(170 * scale), area.width() / 4);
    devices_.clear();
    if (count_ <= most_in_ring && count_ > 1) {
        const Point middle = area.centre();
        for (std::uint32_t n = 0; n < count_; ++n) {
            const double turn = 2 * std::numbers::pi * (static_cast<double>(n) + 0.5) / count_;
            const Point at{middle.x + static_cast<float>(std::sin(turn)) * (area.width() - width) / 2,
                           middle.y - static_cast<float>(std::cos(turn)) * (area.height() - height) / 2};
            devices_.push_back(
                whole_pixels({at.x - width / 2, at.y - height / 2, at.x + width / 2, at.y + height / 2}));
        }
        return;
    }
    const auto columns = static_cast<std::uint32_t>(
        std::clamp(std::round(std::sqrt(static_cast<float>(count_) * area.width() / area.height() / 2)),
                   1.0F,
                   std::max(1.0F, std::floor(area.width() / (width * 0.6F)))));
    const std::uint32_t rows = (count_ + columns - 1) / columns;
    const float each = area.width() / static_cast<float>(columns);
    const float high = (area.height() - (count_ > 1 ? 3 * line : 0)) / static_cast<float>(rows);
    for (std::uint32_t n = 0; n < count_; ++n) {
        const float left = area.left + static_cast<float>(n % columns) * each;
        const float top = area.top + static_cast<float>(n / columns) * high;
        const float wide = std::min(each - gap, std::round(1.4F * width));
        const float tall = std::min(high - gap, height);
        const float in = count_ == 1 ? (area.width() - wide) / 2 : 0;
        devices_.push_back(whole_pixels({left + in, top, left + in + wide, top + tall}));
    }
}

void NodeView::draw_links(Canvas& canvas, const NodeMoment& moment, const PanelContext& context) {
    const float scale = context.scale();
    // Busy links over idle ones.
    std::vector<const LinkMoment*> order;
    for (const LinkMoment& link : moment.links) {
        order.push_back(&link);
    }
    std::ranges::stable_sort(order, {}, [](const LinkMoment* link) { return link->flow.gb_per_s; });
    for (const LinkMoment* link : order) {
        const Rect from = devices_[link->from % count_];
        const Rect to = devices_[link->to % count_];
        Point a = edge_towards(from, to.centre());
        Point b = edge_towards(to, from.centre());
        // The two directions lie beside each other.
        const float length = std::max(1.0F, std::hypot(b.x - a.x, b.y - a.y));
        const float aside = 3 * scale;
        const Point move{-(b.y - a.y) / length * aside, (b.x - a.x) / length * aside};
        a = {a.x + move.x, a.y + move.y};
        b = {b.x + move.x, b.y + move.y};
        const double strength = moment.any_rate ? link->flow.share : link->flow.gb_per_s > 0 ? 0.5 : 0;
        const Pixel colour = flow_colour(context.theme, strength);
        canvas.line(a, b, colour, std::max(1.0F, static_cast<float>(1 + 3 * strength) * scale));
        if (strength > 0) {
            canvas.arrow_head(a, b, colour, std::round(7 * scale));
        }
        const Point middle{(a.x + 2 * b.x) / 3, (a.y + 2 * b.y) / 3};  // nearer to where it leads
        const float reach = std::round(5 * scale);
        parts_.push_back({fmt::format("link/{}/{}", link->from, link->to),
                          {middle.x - reach, middle.y - reach, middle.x + reach, middle.y + reach},
                          fmt::format("device {} to device {}: {}, {} of the link",
                                      link->from,
                                      link->to,
                                      flow_text(link->flow.gb_per_s),
                                      format_percent(link->flow.share)),
                          {}});
    }
}

void NodeView::draw_device(Canvas& canvas,
                           const DeviceMoment& device,
                           Rect box,
                           const PanelContext& context) {
    const Theme& theme = context.theme;
    const float scale = context.scale();
    const float line = std::ceil(context.fonts.line_height(TextStyle::small));
    const float pad = std::round(6 * scale);
    canvas.fill(box, theme.raised);
    canvas.outline(box, theme.border);
    canvas.push_clip(box);
    float top = box.top + std::round(3 * scale);
    const auto row = [&](std::string_view left, std::string_view right, Pixel colour, TextStyle style) {
        if (top + line > box.bottom) {
            return;
        }
        const float wide = right.empty() ? 0 : canvas.measure(right, TextStyle::small).x + pad;
        canvas.text_in({box.left + pad, top, box.right - pad - wide, top + line},
                       colour,
                       without_middle(canvas.fonts(), left, style, box.width() - 2 * pad - wide),
                       Align::left,
                       style);
        canvas.text_in(
            {box.left, top, box.right - pad + 1, top + line}, colour, right, Align::right, TextStyle::small);
        top += line;
    };
    const std::string busy = format_percent(device.busy);
    const std::string whole = fmt::format("device {}", device.number);
    const float room = box.width() - 3 * pad - canvas.measure(busy, TextStyle::small).x;
    const bool fits = canvas.measure(whole, TextStyle::small).x <= room;
    row(fits ? whole : std::to_string(device.number), busy, theme.text, TextStyle::small);
    const Rect bar{box.left + pad, top, box.right - pad, top + std::round(4 * scale)};
    canvas.fill(bar, theme.grid);
    canvas.fill(
        {bar.left, bar.top, bar.left + std::round(bar.width() * static_cast<float>(device.busy)), bar.bottom},
        theme.accent);
    top = bar.bottom + std::round(3 * scale);
    row(device.doing, {}, theme.text_dim, TextStyle::small);
    std::string hint = fmt::format("device {}: its busiest stream works for {} of the window\nit does: {}",
                                   device.number,
                                   format_percent(device.busy),
                                   device.doing);
    for (const LinkFlow& flow : device.flows) {
        row(flow.name,
            flow_text(flow.gb_per_s),
            flow.gb_per_s > 0 ? flow_colour(theme, std::max(0.3, flow.share)) : theme.text_faint,
            TextStyle::small);
        hint += fmt::format(
            "\n{}: {}, {} of the link", flow.name, flow_text(flow.gb_per_s), format_percent(flow.share));
    }
    canvas.pop_clip();
    parts_.push_back({fmt::format("device/{}", device.number), box, std::move(hint), {}});
}

void NodeView::draw_host(Canvas& canvas, const NodeMoment& moment, Rect area, const PanelContext& context) {
    if (moment.threads == 0) {
        return;
    }
    const Theme& theme = context.theme;
    const float line = std::ceil(context.fonts.line_height(TextStyle::small));
    const std::string words = fmt::format("host: {} thread{}, busiest {}",
                                          moment.threads,
                                          moment.threads == 1 ? "" : "s",
                                          format_percent(moment.host_busy));
    const float width = canvas.measure(words, TextStyle::small).x + std::round(16 * context.scale());
    const float height = line + std::round(8 * context.scale());
    const Point middle = area.centre();
    const bool ring = devices_.size() > 1 && devices_.size() <= 10;
    const float top = ring ? std::round(middle.y - height / 2) : area.bottom - height;
    const Rect box = whole_pixels({middle.x - width / 2, top, middle.x + width / 2, top + height});
    canvas.fill(box, theme.window);
    canvas.outline(box, theme.border);
    canvas.text_in(box, theme.text, words, Align::centre, TextStyle::small);
    parts_.push_back({"host",
                      box,
                      fmt::format("The busiest thread of the host works for {} of the window",
                                  format_percent(moment.host_busy)),
                      {}});
}

void NodeView::draw_servers(
    Canvas& canvas, Rect box, const Run& run, double cycle, const PanelContext& context) {
    const float line = std::round(context.fonts.line_height(TextStyle::small) + 4 * context.scale());
    const std::uint32_t servers = index_.servers();
    canvas.text_in({box.left, box.top, box.right, box.top + line},
                   context.theme.text_dim,
                   fmt::format("{} servers: devices busy", servers),
                   Align::left,
                   TextStyle::small);
    const auto columns = static_cast<std::uint32_t>(std::ceil(std::sqrt(servers)));
    const std::uint32_t rows = (servers + columns - 1) / columns;
    const float width = std::floor(box.width() / static_cast<float>(columns));
    const float height = std::min(std::floor((box.height() - line) / static_cast<float>(rows)),
                                  std::round(46 * context.scale()));
    const double half = window_of(run) / 2;
    for (std::uint32_t server = 0; server < servers && height > 2; ++server) {
        const float left = box.left + static_cast<float>(server % columns) * width;
        const float top = box.top + line + static_cast<float>(server / columns) * height;
        const Rect cell = whole_pixels({left, top, left + width - 2, top + height - 2});
        const double heat =
            index_.heat_of(run, server, {std::max(0.0, cycle - half), std::min(run.cycles(), cycle + half)});
        const Pixel colour =
            mix(context.theme.raised, context.theme.accent, 0.85F * static_cast<float>(heat));
        canvas.fill(cell, colour);
        const std::string name = std::to_string(server);
        if (canvas.measure(name, TextStyle::small).x + 2 < cell.width()) {
            canvas.text_in(cell, readable_on(colour), name, Align::centre, TextStyle::small);
        }
        if (server == server_) {
            canvas.outline(cell, context.theme.text, std::max(2.0F, std::round(2 * context.scale())));
        }
        parts_.push_back(
            {fmt::format("server/{}", server),
             cell,
             fmt::format("server {}: devices busy for {} of the window, on average; click to look at it",
                         server,
                         format_percent(heat)),
             server});
    }
}

void NodeView::draw_strips(
    Canvas& canvas, const Run& run, const NodeMoment& moment, double cycle, const PanelContext& context) {
    const TimeAxis axis{{0, std::max(1.0, run.cycles())}, strip_.left, std::max(1.0F, strip_.width())};
    const float row = strip_.height() / static_cast<float>(std::max<std::size_t>(1, moment.devices.size()));
    const LaneStyle style{.theme = &context.theme, .cause = {}, .labels = false, .step = 1};
    float top = strip_.top;
    for (const DeviceMoment& device : moment.devices) {
        if (device.stream) {
            const Rect place = whole_pixels({strip_.left, top, strip_.right, top + row - 1});
            draw_strip(canvas, run, *device.stream, axis, place, style);
        }
        top += row;
    }
    const float x = axis.pixel(std::floor(cycle));
    canvas.fill({x, strip_.top - 3, x + std::max(1.0F, std::round(2 * context.scale())), strip_.bottom},
                context.theme.guide);
}

std::optional<double> NodeView::handle(const Run& run, PanelContext& context, bool hovered, bool active) {
    if (context.anchors.enabled()) {
        context.anchors.add("node/strip", strip_);
        context.anchors.value("node.server", server_);
        for (const Part& part : parts_) {
            context.anchors.add("node/" + part.name, part.box);
        }
    }
    const ImVec2 mouse = ImGui::GetMousePos();
    const Point point{mouse.x, mouse.y};
    std::optional<double> moved;
    if (active && strip_.contains({std::clamp(point.x, strip_.left, strip_.right - 1), point.y})) {
        const TimeAxis axis{{0, std::max(1.0, run.cycles())}, strip_.left, std::max(1.0F, strip_.width())};
        moved = std::clamp(axis.whole_cycle(point.x), 0.0, run.cycles());
    }
    if (!hovered) {
        return moved;
    }
    for (const Part& part : parts_) {
        if (!part.box.contains(point)) {
            continue;
        }
        tooltip(part.hint);
        *context.status = part.hint.substr(0, part.hint.find('\n'));
        if (part.server && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
            server_ = *part.server;
        }
    }
    if (strip_.contains(point)) {
        tooltip("The main stream of each device over the whole run; drag to move in time");
    }
    return moved;
}

}  // namespace ascendsim::gui
