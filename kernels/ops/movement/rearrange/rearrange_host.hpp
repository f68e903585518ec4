// SPDX-License-Identifier: Apache-2.0
// The host side of rearrange.cpp, which includes this behind its kernel.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "kernels/ops/movement/rearrange/rearrange.h"
#include "kernels/ops/movement/rearrange/rearrange_boxes.hpp"
#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/work_split.hpp"

namespace ascendsim::host {

/// The host side of rearrange.cpp.
class RearrangeHost : public KernelHost {
public:
    std::string_view meaning() const override {
        return "y = tensors joined, split, sliced, padded with zeros, repeated or reversed";
    }

    std::vector<Knob> knobs() const override {
        using D = isa::DataType;
        return {
            Knob::word("kind", {"concat", "split", "slice", "pad", "tile", "flip"}, "what is done"),
            Knob::shape("shape", {1024, 2048}, "extents of x; of y for concat"),
            Knob::integer("axis", 0, 0, 15, "", "the axis of concat and split"),
            Knob::shape("parts", {}, "extents of the tensors along it; []: two halves"),
            Knob::shape("begin", {}, "slice: first element of each axis; pad: zeros before each; []: none"),
            Knob::shape("out", {}, "slice, pad: extents of y; []: those of x"),
            Knob::shape("step", {}, "slice: from element to element of each axis; []: 1"),
            Knob::shape("repeats", {}, "tile: how often along each axis; []: once"),
            Knob::shape("flip", {}, "slice, flip: axes taken back to front; []: none, of flip the last"),
            Knob::type("dtype",
                       {D::half,
                        D::bfloat16,
                        D::float32,
                        D::int8,
                        D::uint8,
                        D::boolean,
                        D::int16,
                        D::int32,
                        D::int64},
                       "element type"),
            Knob::integer("blocks", 0, 0, 65535, "", "cores; 0: as many as are worth starting"),
            Knob::integer("buffers", 2, 1, 2, "", "buffers of a tile; 2 overlaps reading and writing"),
        };
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const isa::DataType type = knobs.type("dtype");
        Shape out;
        std::vector<Box> boxes = boxes_of(knobs, out);
        const Shape& shape = knobs.shape("shape");
        Plan plan;
        plan.problem =
            fmt::format("{} {} to {} {}", knobs.word("kind"), text(shape), text(out), isa::name(type));
        plan.buffers = {Buffer::input("x", type, shape, content(type)), Buffer::output("y", type, out)};
        std::uint32_t blocks = 1;
        const std::uint64_t bytes = isa::bits(type) / 8;
        const RearrangeTiling t = tile(knobs, chip, bytes, boxes, blocks);
        check_whole_blocks(knobs, chip, 32 / std::min<std::uint64_t>(bytes, 4), t);
        plan.launches = {{.entry = fmt::format("rearrange_{}", bytes == 8 ? 4 : bytes),
                          .blocks = blocks,
                          .cores = ascendsim::CoreUse::aiv,
                          .arguments = {Argument::address("x"), Argument::address("y"), Argument::of(t)}}};
        plan.work = {.gm_bytes = plan.buffers[0].bytes() + plan.buffers[1].bytes()};
        plan.reference = [boxes](ReferenceData& data) { expect(data, boxes); };
        plan.tolerances = {{.output = "y"}};
        return plan;
    }

private:
    static Fill content(isa::DataType type) {
        const bool narrow = isa::bits(type) == 8;
        return type == isa::DataType::boolean ? Fill{fill::Integers{0, 1}}
                                              : Fill{fill::Integers{0, narrow ? 100 : 2000}};
    }

    static Shape or_all(const Shape& given, std::size_t rank, std::uint64_t value) {
        return given.empty() ? Shape(rank, value) : given;
    }

    /// The boxes of parts that are joined or split along the axis of the knobs; throws their errors.
    static std::vector<Box> parts_of(const Knobs& knobs) {
        const Shape& shape = knobs.shape("shape");
        const std::size_t axis = knobs.count("axis");
        if (axis >= shape.size()) {
            throw knobs.error("axis", fmt::format("{} has axes 0 to {}", text(shape), shape.size() - 1));
        }
        const Shape& given = knobs.shape("parts");
        const Shape parts = given.empty() ? Shape{shape[axis] / 2, shape[axis] - shape[axis] / 2} : given;
        std::uint64_t sum = 0;
        for (const std::uint64_t part : parts) {
            sum += part;
        }
        if (sum != shape[axis] || parts.size() > rearrange_boxes) {
            throw knobs.error(
                "parts", fmt::format("must be up to {} that sum up to {}", rearrange_boxes, shape[axis]));
        }
        return boxes_of_parts(shape, axis, parts, knobs.word("kind") == "concat");
    }

