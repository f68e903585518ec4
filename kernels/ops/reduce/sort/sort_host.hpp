// SPDX-License-Identifier: Apache-2.0
// The host side of sort.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "kernels/ops/reduce/sort/sort_tiling.hpp"
#include "kernels/plan/kernel_host.hpp"
#include "kernels/shared/float_types.hpp"
#include "kernels/shared/row_host.hpp"

namespace ascendsim::host {

class SortHost final : public KernelHost {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "all elements of each row in order, and where they were";
    }

    [[nodiscard]] std::vector<Knob> knobs() const override {
        return {
            Knob::shape("shape", {16, 65536}, "extents of x and y; rows run along the last"),
            Knob::type("dtype",
                       {isa::DataType::half, isa::DataType::bfloat16, isa::DataType::float32},
                       "element type of x and y"),
            Knob::flag("rising", false, "the smallest first"),
            Knob::integer(
                "blocks", 0, 0, 65535, "", "cores, at most those of the chip; 0: all that have work"),
            Knob::integer("piece",
                          0,
                          0,
                          8192,
                          "elements",
                          "sorted in the unified buffer, whole runs of 32; 0: what fits"),
            Knob::integer("window", 1024, 32, 1024, "pairs", "of each list that is merged, whole runs of 32"),
        };
    }

    [[nodiscard]] Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const isa::DataType type = checked_float_type(knobs, chip);
        const SortTiling t = tiling(knobs, chip, isa::bits(type) / 8);
        const std::uint64_t useful = std::min<std::uint64_t>(
            vector_cores(chip), std::max<std::uint64_t>(t.rows * std::max(t.pieces, t.parts), 1));
        const Shape shape{t.rows, t.width};
        Plan plan;
        plan.chosen = {{"piece", t.piece}};
        plan.problem = fmt::format("order of {} {}", text(knobs.shape("shape")), isa::name(type));
        plan.buffers = {Buffer::input("x", type, knobs.shape("shape"), fill::Normal{0, 3}),
                        Buffer::output("y", type, shape),
                        Buffer::output("index", isa::DataType::int32, shape)};
        Launch launch{
            .entry = fmt::format("sort_{}", isa::name(type)),
            .blocks = static_cast<std::uint32_t>(
                knobs.count("blocks") == 0 ? useful : std::min<std::uint64_t>(knobs.count("blocks"), useful)),
            .cores = ascendsim::CoreUse::aiv,
            .arguments = {Argument::address("x"), Argument::address("y"), Argument::address("index")}};
        // Pairs of 8 B, and what the last window's whole blocks read behind them.
        const std::uint64_t bytes = t.pieces == 1 ? 32 : (t.rows * t.width + 4) * 8;
        for (const char* name : {"odd", "even"}) {
            plan.buffers.push_back(Buffer::workspace(name, bytes));
            launch.arguments.push_back(Argument::address(name));
        }
        launch.arguments.push_back(Argument::of(t));
        plan.launches = {launch};
        plan.work = {.vector_flops = static_cast<double>(t.rows) * t.width * std::log2(std::max(2U, t.width)),
                     .vector_type = isa::DataType::float32,
                     .gm_bytes = least_traffic(plan.buffers)};
        plan.reference = [t](ReferenceData& data) { expect(data, t); };
        plan.tolerances = {{.output = "y"}, {.output = "index"}};
        return plan;
    }

private:
    static constexpr std::uint64_t run = 32;

    static SortTiling tiling(const Knobs& knobs, const ChipSpec& chip, std::uint64_t size) {
        const RowProblem problem = row_problem(knobs, chip, knobs.type("dtype"));
        if (chip.arch != "2201") {
            throw knobs.error("shape", chip.name + " has no copies with padding, which this kernel needs");
        }
        const std::uint64_t stated = knobs.count("piece");
        const std::uint64_t window = knobs.count("window");
        if (stated % run != 0 || window % run != 0) {
            throw knobs.error(stated % run != 0 ? "piece" : "window", "must be whole runs of 32");
        }
        // Of an element: two copies of x, two of its pairs; of a row that is one piece what leaves it, too.
        constexpr std::uint64_t reserve = 1024;
        const std::uint64_t each = 2 * size + 2 * 8;
        const std::uint64_t alone = each + size + 4 + (size == 4 ? 0 : 4);
        const std::uint64_t whole = round_up(std::max<std::uint64_t>(problem.width, 1), run);
        SortTiling t{.rows = problem.width == 0 ? 0 : problem.rows,
                     .width = static_cast<std::uint32_t>(problem.width),
                     .piece = static_cast<std::uint32_t>(whole),
                     .pieces = 1,
                     .lists = 2,
                     .parts = 1,
                     .window = static_cast<std::uint32_t>(window),
                     .rising = knobs.flag("rising") ? 1U : 0U};
        const std::uint64_t fits =
            std::min<std::uint64_t>((chip.buffers.ub - reserve) / each / run * run, 8192);
        const std::uint64_t most = stated == 0 ? fits : std::min(stated, fits);
        if (stated == 0 ? whole * alone <= chip.buffers.ub - reserve
                        : whole <= std::min(stated, (chip.buffers.ub - reserve) / alone)) {
            return t;
        }
        split(t, most, vector_cores(chip));
        return t;
    }

    /// Cuts rows into pieces of at most `most` elements. As few rounds as fours need until two lists are
    /// left, each of as few lists as these rounds need: lists stay of one length.
    static void split(SortTiling& t, std::uint64_t most, std::uint32_t cores) {
        const std::uint64_t least = ceil_div<std::uint64_t>(t.width, most);
        std::uint64_t rounds = 0;
        while (2 * power(4, rounds) < least) {
            ++rounds;
        }
        while (2 * power(t.lists, rounds) < least) {
            ++t.lists;
        }
        const std::uint64_t pieces = 2 * power(t.lists, rounds);
        t.piece = static_cast<std::uint32_t>(round_up(ceil_div<std::uint64_t>(t.width, pieces), run));
        t.pieces = ceil_div(t.width, t.piece);
        t.parts = static_cast<std::uint32_t>(
            std::max<std::uint64_t>(cores / std::max<std::uint64_t>(t.rows, 1), 1));
    }

    [[nodiscard]] static std::uint64_t power(std::uint64_t base, std::uint64_t exponent) {
        std::uint64_t result = 1;
        for (std::uint64_t i = 0; i < exponent; ++i) {
            result *= base;
        }
        return result;
    }

    static void expect(ReferenceData& data, const SortTiling& t) {
        const std::vector<float>& x = data.floats("x");
        std::vector<std::uint32_t> order(t.width);
        for (std::uint64_t r = 0; r < t.rows; ++r) {
            const float* row = x.data() + r * t.width;
            std::iota(order.begin(), order.end(), 0U);
            std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) {
                return t.rising != 0 ? row[a] < row[b] : row[a] > row[b];
            });
            for (std::uint32_t i = 0; i < t.width; ++i) {
                data.expected("y")[r * t.width + i] = row[order[i]];
                data.expected("index")[r * t.width + i] = order[i];
            }
        }
    }
};

}  // namespace ascendsim::host
