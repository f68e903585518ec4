// SPDX-License-Identifier: Apache-2.0
#include "app/report/svg_timeline.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "app/analysis/chip_numbers.hpp"
#include "app/analysis/lane_use.hpp"
#include "app/analysis/machine/program_axis.hpp"
#include "app/report/style.hpp"
#include "app/report/words.hpp"
#include "sim/record/occupancy.hpp"
#include "sim/record/words.hpp"

namespace ascendsim::report {

namespace {

using record::Reason;
using record::Recording;

constexpr double names_width = 110;  // pixels
constexpr double axis_height = 22;
constexpr double lane_gap = 3;
constexpr std::size_t single_spans = 4000;  // drawn one by one up to here
constexpr std::uint64_t moments = 360;      // columns of a dense picture

class Picture {
public:
    Picture(const Recording& recording, const SvgOptions& options)
        : recording_{recording},
          options_{options},
          to_{std::max(options.from + 1, options.to == ~std::uint64_t{0} ? recording.cycles() : options.to)},
          lanes_{shown_lanes(recording, options.most_lanes)},
          chip_{recording.metadata()} {}

    std::string draw() {
        const double height = axis_height + static_cast<double>(lanes_.size()) * pitch() + 4;
        fmt::format_to(
            sink(),
            R"(<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="{:.0f}" viewBox="0 0 {} {:.0f}" )",
            options_.width,
            height,
            options_.width,
            height);
        fmt::format_to(sink(),
                       R"(role="img" font-family="sans-serif" font-size="10"><title>{}</title>)",
                       html_text(options_.title));
        axis(height);
        const bool shares = options_.dense.value_or(many_spans());
        double top = axis_height;
        for (const std::uint32_t lane : lanes_) {
            name(lane, top);
            shares ? dense(lane, top) : single(lane, top);
            top += pitch();
        }
        fmt::format_to(sink(), "</svg>\n");
        return fmt::to_string(buffer_);
    }

    [[nodiscard]] bool many_spans() const {
        std::size_t spans = 0;
        for (const std::uint32_t lane : lanes_) {
            spans += spans_of(lane);
        }
        return spans > single_spans;
    }

private:
    std::back_insert_iterator<fmt::memory_buffer> sink() { return std::back_inserter(buffer_); }

    [[nodiscard]] double pitch() const { return options_.lane_height + lane_gap; }

    [[nodiscard]] double x(std::uint64_t cycle) const {
        const double room = options_.width - names_width - 6;
        return names_width +
               room * static_cast<double>(cycle - options_.from) / static_cast<double>(to_ - options_.from);
    }

    [[nodiscard]] std::size_t spans_of(std::uint32_t number) const {
        const record::Lane& lane = recording_.lane(number);
        const std::size_t first = lane.first_ending_after(options_.from);
        const std::size_t last = lane.first_starting_from(to_);
        return last > first ? last - first : 0;
    }

    // At most ten marks at round times; words that would leave the picture end at their mark.
    void axis(double height) {
        const double cycle = chip_.us(1);
        const double from = static_cast<double>(options_.from) * cycle;
        const double to = static_cast<double>(to_) * cycle;
        double step = 1e-3;  // 1 ns
        while ((to - from) / step > 10) {
            for (const double factor : {2.0, 2.5, 2.0}) {
                step *= (to - from) / step > 10 ? factor : 1;
            }
        }
        constexpr double edge = 0.06;  // of the width: room for a time
        for (double mark = std::ceil(from / step); mark * step <= to; ++mark) {
            const double at = x(static_cast<std::uint64_t>(std::llround(mark * step / cycle)));
            fmt::format_to(
                sink(),
                R"(<path d="M{:.1f} 14V{:.0f}" stroke="#8884" fill="none"/><text x="{:.1f}" y="10" fill="#777"{}>{}</text>)",
                at,
                height,
                at,
                to - mark * step < edge * (to - from) ? R"( text-anchor="end")" : "",
                time_text(mark * step));
        }
    }

    void name(std::uint32_t number, double top) {
        fmt::format_to(sink(),
                       R"(<text x="4" y="{:.1f}" fill="currentColor">{}</text>)",
                       top + options_.lane_height - 4,
                       html_text(recording_.lane(number).path.title()));
    }

    void single(std::uint32_t number, double top) {
        const record::Lane& lane = recording_.lane(number);
        for_each_stretch(recording_, number, options_.from, to_, [&](const record::Stretch& stretch) {
            const bool busy = stretch.reason == Reason::none;
            std::string what{record::label(stretch.reason)};
            if (!stretch.between) {
                const std::string here =
                    instruction(recording_, lane.op[stretch.index], lane.site[stretch.index]);
                what = busy ? here : fmt::format("{}: {}", here, what);
            }
            const double height = busy ? options_.lane_height : options_.lane_height * 0.45;
            fmt::format_to(
                sink(),
                R"(<rect x="{:.2f}" y="{:.1f}" width="{:.2f}" height="{:.1f}" fill="{}"><title>{}, {} cycles from {}</title></rect>)",
                x(stretch.start),
                top + options_.lane_height - height,
                x(stretch.end) - x(stretch.start),
                height,
                colour(stretch.reason),
                html_text(what),
                stretch.end - stretch.start,
                stretch.start);
        });
    }

