// SPDX-License-Identifier: Apache-2.0
// The host side of vector_conv.cpp, which includes this behind its kernel.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "kernels/ops/conv/vector_conv/vector_conv.h"
#include "kernels/shared/float_types.hpp"
#include "kernels/shared/lane_windows_host.hpp"

namespace ascendsim::host {

/// The host side of vector_conv.cpp.
class VectorConvHost : public KernelHost {
public:
    std::string_view meaning() const override {
        return "y = x * w (+ bias), a convolution by the vector unit: depthwise, grouped, transposed, 1 to 3 "
               "axes";
    }

    std::vector<Knob> knobs() const override {
        using D = isa::DataType;
        std::vector<Knob> all = window_knobs({1, 144, 56, 56}, {3, 3}, {}, {1, 1, 1, 1});
        const std::vector<Knob> own{
            Knob::integer("outputs", 144, 1, 1 << 20, "channels", "channels of y"),
            Knob::integer("groups", 144, 1, 1 << 20, "", "groups of channels"),
            Knob::flag("transposed", false, "w is (channels, outputs / groups, window); strides widen y"),
            Knob::shape("extra", {}, "transposed: further positions behind each axis of y; []: none"),
            Knob::flag("bias", false, "a value for each channel of y is added"),
            Knob::type("dtype", {D::half, D::bfloat16, D::float32}, "element type; sums are in float32"),
            Knob::integer("blocks", 0, 0, 65535, "", "cores; 0: as many as are worth starting"),
            Knob::integer("buffers", 2, 1, 2, "", "buffers of x and y; 2 overlaps copies and arithmetic"),
        };
        all.insert(all.end(), own.begin(), own.end());
        return all;
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const isa::DataType type = checked_float_type(knobs, chip);
        const Shape& shape = knobs.shape("shape");
        VectorConvTiling t{.outputs = knobs.count("outputs"), .has_bias = knobs.flag("bias") ? 1U : 0U};
        t.windows.transposed = knobs.flag("transposed") ? 1 : 0;
        set_axes(knobs, t);
        set_groups(knobs, t);
        Shape out = shape;
        out[1] = t.outputs;
        for (std::size_t i = 2; i < shape.size(); ++i) {
            out[i] = t.windows.axis[i + 3 - shape.size()].out;
        }
        std::uint32_t blocks = 1;
        tile(knobs, chip, isa::bits(type) / 8, t, blocks);
        Shape filters{t.windows.transposed != 0 ? t.channels : t.outputs,
                      t.windows.transposed != 0 ? t.outs_of_group : t.of_group};
        const Shape& window = knobs.shape("window");
        filters.insert(filters.end(), window.begin(), window.end());
        Plan plan;
        plan.problem = fmt::format("{} of {} with {} in {} groups to {}, {}",
                                   t.windows.transposed != 0 ? "transposed convolution" : "convolution",
                                   text(shape),
                                   text(filters),
                                   knobs.count("groups"),
                                   text(out),
                                   isa::name(type));
        plan.buffers = {Buffer::input("x", type, shape),
                        Buffer::input("w", type, filters),
                        Buffer::input("bias", type, {t.has_bias != 0 ? t.outputs : 1}),
                        Buffer::output("y", type, out)};
        plan.launches = {{.entry = fmt::format("vector_conv_{}", isa::name(type)),
                          .blocks = blocks,
                          .cores = ascendsim::CoreUse::aiv,
                          .arguments = {Argument::address("x"),
                                        Argument::address("w"),
                                        Argument::address("bias"),
                                        Argument::address("y"),
                                        Argument::of(t)}}};
        const double depth = static_cast<double>(t.of_group) * t.taps;
        // Each tap meets each position of the result, or of x where that is transposed, once.
        const double positions =
            t.windows.transposed != 0
                ? static_cast<double>(elements(shape)) * static_cast<double>(t.outs_of_group)
                : static_cast<double>(elements(out)) * static_cast<double>(t.of_group);
        plan.work = {.vector_flops = 2.0 * positions * t.taps,
                     .vector_type = isa::DataType::float32,
                     .gm_bytes = least_traffic(plan.buffers)};
        plan.reference = [t](ReferenceData& data) { expect(data, t); };
        // Sums of products of values below 1 in fp32: ten deviations, as for conv2d.cpp.
        plan.tolerances = {rounded_once("y", type, 1e-6 + 10.0 * 0x1p-24 * depth / 3)};
        return plan;
    }

private:
    static void set_axes(const Knobs& knobs, VectorConvTiling& t) {
        const WindowKnobs w = read_windows(knobs);
        const std::size_t rank = knobs.shape("shape").size() - 2;
        const Shape extra = knobs.shape("extra").empty() ? Shape(rank, 0) : knobs.shape("extra");
        if (extra.size() != rank) {
            throw knobs.error("extra", fmt::format("needs {} numbers", rank));
        }
        t.taps = static_cast<std::uint32_t>(w.taps[0] * w.taps[1] * w.taps[2]);
        for (std::size_t i = 0; i < 3; ++i) {
            const std::uint64_t span = (w.taps[i] - 1) * w.dilation[i] + 1;
            const std::uint64_t pads = w.before[i] + w.behind[i];
            const bool turned = t.windows.transposed != 0;
            const std::uint64_t more = i + rank >= 3 ? extra[i + rank - 3] : 0;
            const std::uint64_t room = turned ? (w.in[i] - 1) * w.stride[i] + span + more : w.in[i] + pads;
            const std::uint64_t taken = turned ? pads + 1 : span;
            if (w.in[i] == 0 || room < taken) {
                throw knobs.error("window", "leaves no position of y");
            }
            const std::uint64_t out = (room - taken) / (turned ? 1 : w.stride[i]) + 1;
            t.windows.axis[i] = {.in = static_cast<std::uint32_t>(w.in[i]),
                                 .out = static_cast<std::uint32_t>(out),
                                 .taps = static_cast<std::uint32_t>(w.taps[i]),
                                 .stride = static_cast<std::uint32_t>(w.stride[i]),
                                 .dilation = static_cast<std::uint32_t>(w.dilation[i]),
                                 .pad = static_cast<std::int32_t>(w.before[i]),
                                 .behind = static_cast<std::int32_t>(w.behind[i])};
        }
        t.windows.elements = elements(knobs.shape("shape"));
    }

