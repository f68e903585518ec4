// SPDX-License-Identifier: Apache-2.0
// The host side of pool.cpp, which includes this behind its kernel.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "kernels/ops/reduce/pool/pool.h"
#include "kernels/shared/float_types.hpp"
#include "kernels/shared/lane_windows_host.hpp"

namespace ascendsim::host {

/// The host side of pool.cpp.
class PoolHost : public KernelHost {
public:
    std::string_view meaning() const override {
        return "y = maxima or means of the windows that slide over x (batch, channels, 1 to 3 axes)";
    }

    std::vector<Knob> knobs() const override {
        using D = isa::DataType;
        std::vector<Knob> all = window_knobs({32, 64, 112, 112}, {3, 3}, {2, 2}, {1, 1, 1, 1});
        const std::vector<Knob> own{
            Knob::word("op", {"max", "mean"}, "what becomes of a window"),
            Knob::flag(
                "round_up", false, "a window that reaches behind the padding counts, if it starts before"),
            Knob::flag("count_padding", false, "mean: padding counts, as zeros"),
            planes_layout_knob(),
            Knob::type("dtype", {D::half, D::bfloat16, D::float32}, "element type; means are in float32"),
            Knob::integer("blocks", 0, 0, 65535, "", "cores; 0: as many as are worth starting"),
            Knob::integer("buffers", 2, 1, 2, "", "buffers of x and y; 2 overlaps copies and arithmetic"),
        };
        all.insert(all.end(), own.begin(), own.end());
        return all;
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const isa::DataType type = checked_float_type(knobs, chip);
        const Shape& shape = knobs.shape("shape");
        const bool mean = knobs.word("op") == "mean";
        PoolTiling t{.planes = shape.size() > 1 ? shape[0] * shape[1] : 0,
                     .padded = knobs.flag("count_padding") ? 1U : 0U};
        set_axes(knobs, t);
        t.windows.in_blocks = takes_blocks(knobs, isa::bits(type) / 8) ? 1 : 0;
        Shape out = shape;
        for (std::size_t i = 2; i < shape.size(); ++i) {
            out[i] = t.windows.axis[i + 3 - shape.size()].out;
        }
        std::uint32_t blocks = 1;
        tile(knobs, chip, type, mean, t, blocks);
        Plan plan;
        const bool blocked = t.windows.in_blocks != 0;
        plan.problem = fmt::format("{} of windows {} on {} to {}, {}{}",
                                   knobs.word("op"),
                                   text(knobs.shape("window")),
                                   text(shape),
                                   text(out),
                                   isa::name(type),
                                   blocked ? ", in blocks of 16 channels" : "");
        plan.buffers = {Buffer::input("x", type, blocked ? in_blocks(shape) : shape, fill::Normal{0, 2}),
                        Buffer::output("y", type, blocked ? in_blocks(out) : out)};
        plan.launches = {{.entry = fmt::format("pool_{}_{}", knobs.word("op"), isa::name(type)),
                          .blocks = blocks,
                          .cores = ascendsim::CoreUse::aiv,
                          .arguments = {Argument::address("x"), Argument::address("y"), Argument::of(t)}}};
        const windows::Axis* axis = t.windows.axis;
        plan.work = {.vector_flops = static_cast<double>(elements(out)) *
                                     (axis[0].taps + axis[1].taps + axis[2].taps - 2 + (mean ? 1 : 0)),
                     .vector_type = mean ? isa::DataType::float32 : type,
                     .gm_bytes = plan.buffers[0].bytes() + plan.buffers[1].bytes()};
        plan.reference = [t, mean](ReferenceData& data) { expect(data, t, mean); };
        plan.tolerances = {mean ? rounded_once("y", type, 1e-6) : Tolerance{.output = "y"}};
        return plan;
    }

private:
    static void set_axes(const Knobs& knobs, PoolTiling& t) {
        const WindowKnobs w = read_windows(knobs);
        for (std::size_t i = 0; i < 3; ++i) {
            const std::uint64_t span = (w.taps[i] - 1) * w.dilation[i] + 1;
            const std::uint64_t padded = w.in[i] + w.before[i] + w.behind[i];
            if (padded < span || w.before[i] >= span || w.behind[i] >= span || w.in[i] == 0) {
                throw knobs.error("window", "must reach farther than the padding, and fit the padded image");
            }
            const std::uint64_t room = padded - span;
            std::uint64_t out = room / w.stride[i] + 1;
            if (knobs.flag("round_up")) {
                out = ceil_div(room, w.stride[i]) + 1;
                out -= (out - 1) * w.stride[i] >= w.in[i] + w.before[i] ? 1 : 0;
            }
            t.windows.axis[i] = {.in = static_cast<std::uint32_t>(w.in[i]),
                                 .out = static_cast<std::uint32_t>(out),
                                 .taps = static_cast<std::uint32_t>(w.taps[i]),
                                 .stride = static_cast<std::uint32_t>(w.stride[i]),
                                 .dilation = static_cast<std::uint32_t>(w.dilation[i]),
                                 .pad = static_cast<std::int32_t>(w.before[i]),
                                 .behind = static_cast<std::int32_t>(w.behind[i])};
            set_whole(t.windows.axis[i], t.padded != 0);
        }
        t.windows.elements = elements(knobs.shape("shape"));
    }

