// SPDX-License-Identifier: Apache-2.0
// The host side of embedding_dense_grad.cpp, which includes this behind its kernel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/work_split.hpp"

namespace ascendsim::host {

/// Repeatable indices: some outside of the table, some on a few hot rows, the rest anywhere.
class EmbeddingIndices {
public:
    explicit EmbeddingIndices(std::uint64_t seed) : state_{seed} {}

    [[nodiscard]] std::vector<std::int32_t> draw(const Knobs& knobs, std::uint64_t tokens) {
        const auto rows = static_cast<std::uint64_t>(knobs.integer("rows"));
        const std::uint64_t hot_rows = std::min<std::uint64_t>(knobs.count("hot_rows"), rows);
        std::vector<std::int32_t> indices(tokens);
        for (std::int32_t& index : indices) {
            const double kind = unit();
            const std::uint64_t value = next();
            if (rows == 0 || kind < knobs.real("invalid")) {
                index = value % 2 == 0 ? -1 : static_cast<std::int32_t>(rows + value % 7);
            } else if (hot_rows > 0 && unit() < knobs.real("hot")) {
                index = static_cast<std::int32_t>(value % hot_rows);
            } else {
                index = static_cast<std::int32_t>(value % rows);
            }
        }
        return indices;
    }

private:
    // SplitMix64, public domain.
    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
        return z ^ (z >> 31U);
    }

    double unit() { return static_cast<double>(next() >> 11U) * 0x1p-53; }

    std::uint64_t state_;
};

/// Tokens in the order of their rows, cut into pieces, and which pieces each core takes.
struct EmbeddingSort {
    std::vector<std::int32_t> order;
    std::vector<EmbeddingPiece> pieces;
    std::vector<std::int32_t> starts;  // of each core's pieces; one more at the end

    EmbeddingSort(const std::vector<std::int32_t>& indices, std::uint64_t rows, std::uint32_t cores) {
        for (std::size_t i = 0; i < indices.size(); ++i) {
            if (indices[i] >= 0 && static_cast<std::uint64_t>(indices[i]) < rows) {
                order.push_back(static_cast<std::int32_t>(i));
            }
        }
        std::ranges::stable_sort(
            order, {}, [&indices](std::int32_t token) { return indices[static_cast<std::size_t>(token)]; });
        const auto tokens = static_cast<std::int32_t>(order.size());
        const std::int32_t most = std::max(16, tokens / static_cast<std::int32_t>(4 * cores));
        for (std::int32_t begin = 0; begin < tokens;) {
            const std::int32_t row =
                indices[static_cast<std::size_t>(order[static_cast<std::size_t>(begin)])];
            std::int32_t end = begin;
            while (end < tokens &&
                   indices[static_cast<std::size_t>(order[static_cast<std::size_t>(end)])] == row) {
                ++end;
            }
            cut(row, begin, end, most);
            begin = end;
        }
        share_out(cores, tokens);
    }

private:
    void cut(std::int32_t row, std::int32_t begin, std::int32_t end, std::int32_t most) {
        const std::int32_t shared = end - begin > most ? 1 : 0;
        for (; begin < end; begin += most) {
            pieces.push_back({row, begin, std::min(end, begin + most), shared});
        }
    }

    // Contiguous runs of pieces. Reading a token and writing a row take about the same time, so both count.
    void share_out(std::uint32_t cores, std::int32_t tokens) {
        const double whole = static_cast<double>(tokens) + static_cast<double>(pieces.size());
        double done = 0;
        starts.push_back(0);
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            while (starts.size() < cores && done >= whole * static_cast<double>(starts.size()) / cores) {
                starts.push_back(static_cast<std::int32_t>(i));
            }
            done += 1.0 + (pieces[i].end - pieces[i].begin);
        }
        starts.resize(cores + 1, static_cast<std::int32_t>(pieces.size()));
    }
};

/// The host side of embedding_dense_grad.cpp.
class EmbeddingDenseGrad : public KernelHost {
public:
    std::string_view meaning() const override {
        return "dw[index[i], :] += grad[i, :]: the dense gradient of an embedding table";
    }

