// SPDX-License-Identifier: Apache-2.0
// The host side of index_rows.cpp, which includes this behind its kernel.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "kernels/ops/movement/index_rows/index_rows.h"
#include "kernels/plan/element.hpp"
#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/work_split.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::host {

/// The host side of index_rows.cpp.
class IndexRowsHost : public KernelHost {
public:
    std::string_view meaning() const override {
        return "gather: y[o, i, :] = x[o, index[i], :]; scatter: y[o, index[i], :] = x[o, i, :]; an index "
               "may be "
               "a tuple";
    }

    std::vector<Knob> knobs() const override {
        using D = isa::DataType;
        return {
            Knob::word("kind", {"gather", "scatter", "scatter_add"}, "what is done"),
            Knob::shape(
                "shape", {32000, 4096}, "extents of the tensor that is indexed: x of gather, y of scatter"),
            Knob::integer("axis", 0, 0, 15, "", "the first axis that is indexed"),
            Knob::integer("depth", 1, 1, index_rows_axes, "", "axes that are indexed: numbers of an index"),
            Knob::integer("count", 1024, 0, 1 << 28, "", "indices"),
            Knob::flag("batched", false, "each place before the axis has indices of its own, `count` each"),
            Knob::type(
                "index_dtype", {D::int32, D::int64}, "type of the index; less than zero: from the end"),
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
                       "element type; float16 or float32 to be added"),
            Knob::word(
                "schedule",
                {"auto", "rows", "table"},
                "gather: a copy for each row, or all of a place before the axis at a time, gathered in "
                "the unified buffer"),
            Knob::integer(
                "shards",
                1,
                1,
                65536,
                "",
                "gather: devices that share the rows; one of so many indices is of a row here, the others "
                "are 0"),
            Knob::integer("buffers", 2, 1, 2, "", "buffers of rows; 2 overlaps reading and writing"),
            Knob::integer("blocks", 0, 0, 65535, "", "cores; 0: as many as are worth starting"),
        };
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const isa::DataType type = knobs.type("dtype");
        const bool gather = knobs.word("kind") == "gather";
        const std::uint64_t bytes = isa::bits(type) / 8;
        IndexRowsTiling t = problem(knobs, bytes);
        t.add = knobs.word("kind") == "scatter_add" ? 1 : 0;
        if (t.add != 0 && type != isa::DataType::half && type != isa::DataType::float32) {
            throw knobs.error("dtype", "of what is added must be float16 or float32");
        }
        const std::uint64_t size = std::min<std::uint64_t>(bytes, 4);
        const bool table = gather && by_table(knobs, chip, size, t);
        std::uint32_t blocks = 1;
        table ? cut_tables(knobs, chip, size, t, blocks) : cut_rows(knobs, chip, size, t, blocks);
        Plan plan;
        plan.problem = fmt::format("{} of {} rows of {} {}",
                                   knobs.word("kind"),
                                   t.count * (t.batched != 0 ? t.outer : 1),
                                   text(knobs.shape("shape")),
                                   isa::name(type));
        set_buffers(knobs, t, gather, plan);
        const char* entry = !gather ? "scatter_rows" : table ? "gather_table" : "gather_rows";
        plan.launches = {{.entry = fmt::format("{}_{}", entry, size),
                          .blocks = blocks,
                          .cores = ascendsim::CoreUse::aiv,
                          .arguments = {Argument::address("x"),
                                        Argument::address("index"),
                                        Argument::address("y"),
                                        Argument::of(t)}}};
        // The rows that are indexed, not the whole of the tensor they lie in; of a shard, that which stands
        // for those elsewhere is the first of them.
        const std::uint64_t read = gather ? ceil_div<std::uint64_t>(t.count, knobs.count("shards")) : t.count;
        plan.work.gm_bytes = t.outer * (read + t.count) * t.inner * size + plan.buffers[1].bytes();
        plan.reference = [t, gather, bytes](ReferenceData& data) { expect(data, t, gather, bytes); };
        plan.tolerances = {{.output = "y"}};
        return plan;
    }