    /// The windows all of whose positions count.
    static void set_whole(windows::Axis& axis, bool padded) {
        const std::int64_t low = padded ? -std::int64_t{axis.pad} : 0;
        const std::int64_t high = std::int64_t{axis.in} + (padded ? axis.behind : 0);
        const std::int64_t reach = std::int64_t{axis.taps - 1} * axis.dilation;
        const auto whole = [&](std::int64_t o) {
            const std::int64_t first = o * axis.stride - axis.pad;
            return first >= low && first + reach < high;
        };
        while (axis.whole_from < axis.out && !whole(axis.whole_from)) {
            ++axis.whole_from;
        }
        axis.whole_end = axis.whole_from;
        while (axis.whole_end < axis.out && whole(axis.whole_end)) {
            ++axis.whole_end;
        }
    }

    static void tile(const Knobs& knobs,
                     const ChipSpec& chip,
                     isa::DataType type,
                     bool mean,
                     PoolTiling& t,
                     std::uint32_t& blocks) {
        const std::uint64_t size = isa::bits(type) / 8;
        const bool converts = mean ? size == 2 : type == isa::DataType::bfloat16;
        const std::uint64_t wide = converts ? 4 : size;
        t.windows.buffers = knobs.count("buffers");
        const auto fits = [&](const WindowRooms& rooms) {
            const std::uint64_t larger = std::max(rooms.in, rooms.out);
            const std::uint64_t each =
                size * (t.windows.buffers * (rooms.in + rooms.out) + (converts ? larger : 0)) +
                wide * (std::max(larger, rooms.across) + std::max(rooms.across, rooms.out));
            return windows::lanes * each + 1024 <= chip.buffers.ub &&
                   (chip.arch == "2201" || t.windows.in_blocks != 0 ||
                    writes_whole_blocks(t.windows, 32 / size));
        };
        const std::uint64_t groups = ceil_div(t.planes, std::uint64_t{windows::lanes});
        const std::uint64_t cores = knobs.count("blocks") != 0 ? knobs.count("blocks") : vector_cores(chip);
        if (!cut_windows(t.windows, groups, cores, 32 / size, fits)) {
            throw knobs.error("window",
                              chip.arch == "2201"
                                  ? "the positions below one row of windows do not fit the unified buffer"
                                  : chip.name +
                                        " copies whole blocks of 32 B, which the positions of a "
                                        "result are not");
        }
        blocks = static_cast<std::uint32_t>(
            std::max<std::uint64_t>(ceil_div(t.windows.units, t.windows.share), 1));
    }

    /// The plane `x` at a window of `y`: maximum, or sum and how many count.
    struct Window {
        double most = -std::numeric_limits<double>::infinity();
        double sum = 0;
        std::uint64_t counted = 0;
    };

    static Window window_at(const PoolTiling& t, const float* plane, const std::array<std::int64_t, 3>& out) {
        const windows::Axis* axis = t.windows.axis;
        Window window;
        const std::uint64_t taps = std::uint64_t{axis[0].taps} * axis[1].taps * axis[2].taps;
        for (std::uint64_t tap = 0; tap < taps; ++tap) {
            std::uint64_t rest = tap;
            bool within = true;
            bool counts = true;
            std::array<std::int64_t, 3> at{};
            for (std::size_t i = 3; i-- > 0;) {
                at[i] = out[i] * axis[i].stride - axis[i].pad +
                        static_cast<std::int64_t>(rest % axis[i].taps) * axis[i].dilation;
                rest /= axis[i].taps;
                within = within && at[i] >= 0 && at[i] < axis[i].in;
                counts = counts && at[i] < std::int64_t{axis[i].in} + axis[i].behind;
            }
            window.counted += (t.padded != 0 ? counts : within) ? 1 : 0;
            if (within) {
                const double value = plane[(at[0] * axis[1].in + at[1]) * axis[2].in + at[2]];
                window.most = std::max(window.most, value);
                window.sum += value;
            }
        }
        return window;
    }

    static void expect(ReferenceData& data, const PoolTiling& t, bool mean) {
        std::vector<double>& y = data.expected("y");
        const windows::Axis* axis = t.windows.axis;
        const std::uint64_t plane = std::uint64_t{axis[0].in} * axis[1].in * axis[2].in;
        const std::uint64_t positions = std::uint64_t{axis[0].out} * axis[1].out * axis[2].out;
        const bool blocked = t.windows.in_blocks != 0;
        const std::vector<float> x = blocked ? out_of_blocks(data.floats("x"), plane) : data.floats("x");
        for (std::uint64_t i = 0; i < y.size(); ++i) {
            const std::uint64_t at = i % positions;
            const std::array<std::int64_t, 3> out{static_cast<std::int64_t>(at / axis[2].out / axis[1].out),
                                                  static_cast<std::int64_t>(at / axis[2].out % axis[1].out),
                                                  static_cast<std::int64_t>(at % axis[2].out)};
            const Window window = window_at(t, x.data() + i / positions * plane, out);
            y[i] = mean ? window.sum / static_cast<double>(std::max<std::uint64_t>(window.counted, 1))
                        : window.most;
        }
        if (blocked) {
            y = into_blocks(y, positions);
        }
    }
};

}  // namespace ascendsim::host