    std::vector<Knob> knobs() const override {
        return {
            Knob::shape("shape", {32, 77, 1280}, "extents of grad; the last is the width of a row"),
            Knob::integer("rows", 49408, 0, 1 << 30, "", "rows of the table"),
            Knob::type("dtype",
                       {isa::DataType::half, isa::DataType::float32},
                       "element type of grad; dw is float32"),
            Knob::word(
                "schedule", {"sorted", "atomic"}, "sums of sorted tokens on the core, or atomic additions"),
            Knob::flag("zero", true, "clear dw first, in a launch of its own"),
            Knob::real("hot", 0.2, 0, 1, "", "share of the tokens that fall on hot rows"),
            Knob::integer("hot_rows", 4, 0, 1 << 20, "", "hot rows"),
            Knob::real(
                "invalid", 0.02, 0, 1, "", "share of the tokens whose index lies outside of the table"),
            Knob::integer("index_seed", 1, 0, 1 << 30, "", "seed of the indices"),
            Knob::integer("blocks", 0, 0, 65535, "", "cores; 0: as many as are worth starting"),
            Knob::integer("buffers", 2, 1, 2, "", "buffers of a row; 2 overlaps copies and sums"),
        };
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const Shape& shape = knobs.shape("shape");
        const isa::DataType type = knobs.type("dtype");
        const std::uint64_t width = check_width(knobs, chip);
        const std::uint64_t tokens = width == 0 ? 0 : elements(shape) / width;
        const auto rows = static_cast<std::uint64_t>(knobs.integer("rows"));
        const std::uint32_t blocks = blocks_or(knobs.count("blocks"), chip, tokens, 4);
        const EmbeddingTiling tiling = tile(knobs, chip, tokens, width, blocks);
        const std::vector<std::int32_t> indices =
            EmbeddingIndices{static_cast<std::uint64_t>(knobs.integer("index_seed"))}.draw(knobs, tokens);
        Plan plan;
        plan.problem = fmt::format("EmbeddingDenseGrad {} {} into [{}, {}], {}",
                                   text(shape),
                                   isa::name(type),
                                   rows,
                                   width,
                                   knobs.word("schedule"));
        // Whole numbers: the sum is the same in any order.
        plan.buffers = {Buffer::input("grad", type, shape, fill::Integers{-8, 8}),
                        Buffer::output("dw", isa::DataType::float32, {rows, width})};
        if (knobs.flag("zero")) {
            plan.launches.push_back({.entry = "embedding_zero",
                                     .blocks = blocks_or(knobs.count("blocks"), chip, tiling.table, 8192),
                                     .cores = ascendsim::CoreUse::aiv,
                                     .arguments = {Argument::address("dw"), Argument::of(tiling)}});
        }
        add_launch(plan, knobs, indices, tiling, blocks);
        plan.work = work(indices, tiling, type, knobs.flag("zero"));
        const bool given = knobs.word("schedule") == "atomic";  // a network may bring indices of its own
        plan.reference = [indices, rows, width, given](ReferenceData& data) {
            const std::span<const std::int32_t> read =
                given ? data.view<std::int32_t>("index") : std::span<const std::int32_t>{indices};
            expect(data, read.first(indices.size()), rows, width);
        };
        // Sums of reals are rounded in float32, in the order in which tokens arrive.
        constexpr double rounding = 0x1p-20;
        plan.tolerances = {{.output = "dw", .absolute = rounding, .relative = rounding}};
        return plan;
    }

private:
    static std::uint64_t check_width(const Knobs& knobs, const ChipSpec& chip) {
        const Shape& shape = knobs.shape("shape");
        if (shape.size() < 2) {
            throw knobs.error("shape", "needs tokens and a width, as in [2464, 1280]");
        }
        const std::uint64_t size = isa::bits(knobs.type("dtype")) / 8;
        if (chip.arch != "2201" && shape.back() * size % 32 != 0) {
            throw knobs.error(
                "shape",
                fmt::format("{} copies whole blocks of 32 B only: rows must be a multiple of {} elements",
                            chip.name,
                            32 / size));
        }
        return shape.back();
    }