private:
    /// The axes, joined. Elements of eight bytes are pairs of four.
    static IndexRowsTiling problem(const Knobs& knobs, std::uint64_t bytes) {
        const Shape& shape = knobs.shape("shape");
        const std::size_t axis = knobs.count("axis");
        const std::size_t depth = knobs.count("depth");
        if (axis + depth > shape.size()) {
            throw knobs.error("axis",
                              fmt::format("{} axes from {} on are not in {}", depth, axis, text(shape)));
        }
        IndexRowsTiling t{.outer = 1,
                          .count = knobs.count("count"),
                          .inner = bytes == 8 ? 2U : 1U,
                          .depth = static_cast<std::uint32_t>(depth),
                          .batched = knobs.flag("batched") ? 1U : 0U,
                          .words = knobs.type("index_dtype") == isa::DataType::int64 ? 2U : 1U,
                          .buffers = knobs.count("buffers")};
        for (std::size_t i = 0; i < shape.size(); ++i) {
            t.outer *= i < axis ? shape[i] : 1;
            t.inner *= i >= axis + depth ? shape[i] : 1;
        }
        std::uint64_t stride = t.inner;
        for (std::size_t k = depth; k-- > 0;) {
            t.stride[k] = stride;
            t.extent[k] = static_cast<std::int64_t>(shape[axis + k]);
            stride *= shape[axis + k];
        }
        t.x_outer = stride;
        return t;
    }

    /// Short rows, many of them alike, of what fits the unified buffer.
    static bool by_table(const Knobs& knobs,
                         const ChipSpec& chip,
                         std::uint64_t size,
                         const IndexRowsTiling& t) {
        constexpr std::uint64_t short_row = 256;  // B: a copy of them takes its start rather than its bytes
        const std::uint64_t needed = t.buffers * t.x_outer * size + (t.buffers * size + 4) * t.inner * 16;
        const bool possible =
            size >= 2 && t.batched == 0 && needed + 4096 <= chip.buffers.ub &&
            (chip.arch == "2201" || (t.x_outer * size % 32 == 0 && t.count * t.inner * size % 64 == 0));
        if (knobs.word("schedule") == "table" && !possible) {
            throw knobs.error(
                "schedule",
                "a table needs elements of two bytes and more, indices that all places share, and "
                "all of a place within the unified buffer");
        }
        return knobs.word("schedule") == "table" ||
               (possible && knobs.word("schedule") == "auto" && t.inner * size < short_row && t.outer > 1);
    }

    static void cut_tables(const Knobs& knobs,
                           const ChipSpec& chip,
                           std::uint64_t size,
                           IndexRowsTiling& t,
                           std::uint32_t& blocks) {
        const std::uint64_t room =
            chip.buffers.ub - 4096 - t.buffers * round_up(t.x_outer, std::uint64_t{16}) * size;
        const std::uint64_t each = (t.buffers * size + 4) * t.inner + 4ULL * t.depth * t.words;
        const std::uint64_t fits = std::max<std::uint64_t>(room / each, 1);
        t.tile = static_cast<std::uint32_t>(std::min(std::max<std::uint64_t>(t.count, 1), fits));
        if (chip.arch != "2201" && t.tile != t.count) {
            t.tile = std::max(t.tile / 32 * 32, 1U);
        }
        deal(knobs, chip, t.outer * ceil_div<std::uint64_t>(t.count, t.tile), t, blocks);
    }

    static void cut_rows(const Knobs& knobs,
                         const ChipSpec& chip,
                         std::uint64_t size,
                         IndexRowsTiling& t,
                         std::uint32_t& blocks) {
        constexpr std::uint64_t most = 16384;  // B of a piece: several of a core, so that copies overlap
        const std::uint64_t block = 32 / size;
        if (chip.arch != "2201" && t.inner % block != 0) {
            throw knobs.error("shape", chip.name + " copies whole blocks of 32 B, which these rows are not");
        }
        t.chunk = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(t.inner, 1, most / size));
        t.pitch = static_cast<std::uint32_t>(round_up(std::uint64_t{t.chunk}, block));
        const std::uint64_t rows = std::max<std::uint64_t>(most / (t.pitch * size), 1);
        const std::uint64_t spread = ceil_div<std::uint64_t>(t.outer * t.count, 2ULL * vector_cores(chip));
        t.tile = static_cast<std::uint32_t>(
            std::clamp<std::uint64_t>(spread, 1, std::min<std::uint64_t>(rows, 512)));
        deal(knobs,
             chip,
             t.outer * ceil_div<std::uint64_t>(t.count, t.tile) * ceil_div<std::uint64_t>(t.inner, t.chunk),
             t,
             blocks);
    }

    static void deal(const Knobs& knobs,
                     const ChipSpec& chip,
                     std::uint64_t units,
                     IndexRowsTiling& t,
                     std::uint32_t& blocks) {
        t.units = units;
        blocks = blocks_or(knobs.count("blocks"), chip, units, 1);
        t.share = std::max<std::uint64_t>(ceil_div<std::uint64_t>(units, blocks), 1);
    }

    static void set_buffers(const Knobs& knobs, const IndexRowsTiling& t, bool gather, Plan& plan) {
        const Shape& shape = knobs.shape("shape");
        const auto axis = static_cast<std::ptrdiff_t>(knobs.count("axis"));
        const isa::DataType type = knobs.type("dtype");
        Shape picked{shape.begin(), shape.begin() + axis};
        picked.push_back(t.count);
        picked.insert(picked.end(), shape.begin() + axis + t.depth, shape.end());
        const Fill values =
            type == isa::DataType::boolean ? Fill{fill::Integers{0, 1}} : Fill{fill::Integers{0, 100}};
        Buffer index = Buffer::input("index",
                                     knobs.type("index_dtype"),
                                     {t.batched != 0 ? t.outer : 1, t.count, t.depth},
                                     places(knobs, t, gather));
        index.control = true;
        Buffer y = Buffer::output("y", type, gather ? picked : shape);
        if (!gather) {
            y.role = Role::in_out;
            y.fill = values;
        }
        plan.buffers = {Buffer::input("x", type, gather ? shape : picked, values), index, y};
    }

    /// Indices all over the axes, the second half of them from the end. Those of a scatter differ as long as
    /// there are places left. Of a vocabulary that devices share, each looks up what others hold as its first
    /// row and clears it later (vllm-ascend@182b75ea, vllm_ascend/ops/vocab_parallel_embedding.py).
    static Fill places(const Knobs& knobs, const IndexRowsTiling& t, bool gather) {
        std::uint64_t rows = 1;
        for (std::uint32_t k = 0; k < t.depth; ++k) {
            rows *= static_cast<std::uint64_t>(t.extent[k]);
        }
        const std::uint64_t count = t.count * (t.batched != 0 ? t.outer : 1);
        const bool wide = knobs.type("index_dtype") == isa::DataType::int64;
        std::vector<std::byte> bytes(count * t.depth * (wide ? 8 : 4));
        const std::uint64_t step = gather ? 2654435761 : rows % 7 == 0 ? 11 : 7;  // has no divisor of 7 alone
        const std::uint64_t shards = gather ? knobs.count("shards") : 1;
        for (std::uint64_t i = 0; i < count; ++i) {
            const bool here = rows != 0 && i % t.count % shards == 0;
            std::uint64_t place = here ? i % t.count / shards * step % rows : 0;
            for (std::uint32_t k = t.depth; k-- > 0;) {
                const auto extent = static_cast<std::uint64_t>(t.extent[k]);
                const std::int64_t value =
                    static_cast<std::int64_t>(place % extent) - (here && 2 * i >= count ? t.extent[k] : 0);
                place /= extent;
                write_element(knobs.type("index_dtype"), bytes, i * t.depth + k, static_cast<double>(value));
            }
        }
        return fill::Content{std::move(bytes)};
    }

    static void expect(ReferenceData& data, const IndexRowsTiling& t, bool gather, std::uint64_t bytes) {
        const std::vector<float>& x = data.floats("x");
        const std::vector<float>& index = data.floats("index");
        std::vector<double>& y = data.expected("y");
        if (!gather) {
            const std::vector<float>& before = data.floats("y");
            std::copy(before.begin(), before.end(), y.begin());
        }
        const std::uint64_t words = bytes == 8 ? 2 : 1;
        const std::uint64_t inner = t.inner / words;
        for (std::uint64_t e = 0; e < t.outer * t.count * inner; ++e) {
            const std::uint64_t i = e / inner % t.count;
            const std::uint64_t o = e / inner / t.count;
            std::uint64_t at = o * t.x_outer / words + e % inner;
            for (std::uint32_t k = 0; k < t.depth; ++k) {
                const auto value =
                    static_cast<std::int64_t>(index[((t.batched != 0 ? o * t.count + i : i) * t.depth) + k]);
                if (value < -t.extent[k] || value >= t.extent[k]) {
                    throw UserError{"index_rows: index {} is {}, on an axis of {}", i, value, t.extent[k]};
                }
                at +=
                    static_cast<std::uint64_t>(value < 0 ? value + t.extent[k] : value) * t.stride[k] / words;
            }
            double& to = y[gather ? e : at];
            to = (t.add != 0 ? to : 0.0) + static_cast<double>(x[gather ? at : e]);
        }
    }
};

}  // namespace ascendsim::host