    static void set_groups(const Knobs& knobs, VectorConvTiling& t) {
        const std::uint64_t groups = knobs.count("groups");
        t.channels = knobs.shape("shape")[1];
        if (t.channels == 0 || t.channels % groups != 0 || t.outputs % groups != 0) {
            throw knobs.error("groups",
                              fmt::format("must divide {} channels of x and {} of y", t.channels, t.outputs));
        }
        t.of_group = t.channels / groups;
        t.outs_of_group = t.outputs / groups;
    }

    static void tile(const Knobs& knobs,
                     const ChipSpec& chip,
                     std::uint64_t size,
                     VectorConvTiling& t,
                     std::uint32_t& blocks) {
        constexpr std::uint64_t most_weights = 288;  // positions, unless a single filter takes more
        const std::uint64_t block = 32 / size;
        t.tap_pitch = t.windows.transposed != 0
                          ? static_cast<std::uint32_t>(round_up(std::uint64_t{t.taps}, block))
                          : t.taps;
        t.chunk =
            static_cast<std::uint32_t>(std::clamp<std::uint64_t>(most_weights / t.tap_pitch, 1, t.of_group));
        t.room_weights = round_up(t.chunk * t.tap_pitch, windows::lanes);
        t.windows.buffers = knobs.count("buffers");
        const auto fits = [&](const WindowRooms& rooms) {
            const std::uint64_t weights = t.room_weights;
            const std::uint64_t narrow = size == 2 ? std::max({rooms.in, rooms.out, weights}) : 0;
            const std::uint64_t each =
                size * (t.windows.buffers * (rooms.in + rooms.out) + narrow + weights) +
                4 * (rooms.in + rooms.out + weights);
            return windows::lanes * each + 2048 <= chip.buffers.ub &&
                   (chip.arch == "2201" || writes_whole_blocks(t.windows, block));
        };
        const std::uint64_t groups =
            knobs.shape("shape")[0] * ceil_div(t.outputs, std::uint64_t{windows::lanes});
        const std::uint64_t cores = knobs.count("blocks") != 0 ? knobs.count("blocks") : vector_cores(chip);
        if (!cut_windows(t.windows, groups, cores, block, fits)) {
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

    /// Positions of axes as one number, or none where one lies outside.
    struct Place {
        bool within = true;
        std::uint64_t at = 0;
    };

    static Place place_of(const VectorConvTiling& t, std::uint64_t position, std::uint64_t tap) {
        std::array<std::int64_t, 3> at{};
        Place place;
        for (std::size_t i = 3; i-- > 0;) {
            const windows::Axis& axis = t.windows.axis[i];
            const bool turned = t.windows.transposed != 0;
            const std::uint64_t extent = turned ? axis.in : axis.out;
            const std::int64_t other = static_cast<std::int64_t>(position % extent) * axis.stride - axis.pad +
                                       static_cast<std::int64_t>(tap % axis.taps) * axis.dilation;
            place.within = place.within && other >= 0 && other < (turned ? axis.out : axis.in);
            at[i] = other;
            position /= extent;
            tap /= axis.taps;
        }
        for (std::size_t i = 0; i < 3; ++i) {
            const windows::Axis& axis = t.windows.axis[i];
            place.at = place.at * (t.windows.transposed != 0 ? axis.out : axis.in) +
                       static_cast<std::uint64_t>(at[i]);
        }
        return place;
    }

    /// One plane of x with one filter, added to one plane of y.
    static void add_plane(const VectorConvTiling& t, const float* x, const float* filter, double* y) {
        const windows::Axis* axis = t.windows.axis;
        const bool turned = t.windows.transposed != 0;
        const std::uint64_t positions = turned ? std::uint64_t{axis[0].in} * axis[1].in * axis[2].in
                                               : std::uint64_t{axis[0].out} * axis[1].out * axis[2].out;
        for (std::uint64_t at = 0; at < positions; ++at) {
            for (std::uint64_t tap = 0; tap < t.taps; ++tap) {
                const Place other = place_of(t, at, tap);
                if (other.within) {
                    y[turned ? other.at : at] +=
                        static_cast<double>(x[turned ? at : other.at]) * static_cast<double>(filter[tap]);
                }
            }
        }
    }

    static void expect(ReferenceData& data, const VectorConvTiling& t) {
        const std::vector<float>& x = data.floats("x");
        const std::vector<float>& w = data.floats("w");
        const std::vector<float>& bias = data.floats("bias");
        std::vector<double>& y = data.expected("y");
        const windows::Axis* axis = t.windows.axis;
        const std::uint64_t in = std::uint64_t{axis[0].in} * axis[1].in * axis[2].in;
        const std::uint64_t out = std::uint64_t{axis[0].out} * axis[1].out * axis[2].out;
        for (std::uint64_t plane = 0; plane < y.size() / out; ++plane) {
            const std::uint64_t channel = plane % t.outputs;
            const std::uint64_t group = channel / t.outs_of_group;
            double* to = y.data() + plane * out;
            std::fill(to, to + out, t.has_bias != 0 ? static_cast<double>(bias[channel]) : 0.0);
            for (std::uint64_t c = 0; c < t.of_group; ++c) {
                const std::uint64_t from = group * t.of_group + c;
                const std::uint64_t filter = t.windows.transposed != 0
                                                 ? from * t.outs_of_group + channel % t.outs_of_group
                                                 : channel * t.of_group + c;
                add_plane(t,
                          x.data() + (plane / t.outputs * t.channels + from) * in,
                          w.data() + filter * t.taps,
                          to);
            }
        }
    }
};

}  // namespace ascendsim::host
