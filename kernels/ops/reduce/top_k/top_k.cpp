// SPDX-License-Identifier: Apache-2.0
// The k largest elements of each row and where they are; after a softmax of the row where wanted, as the
// gates of a mixture of experts choose.
#include "kernels/ops/reduce/top_k/top_k.h"

#include "kernels/ops/reduce/top_k/top_k_pairs.h"

extern "C" __global__ __aicore__ void top_k_float16(
    GM_ADDR x, GM_ADDR y, GM_ADDR index, GM_ADDR source, TopKTiling tiling) {
    TopK<half>(x, y, index, source, tiling).Process();
}

extern "C" __global__ __aicore__ void top_k_bfloat16(
    GM_ADDR x, GM_ADDR y, GM_ADDR index, GM_ADDR source, TopKTiling tiling) {
    TopK<bfloat16_t>(x, y, index, source, tiling).Process();
}

extern "C" __global__ __aicore__ void top_k_float32(
    GM_ADDR x, GM_ADDR y, GM_ADDR index, GM_ADDR source, TopKTiling tiling) {
    TopK<float>(x, y, index, source, tiling).Process();
}

extern "C" __global__ __aicore__ void top_k_pairs_float16(GM_ADDR x,
                                                          GM_ADDR y,
                                                          GM_ADDR index,
                                                          TopKTiling tiling) {
    TopKPairs<half>(x, y, index, tiling).Process();
}

extern "C" __global__ __aicore__ void top_k_pairs_float32(GM_ADDR x,
                                                          GM_ADDR y,
                                                          GM_ADDR index,
                                                          TopKTiling tiling) {
    TopKPairs<float>(x, y, index, tiling).Process();
}

#ifdef ASCENDSIM_HOST
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "kernels/plan/kernel_host.hpp"
#include "kernels/shared/float_types.hpp"
#include "kernels/shared/row_host.hpp"

namespace ascendsim::host {
namespace {

using isa::DataType;

class TopKHost : public KernelHost {
public:
    std::string_view meaning() const override { return "the k largest of each row and where they are"; }

    std::vector<Knob> knobs() const override {
        std::vector<Knob> knobs = row_knobs({4096, 1024});
        knobs.push_back(Knob::integer("k", 8, 1, 8192, "", "how many of each row"));
        knobs.push_back(Knob::flag("softmax", false, "of the row's softmax"));
        knobs.push_back(Knob::flag(
            "sources", false, "a third result: each choice's place among all, row by row within each rank"));
        knobs.push_back(Knob::flag(
            "together", false, "up to eight of rows of up to 1024 are chosen in all rows of a tile at once"));
        knobs.push_back(Knob::flag(
            "pairs",
            false,
            "two rows at a time, copied back after each merge, as the tile library's sample does"));
        return knobs;
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const DataType type = checked_float_type(knobs, chip);
        std::uint32_t blocks = 1;
        const bool pairs = knobs.flag("pairs");
        const TopKTiling t =
            pairs ? pairs_tile(knobs, chip, type, blocks) : tile(knobs, chip, isa::bits(type) / 8, blocks);
        Plan plan;
        plan.chosen = {{"tile", t.tile}};
        plan.problem = fmt::format("top {} of {} {}", t.k, text(knobs.shape("shape")), isa::name(type));
        plan.buffers = {Buffer::input("x", type, knobs.shape("shape"), fill::Normal{0, 3}),
                        Buffer::output("y", type, {t.rows, t.k}),
                        Buffer::output("index", DataType::int32, {t.rows, t.k})};
        if (t.sources != 0) {
            plan.buffers.push_back(Buffer::output("source", DataType::int32, {t.rows, t.k}));
        }
        plan.launches = {
            {.entry = fmt::format("top_k_{}{}", pairs ? "pairs_" : "", isa::name(type)),
             .blocks = blocks,
             .cores = ascendsim::CoreUse::aiv,
             .arguments = {Argument::address("x"), Argument::address("y"), Argument::address("index")}}};
        if (!pairs) {
            plan.launches.front().arguments.push_back(Argument::address(t.sources != 0 ? "source" : "index"));
        }
        plan.launches.front().arguments.push_back(Argument::of(t));
        const double total = static_cast<double>(t.rows) * t.width;
        plan.work = {.vector_flops = total * std::log2(std::max(2U, t.width)),
                     .vector_type = DataType::float32,
                     .gm_bytes = least_traffic(plan.buffers)};
        plan.reference = [t](ReferenceData& data) { expect(data, t); };
        plan.tolerances = {rounded_once("y", type, 1e-6)};
        if (t.softmax == 0) {
            plan.tolerances.push_back({.output = "index"});
        }
        if (t.sources != 0) {
            plan.tolerances.push_back({.output = "source"});
        }
        return plan;
    }

private:
    /// The problem with what the knobs say of it; throws their errors.
    static TopKTiling checked(const Knobs& knobs, const ChipSpec& chip) {
        const RowProblem problem = row_problem(knobs, chip, knobs.type("dtype"));
        if (chip.arch != "2201") {
            throw knobs.error("shape", chip.name + " has no copies with padding, which this kernel needs");
        }
        TopKTiling t{.rows = problem.rows,
                     .width = static_cast<std::uint32_t>(problem.width),
                     .pitch = static_cast<std::uint32_t>(round_up(problem.width, std::uint64_t{32})),
                     .k = knobs.count("k"),
                     .buffers = knobs.count("buffers"),
                     .softmax = knobs.flag("softmax") ? 1U : 0U,
                     .sources = knobs.flag("sources") ? 1U : 0U,
                     .together = knobs.flag("together") ? 1U : 0U};
        if (t.k > t.width) {
            throw knobs.error("k", fmt::format("a row has {} elements", t.width));
        }
        if (t.together != 0 && (t.k > 8 || t.width > 1024)) {
            throw knobs.error("together", "is for at most eight of at most 1024");
        }
        t.kept = round_up(t.k, 32U);
        return t;
    }