    // One path for each reason; every moment adds a piece as high as its share.
    void dense(std::uint32_t number, double top) {
        const std::uint64_t step = std::max<std::uint64_t>(1, (to_ - options_.from + moments - 1) / moments);
        std::array<std::string, record::reason_count> paths;
        record::Occupancy moment;
        std::uint64_t begin = options_.from;
        const auto finish = [&](std::uint64_t end) {
            add_moment(paths, moment, begin, end, top);
            moment = {};
            begin = end;
        };
        for_each_stretch(recording_, number, options_.from, to_, [&](record::Stretch stretch) {
            while (stretch.end - begin >= step) {
                moment.add(stretch.reason, begin + step - stretch.start);
                stretch.start = begin + step;
                finish(begin + step);
            }
            moment.add(stretch.reason, stretch.end - stretch.start);
        });
        if (begin < to_) {
            finish(std::min(begin + step, to_));
        }
        for (std::size_t reason = 0; reason < paths.size(); ++reason) {
            if (!paths[reason].empty()) {
                fmt::format_to(sink(),
                               R"(<path fill="{}" d="{}"/>)",
                               colour(static_cast<Reason>(reason)),
                               paths[reason]);
            }
        }
    }

    void add_moment(std::array<std::string, record::reason_count>& paths,
                    const record::Occupancy& moment,
                    std::uint64_t begin,
                    std::uint64_t end,
                    double top) const {
        double bottom = top + options_.lane_height;
        for (std::size_t reason = 0; reason < paths.size(); ++reason) {
            const double height = options_.lane_height * static_cast<double>(moment.cycles[reason]) /
                                  static_cast<double>(end - begin);
            if (height >= 0.05) {
                const double width = x(end) - x(begin);
                paths[reason] += fmt::format(
                    "M{:.1f} {:.1f}h{:.2f}v{:.2f}h-{:.2f}z", x(begin), bottom, width, -height, width);
            }
            bottom -= height;
        }
    }

    const Recording& recording_;
    const SvgOptions& options_;
    std::uint64_t to_;
    std::vector<std::uint32_t> lanes_;
    analysis::ChipNumbers chip_;
    fmt::memory_buffer buffer_;
};

}  // namespace

bool is_dense(const Recording& recording, const SvgOptions& options) {
    return Picture{recording, options}.many_spans();
}

std::string svg_timeline(const Recording& recording, const SvgOptions& options) {
    return Picture{recording, options}.draw();
}

std::string_view colour(Reason reason) {
    // Work is green, waits for data warm, for room and order cold, standing outside of a program grey.
    constexpr std::array<std::string_view, record::reason_count> of_reasons{"#2a9d5c",
                                                                            "#c9c9c9",
                                                                            "#8c6bb1",
                                                                            "#5b8fd6",
                                                                            "#e8743b",
                                                                            "#f2b134",
                                                                            "#b07aa1",
                                                                            "#3d5a80",
                                                                            "#d1495b",
                                                                            "#f4a582",
                                                                            "#a63603",
                                                                            "#7f0000",
                                                                            "#b5b5b5",
                                                                            "#dcdcdc",
                                                                            "#efefef"};
    return of_reasons[static_cast<std::size_t>(reason)];
}

std::vector<std::uint32_t> shown_lanes(const Recording& recording, std::size_t most) {
    std::vector<std::vector<std::uint32_t>> cores;
    std::size_t lanes = 0;
    for (std::uint32_t number = 0; number < recording.lanes().size(); ++number) {
        const record::Lane& lane = recording.lane(number);
        if (!analysis::is_used(lane) || !analysis::on_axis_of_cores(recording, lane)) {
            continue;
        }
        const record::Lane* const before = cores.empty() ? nullptr : &recording.lane(cores.back().front());
        const bool same = before != nullptr && before->core_index == lane.core_index &&
                          before->path.place() == lane.path.place();
        if (!same) {
            cores.emplace_back();
        }
        cores.back().push_back(number);
        ++lanes;
    }
    const std::size_t stride = most == 0 || lanes <= most ? 1 : (lanes + most - 1) / most;
    std::vector<std::uint32_t> shown;
    for (std::size_t core = 0; core < cores.size(); core += stride) {
        shown.insert(shown.end(), cores[core].begin(), cores[core].end());
    }
    return shown;
}

namespace {

void add_reasons(std::set<Reason>& seen, const Recording& recording) {
    for (std::uint32_t number = 0; number < recording.lanes().size(); ++number) {
        const record::Lane& lane = recording.lane(number);
        if (analysis::is_used(lane) && analysis::on_axis_of_cores(recording, lane)) {
            const record::Occupancy occupancy = record::occupancy(recording, number);
            for (std::size_t reason = 0; reason < record::reason_count; ++reason) {
                if (occupancy.cycles[reason] != 0) {
                    seen.insert(static_cast<Reason>(reason));
                }
            }
        }
    }
}

}  // namespace

std::string svg_legend(std::initializer_list<const Recording*> recordings) {
    std::set<Reason> seen;
    for (const Recording* recording : recordings) {
        add_reasons(seen, *recording);
    }
    std::string html{"<ul class=\"legend\">"};
    for (const Reason reason : seen) {
        html += fmt::format("<li><span style=\"background:{}\"></span>{}</li>",
                            colour(reason),
                            html_text(record::label(reason)));
    }
    return html + "</ul>\n";
}

std::string html_text(std::string_view text) {
    std::string result;
    for (const char c : text) {
        switch (c) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '"':
                result += "&quot;";
                break;
            default:
                result += c;
        }
    }
    return result;
}

}  // namespace ascendsim::report