    /// The boxes; `out` becomes the extents of y. Throws the knobs' errors where ranks or extents do not fit.
    static std::vector<Box> boxes_of(const Knobs& knobs, Shape& out) {
        const Shape& shape = knobs.shape("shape");
        const std::string& kind = knobs.word("kind");
        const std::size_t rank = shape.size();
        const auto checked = [&](const char* name, Shape value) {
            if (value.size() != rank) {
                throw knobs.error(name, fmt::format("needs a number for each axis of {}", text(shape)));
            }
            return value;
        };
        out = shape;
        if (kind == "concat" || kind == "split") {
            return parts_of(knobs);
        }
        const Shape begin = checked("begin", or_all(knobs.shape("begin"), rank, 0));
        if (kind == "tile") {
            const Shape repeats = checked("repeats", or_all(knobs.shape("repeats"), rank, 1));
            for (std::size_t i = 0; i < rank; ++i) {
                out[i] *= repeats[i];
            }
            return boxes_of_tile(shape, repeats);
        }
        out = checked("out", knobs.shape("out").empty() ? shape : knobs.shape("out"));
        const Shape step = checked("step", or_all(knobs.shape("step"), rank, 1));
        if (kind == "pad") {
            for (std::size_t i = 0; i < rank; ++i) {
                if (begin[i] + shape[i] > out[i]) {
                    throw knobs.error(
                        "out",
                        fmt::format("{} does not hold {} and what is before it", text(out), text(shape)));
                }
            }
            return boxes_of_pad(shape, begin, out);
        }
        return slice(knobs, begin, out, step);
    }

    static std::vector<Box> slice(const Knobs& knobs, Shape begin, const Shape& out, const Shape& step) {
        const Shape& shape = knobs.shape("shape");
        Shape flipped = knobs.shape("flip");
        const bool whole = knobs.word("kind") == "flip";
        if (whole && flipped.empty()) {
            flipped = {shape.size() - 1};
        }
        for (std::size_t i = 0; i < shape.size(); ++i) {
            const bool back = std::ranges::find(flipped, i) != flipped.end();
            begin[i] = back && whole ? shape[i] - 1 : begin[i];
            const std::uint64_t reach = out[i] == 0 ? 0 : (out[i] - 1) * step[i];
            if (back ? begin[i] < reach || begin[i] >= shape[i] : begin[i] + reach >= shape[i]) {
                throw knobs.error(
                    "out",
                    fmt::format("{} elements of axis {} do not lie within {}", out[i], i, text(shape)));
            }
        }
        return boxes_of_slice(shape, begin, out, step, flipped);
    }

    /// Throws an error where older chips would have to copy less than 32 bytes, or to a place between blocks.
    static void check_whole_blocks(const Knobs& knobs,
                                   const ChipSpec& chip,
                                   std::uint64_t block,
                                   const RearrangeTiling& t) {
        for (std::uint32_t b = 0; b < t.boxes && chip.arch != "2201"; ++b) {
            const RearrangeBox& box = t.box[b];
            bool whole = box.step == 0 || box.step == 1;
            const auto fills = [&](std::int64_t distance) {
                whole = whole && static_cast<std::uint64_t>(std::abs(distance)) % block == 0;
            };
            fills(box.width);
            fills(box.to);
            for (std::uint32_t i = 0; i < rearrange_axes; ++i) {
                fills(box.n[i] > 1 ? box.to_stride[i] : 0);
            }
            if (!whole) {
                throw knobs.error("kind",
                                  chip.name + " copies whole blocks of 32 B, which these rows are not");
            }
        }
    }

    static RearrangeTiling tile(const Knobs& knobs,
                                const ChipSpec& chip,
                                std::uint64_t bytes,
                                const std::vector<Box>& boxes,
                                std::uint32_t& blocks) {
        constexpr std::uint64_t least_share = 4096;  // B, below which a further core costs more than it saves
        RearrangeTiling t{.buffers = knobs.count("buffers")};
        std::uint64_t total = 0;
        for (const Box& box : boxes) {
            std::uint64_t count = bytes;
            for (const BoxAxis& axis : box.axes) {
                count *= axis.extent;
            }
            total += count;
        }
        blocks = blocks_or(knobs.count("blocks"), chip, total, least_share);
        std::uint64_t units = 0;
        for (const Box& box : boxes) {
            t.box[t.boxes] = packed(knobs, box, bytes);
            t.gathers = t.gathers != 0 || (t.box[t.boxes].step != 1 && !box.zeros) ? 1 : 0;
            t.clears = t.clears != 0 || box.zeros ? 1 : 0;
            ++t.boxes;
        }
        const std::uint64_t size = std::min<std::uint64_t>(bytes, 4);
        const std::uint64_t copies = t.buffers * (t.gathers != 0 ? 2 : 1) + t.clears;
        const std::uint64_t local = copies * size + (t.gathers != 0 ? 4 : 0);
        const std::uint64_t room = (chip.buffers.ub - 1024) / local / 64 * 64;
        // Four tiles for a core, so that reading and writing overlap, and whole lines of 512 B.
        const std::uint64_t wanted = round_up(ceil_div<std::uint64_t>(total / size, 4 * blocks), 512 / size);
        t.tile = static_cast<std::uint32_t>(std::min(room, std::max<std::uint64_t>(wanted, 8192 / size)));
        for (std::uint32_t i = 0; i < t.boxes; ++i) {
            cut(t.box[i], t.tile, size);
            units += t.box[i].units;
        }
        t.share = std::max<std::uint64_t>(ceil_div<std::uint64_t>(units, blocks), 1);
        blocks =
            static_cast<std::uint32_t>(std::max<std::uint64_t>(ceil_div<std::uint64_t>(units, t.share), 1));
        return t;
    }

