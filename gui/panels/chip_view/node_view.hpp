// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "gui/canvas/canvas.hpp"
#include "gui/panels/chip_view/node_moment.hpp"
#include "gui/shell/panel.hpp"

namespace ascendsim::gui {

/// One server at a moment: devices, what flows over their links, the host; of several servers a map beside
/// it.
class NodeView {
public:
    void follow(const Run& run);

    /// The streams by whose spans the view steps through time: those of the server's first device.
    [[nodiscard]] CoreLanes steps() const;
    [[nodiscard]] std::string title() const;

    void draw(Canvas& canvas, Rect box, const Run& run, double cycle, const PanelContext& context);

    /// Answers the pointer; returns the cycle to go to, if it drags over the strips below.
    std::optional<double> handle(const Run& run, PanelContext& context, bool hovered, bool active);

private:
    struct Part {
        std::string name;
        Rect box;
        std::string hint;
        std::optional<std::uint32_t> server;
    };

    [[nodiscard]] static double window_of(const Run& run) { return std::max(64.0, run.cycles() / 100); }

    void place_devices(Rect area, const PanelContext& context);
    void draw_links(Canvas& canvas, const NodeMoment& moment, const PanelContext& context);
    void draw_device(Canvas& canvas, const DeviceMoment& device, Rect box, const PanelContext& context);
    void draw_host(Canvas& canvas, const NodeMoment& moment, Rect box, const PanelContext& context);
    void draw_servers(Canvas& canvas, Rect box, const Run& run, double cycle, const PanelContext& context);
    void draw_strips(
        Canvas& canvas, const Run& run, const NodeMoment& moment, double cycle, const PanelContext& context);

    NodeIndex index_;
    std::uint32_t server_ = 0;
    std::uint32_t count_ = 0;    // devices of it
    std::vector<Rect> devices_;  // where they are drawn
    std::vector<Part> parts_;
    Rect strip_;
};

}  // namespace ascendsim::gui