    static TopKTiling tile(const Knobs& knobs,
                           const ChipSpec& chip,
                           std::uint64_t size,
                           std::uint32_t& blocks) {
        TopKTiling t = checked(knobs, chip);
        const std::uint64_t fixed = (t.together != 0 ? 0 : std::uint64_t{t.pitch} * (4 + 2 * 8)) + 4096;
        const std::uint64_t each =
            t.pitch * (t.buffers * size + 4) + (t.softmax != 0 ? FoldPitch(t.pitch) * 4 : 0) +
            t.kept * (t.buffers * (size + 4) + 4) + 48 + (t.sources != 0 ? t.kept * (t.buffers + 1) * 4 : 0) +
            (t.together != 0 ? t.pitch * (4 + 8) + 2 * t.Lists() * top_k_list * 4 : 0);
        if (fixed + each > chip.buffers.ub) {
            throw knobs.error(
                "shape",
                fmt::format("a row of {} elements and its sorted runs do not fit the unified buffer of {} B",
                            t.width,
                            chip.buffers.ub));
        }
        constexpr std::uint64_t least = 1024;  // elements of a core, as the operator library starts cores
        blocks = blocks_or(knobs.count("blocks"), chip, t.rows, ceil_div<std::uint64_t>(least, t.pitch));
        t.share = ceil_div<std::uint64_t>(t.rows, blocks);
        const std::uint64_t merges = t.together != 0 ? 255 / (t.Lists() / 4) : 255;  // of one instruction
        const std::uint64_t fits = std::min((chip.buffers.ub - fixed) / each, merges);
        t.tile = static_cast<std::uint32_t>(
            std::clamp<std::uint64_t>(std::min(fits, ceil_div<std::uint64_t>(t.share, 2)), 1, 128));
        return t;
    }

    static TopKTiling pairs_tile(const Knobs& knobs,
                                 const ChipSpec& chip,
                                 DataType type,
                                 std::uint32_t& blocks) {
        TopKTiling t = checked(knobs, chip);
        t.tile = 2;
        t.buffers = 2;
        if (t.width % 32 != 0 || type == DataType::bfloat16 || knobs.flag("softmax") ||
            knobs.flag("sources") || knobs.flag("together")) {
            throw knobs.error("pairs",
                              "is for rows of whole 32 elements of float16 or float32, and nothing besides");
        }
        const std::uint64_t size = isa::bits(type) / 8;
        const std::uint64_t needs =
            std::uint64_t{t.width} * (4 * size + 6 * 8 + 4) + std::uint64_t{t.kept} * 4 * (8 + size + 4);
        if (needs > chip.buffers.ub) {
            throw knobs.error(
                "shape",
                fmt::format("four rows of {} elements and their pairs take {} B, the unified buffer has {} B",
                            t.width,
                            needs,
                            chip.buffers.ub));
        }
        blocks = blocks_or(knobs.count("blocks"), chip, t.rows, std::uint64_t{1});
        t.share = ceil_div<std::uint64_t>(t.rows, blocks);
        return t;
    }

    static void expect(ReferenceData& data, const TopKTiling& t) {
        const std::vector<float>& x = data.floats("x");
        std::vector<std::uint32_t> order(t.width);
        for (std::uint64_t r = 0; r < t.rows; ++r) {
            const float* row = x.data() + r * t.width;
            std::iota(order.begin(), order.end(), 0U);
            std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::uint32_t i) { return row[i]; });
            double sum = 0;
            for (std::uint32_t i = 0; i < t.width; ++i) {
                sum += std::exp(row[i] - row[order[0]]);
            }
            for (std::uint32_t i = 0; i < t.k; ++i) {
                const double value = row[order[i]];
                data.expected("y")[r * t.k + i] =
                    t.softmax != 0 ? std::exp(value - row[order[0]]) / sum : value;
                data.expected("index")[r * t.k + i] = order[i];
                if (t.sources != 0) {
                    data.expected("source")[r * t.k + i] = static_cast<double>(i * t.rows + r);
                }
            }
        }
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::TopKHost host;
    return &host;
}
#endif
