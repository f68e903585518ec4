// SPDX-License-Identifier: Apache-2.0
#include "networks/operators/windows.hpp"

#include <algorithm>
#include <string>

namespace ascendsim::networks {
namespace {

constexpr std::int64_t most_setting = 1 << 20;    // of an attribute
constexpr std::uint64_t most_places = 1U << 21U;  // of windows and taps together

std::vector<std::int64_t> attribute(const Operator& with,
                                    std::string_view name,
                                    std::size_t count,
                                    std::int64_t otherwise,
                                    std::int64_t least) {
    const std::vector<std::int64_t> values =
        with.node.integers(name, std::vector<std::int64_t>(count, otherwise));
    if (values.size() != count || std::ranges::any_of(values, [least](std::int64_t value) {
            return value < least || value > most_setting;
        })) {
        throw Refused{"'{}' must be {} numbers from {} on", name, count, least};
    }
    return values;
}

/// Padding that leaves as many windows as strides fit.
void pad_alike(WindowAxis& axis, bool more_behind) {
    axis.out = (axis.extent + axis.stride - 1) / axis.stride;
    const std::int64_t all = std::max<std::int64_t>(
        (axis.out - 1) * axis.stride + (axis.taps - 1) * axis.dilation + 1 - axis.extent, 0);
    axis.before = more_behind ? all / 2 : all - all / 2;
    axis.behind = all - axis.before;
}

void count_windows(WindowAxis& axis, bool round_up) {
    const std::int64_t room = axis.extent + axis.before + axis.behind - (axis.taps - 1) * axis.dilation - 1;
    if (room < 0) {
        throw Refused{"a window of {} does not fit an axis of {}", axis.taps, axis.extent};
    }
    axis.out = room / axis.stride + 1;
    if (round_up && room % axis.stride != 0 && axis.out * axis.stride < axis.extent + axis.before) {
        ++axis.out;  // unless it begins in the padding behind
    }
}

}  // namespace

std::vector<WindowAxis> windows_of(const Operator& with,
                                   const host::Shape& extents,
                                   const std::vector<std::int64_t>& taps) {
    const std::size_t rank = extents.size();
    if (taps.size() != rank || rank == 0 ||
        std::ranges::any_of(taps, [](std::int64_t tap) { return tap < 1 || tap > most_setting; })) {
        throw Refused{"windows with {} axes on {}", taps.size(), host::text(extents)};
    }
    const std::vector<std::int64_t> strides = attribute(with, "strides", rank, 1, 1);
    const std::vector<std::int64_t> dilations = attribute(with, "dilations", rank, 1, 1);
    const std::string automatic = with.node.word("auto_pad", "NOTSET");
    const bool alike = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
    const std::vector<std::int64_t> pads = alike || automatic == "VALID"
                                               ? std::vector<std::int64_t>(2 * rank, 0)
                                               : attribute(with, "pads", 2 * rank, 0, 0);
    std::vector<WindowAxis> axes;
    for (std::size_t i = 0; i < rank; ++i) {
        WindowAxis axis{.extent = static_cast<std::int64_t>(extents[i]),
                        .taps = taps[i],
                        .stride = strides[i],
                        .dilation = dilations[i],
                        .before = pads[i],
                        .behind = pads[rank + i]};
        if (alike) {
            pad_alike(axis, automatic == "SAME_UPPER");
        } else {
            count_windows(axis, with.node.integer("ceil_mode", 0) != 0);
        }
        axes.push_back(axis);
    }
    return axes;
}

std::vector<std::int64_t> window_places(const std::vector<WindowAxis>& axes, bool transposed) {
    std::uint64_t count = 1;
    for (const WindowAxis& axis : axes) {
        count *= static_cast<std::uint64_t>(axis.out * axis.taps);
        if (count > most_places) {
            throw Refused{"windows of more than {} elements in all", most_places};
        }
    }
    std::vector<std::int64_t> result;
    result.reserve(count);
    std::vector<std::int64_t> out(axes.size(), 0);
    std::vector<std::int64_t> tap(axes.size(), 0);
    const auto next = [&axes](std::vector<std::int64_t>& index, std::int64_t WindowAxis::*bound) {
        for (std::size_t d = axes.size(); d-- > 0;) {
            if (++index[d] < axes[d].*bound) {
                return true;
            }
            index[d] = 0;
        }
        return false;
    };
    do {
        do {
            std::int64_t place = 0;
            for (std::size_t d = 0; d < axes.size(); ++d) {
                const WindowAxis& axis = axes[d];
                std::int64_t at = transposed ? out[d] + axis.before - tap[d] * axis.dilation
                                             : out[d] * axis.stride - axis.before + tap[d] * axis.dilation;
                const bool between = transposed && (at < 0 || at % axis.stride != 0);
                at = transposed && !between ? at / axis.stride : at;
                const bool inside = !between && at >= 0 && at < axis.extent;
                place = inside && place >= 0 ? place * axis.extent + at : -1;
            }
            result.push_back(place);
        } while (next(tap, &WindowAxis::taps));
    } while (next(out, &WindowAxis::out));
    return result;
}

}  // namespace ascendsim::networks