    static EmbeddingTiling tile(const Knobs& knobs,
                                const ChipSpec& chip,
                                std::uint64_t tokens,
                                std::uint64_t width,
                                std::uint32_t blocks) {
        const std::uint64_t size = isa::bits(knobs.type("dtype")) / 8;
        const std::uint32_t buffers = knobs.count("buffers");
        const std::uint32_t largest = whole_steps(chip.buffers.ub, buffers * (size + 4) + 4, 512 / size);
        const std::uint64_t table = static_cast<std::uint64_t>(knobs.integer("rows")) * width;
        const std::uint64_t lines = ceil_div<std::uint64_t>(table, 128);
        const std::uint32_t clearing = blocks_or(knobs.count("blocks"), chip, table, 8192);
        return {.table = table,
                .zeroes = std::max<std::uint64_t>(ceil_div<std::uint64_t>(lines, clearing), 1) * 128,
                .rows = knobs.count("rows"),
                .width = static_cast<std::uint32_t>(width),
                .tokens = static_cast<std::uint32_t>(ceil_div<std::uint64_t>(tokens, blocks)),
                .all = static_cast<std::uint32_t>(tokens),
                .chunk = static_cast<std::uint32_t>(std::min<std::uint64_t>(
                    largest, std::max<std::uint64_t>(round_up(width, 64 / size), 64 / size))),
                .buffers = buffers};
    }

    // A buffer that the scalar unit reads: followed in timing-only runs too.
    template <class T>
    static Buffer steering(std::string name, const std::vector<T>& values) {
        std::vector<std::byte> bytes(std::max<std::size_t>(values.size() * sizeof(T), 4));
        std::memcpy(bytes.data(), values.data(), values.size() * sizeof(T));
        const std::uint64_t count = bytes.size() / 4;
        return {.name = std::move(name),
                .type = isa::DataType::int32,
                .shape = {count},
                .role = Role::input,
                .fill = fill::Content{std::move(bytes)},
                .control = true};
    }

    static void add_launch(Plan& plan,
                           const Knobs& knobs,
                           const std::vector<std::int32_t>& indices,
                           const EmbeddingTiling& tiling,
                           std::uint32_t blocks) {
        const std::string_view type = isa::name(knobs.type("dtype"));
        Launch launch{.entry = fmt::format("embedding_{}_{}", knobs.word("schedule"), type),
                      .blocks = blocks,
                      .cores = ascendsim::CoreUse::aiv,
                      .arguments = {Argument::address("grad")}};
        if (knobs.word("schedule") == "atomic") {
            plan.buffers.push_back(steering("index", indices));
            launch.arguments.push_back(Argument::address("index"));
        } else {
            const EmbeddingSort sorted{indices, tiling.rows, blocks};
            plan.buffers.push_back(steering("order", sorted.order));
            plan.buffers.push_back(steering("pieces", sorted.pieces));
            plan.buffers.push_back(steering("starts", sorted.starts));
            for (const char* name : {"order", "pieces", "starts"}) {
                launch.arguments.push_back(Argument::address(name));
            }
        }
        launch.arguments.push_back(Argument::address("dw"));
        launch.arguments.push_back(Argument::of(tiling));
        plan.launches.push_back(std::move(launch));
    }

    static Work work(const std::vector<std::int32_t>& indices,
                     const EmbeddingTiling& tiling,
                     isa::DataType type,
                     bool zero) {
        std::vector<std::int32_t> valid;
        std::ranges::copy_if(indices, std::back_inserter(valid), [&tiling](std::int32_t index) {
            return index >= 0 && static_cast<std::uint32_t>(index) < tiling.rows;
        });
        const std::uint64_t tokens = valid.size();
        std::ranges::sort(valid);
        const auto touched =
            static_cast<std::uint64_t>(std::unique(valid.begin(), valid.end()) - valid.begin());
        const std::uint64_t written = zero ? tiling.table : touched * tiling.width;
        return {.vector_flops = static_cast<double>(tokens * tiling.width),
                .vector_type = isa::DataType::float32,
                .gm_bytes = tokens * tiling.width * isa::bits(type) / 8 + written * 4 + indices.size() * 4};
    }

    static void expect(ReferenceData& data,
                       std::span<const std::int32_t> indices,
                       std::uint64_t rows,
                       std::uint64_t width) {
        const std::vector<float>& grad = data.floats("grad");
        std::vector<double>& dw = data.expected("dw");
        for (std::size_t i = 0; i < indices.size(); ++i) {
            if (indices[i] < 0 || static_cast<std::uint64_t>(indices[i]) >= rows) {
                continue;
            }
            for (std::uint64_t c = 0; c < width; ++c) {
                dw[static_cast<std::uint64_t>(indices[i]) * width + c] += grad[i * width + c];
            }
        }
    }
};

}  // namespace ascendsim::host