    /// A box of up to four axes as the kernel takes it. Elements of 8 bytes are pairs of 4.
    static RearrangeBox packed(const Knobs& knobs, const Box& box, std::uint64_t bytes) {
        std::vector<BoxAxis> axes = box.axes;
        const std::int64_t words = bytes == 8 ? 2 : 1;
        if (words == 2) {
            for (BoxAxis& axis : axes) {
                axis.from *= 2;
                axis.to *= 2;
            }
            axes.push_back({2, 1, 1});
        }
        axes = merged(axes);
        if (axes.empty() || axes.back().to != 1 || axes.back().from == 0) {
            axes.push_back({1, 1, 1});
        }
        if (axes.size() > rearrange_axes + 1) {
            throw knobs.error("shape", "needs more than four axes, which this kernel does not take");
        }
        const BoxAxis& last = axes.back();
        if (last.from != 1 && bytes == 1 && !box.zeros) {
            throw knobs.error("dtype", "elements of one byte cannot be gathered in the unified buffer");
        }
        RearrangeBox result{.from = box.from * words, .to = box.to * words, .n = {1, 1, 1}};
        result.width = static_cast<std::uint32_t>(last.extent);
        result.step = box.zeros ? 0 : static_cast<std::int32_t>(last.from);
        for (std::size_t i = 0; i + 1 < axes.size(); ++i) {
            const BoxAxis& axis = axes[axes.size() - 2 - i];
            result.n[i] = static_cast<std::uint32_t>(axis.extent);
            result.from_stride[i] = axis.from;
            result.to_stride[i] = axis.to;
        }
        return result;
    }

    /// Rows and elements of a tile of `room` elements.
    static void cut(RearrangeBox& box, std::uint32_t room, std::uint64_t size) {
        constexpr std::uint32_t most_rows = 4095;  // of one copy
        const auto block = static_cast<std::uint32_t>(32 / size);
        const auto apart = static_cast<std::uint32_t>(std::max<std::int32_t>(std::abs(box.step), 1));
        const std::uint32_t widest = std::max(room / apart / block * block, 1U);
        box.chunk = std::min(box.width, widest);
        const std::uint32_t pitch = (box.chunk + block - 1) / block * block;
        const bool row_by_row = (box.step != 1 && box.step != 0) || box.chunk < box.width ||
                                box.from_stride[0] < 0 ||
                                (box.from_stride[0] != 0 && box.from_stride[0] < box.width && box.step != 0);
        box.rows = row_by_row
                       ? 1
                       : std::clamp(box.from_stride[0] == 0 && box.step != 0 ? most_rows : room / pitch,
                                    1U,
                                    std::min(box.n[0], most_rows));
        const std::uint64_t chunks = ceil_div<std::uint64_t>(box.width, box.chunk);
        box.units = static_cast<std::uint32_t>(chunks * ceil_div<std::uint64_t>(box.n[0], box.rows) *
                                               box.n[1] * box.n[2]);
    }

    static void expect(ReferenceData& data, const std::vector<Box>& boxes) {
        const std::vector<float>& x = data.floats("x");
        std::vector<double>& y = data.expected("y");
        for (const Box& box : boxes) {
            std::uint64_t count = 1;
            for (const BoxAxis& axis : box.axes) {
                count *= axis.extent;
            }
            for (std::uint64_t i = 0; i < count; ++i) {
                std::int64_t from = box.from;
                std::int64_t to = box.to;
                std::uint64_t rest = i;
                for (auto axis = box.axes.rbegin(); axis != box.axes.rend(); ++axis) {
                    from += static_cast<std::int64_t>(rest % axis->extent) * axis->from;
                    to += static_cast<std::int64_t>(rest % axis->extent) * axis->to;
                    rest /= axis->extent;
                }
                y[static_cast<std::size_t>(to)] =
                    box.zeros ? 0.0 : static_cast<double>(x[static_cast<std::size_t>(from)]);
            }
        }
    }
};

}  // namespace ascendsim::host
