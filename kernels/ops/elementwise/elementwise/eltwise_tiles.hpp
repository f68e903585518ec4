// SPDX-License-Identifier: Apache-2.0
// How an elementwise problem is cut for cores and unified buffer.
#pragma once

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "kernels/ops/elementwise/elementwise/eltwise_problem.hpp"
#include "kernels/plan/work_split.hpp"

namespace ascendsim::host {

/// What elements of a tile take.
struct EltNeed {
    std::uint64_t local;             // B of the unified buffer for each, all buffers together
    std::uint64_t narrow = 8;        // B of the narrowest that is copied
    std::uint64_t line_of_bits = 1;  // elements that fill a line as bits; 1 without an operand of bits

    /// Elements whose copies are whole lines of 512 B.
    [[nodiscard]] std::uint64_t line() const { return std::max(512 / narrow, line_of_bits); }
};

/// Enters types and forms of operands and results into the tiling.
[[nodiscard]] inline EltNeed elt_operands(const EltProblem& problem, EltTiling& t) {
    const std::uint64_t size = EltComputeSize(t.compute);
    EltNeed need{.local = t.scratch * size};
    const auto account = [&](EltType type, bool dense, bool wide) {
        const std::uint64_t bytes = EltBytes(type, 8) / 8;
        if (dense) {
            need.local += t.buffers * std::max<std::uint64_t>(bytes, 1);
            need.narrow = std::min(need.narrow, std::max<std::uint64_t>(bytes, 1));
            need.line_of_bits = type == EltType::bits ? 4096 : need.line_of_bits;
        }
        need.local += wide ? size : 0;
        const bool two_steps = bytes == 1 && size == 4;
        t.via = t.via != 0 || two_steps || (type == EltType::bf16 && t.compute == EltCompute::f16) ? 1 : 0;
    };
    for (std::uint8_t i = 0; i < t.inputs; ++i) {
        t.in_type[i] = t.op == EltOp::dropout_mask && i == 1 ? EltType::bits : elt_type(problem.in_type[i]);
        t.form[i] = problem.form[i];
        const bool dense = t.form[i] == EltForm::dense;
        account(t.in_type[i], dense, !dense || !EltIsNative(t.in_type[i], t.compute));
        need.local += t.form[i] == EltForm::row ? EltBytes(t.in_type[i], 1) : 0;
    }
    for (std::uint8_t i = 0; i < t.outputs; ++i) {
        t.out_type[i] = elt_type(problem.out_type);
        account(t.out_type[i], true, EltIsPredicate(t.op) || !EltIsNative(t.out_type[i], t.compute));
    }
    need.local += t.via != 0 ? 4 : 0;
    return need;
}

/// Gives each core whole lines of a flat problem, in tiles of at most `wanted` elements; exactly so many if
/// `fixed`.
inline void elt_cut_flat(
    EltTiling& t, const EltNeed& need, std::uint64_t wanted, bool fixed, std::uint32_t blocks) {
    const std::uint64_t line = need.line();
    const std::uint64_t lines = ceil_div(t.width, line);
    t.share = std::max<std::uint64_t>(ceil_div<std::uint64_t>(lines, blocks), 1) * line;
    const std::uint64_t quarter =
        std::max<std::uint64_t>(round_up(ceil_div<std::uint64_t>(t.share, 4), line), 4096 / need.narrow);
    t.tile = static_cast<std::uint32_t>(fixed ? wanted : std::min(wanted, round_up(quarter, line)));
    t.chunk = t.pitch = t.tile;
}

/// Gives each core whole rows, in tiles of at most `wanted` elements; longer rows in pieces. `room` is what
/// tiles may take with the values of column operands, in bytes.
inline void elt_cut_rows(
    EltTiling& t, const EltNeed& need, std::uint64_t wanted, std::uint64_t room, std::uint32_t blocks) {
    const std::uint64_t block = 32 / need.narrow;
    t.share = std::max<std::uint64_t>(ceil_div<std::uint64_t>(t.rows, blocks), 1);
    t.chunk = static_cast<std::uint32_t>(std::min<std::uint64_t>(t.width, wanted));
    t.pitch = static_cast<std::uint32_t>(round_up(std::uint64_t{t.chunk}, block));
    std::uint64_t fits = std::max<std::uint64_t>(wanted / t.pitch, 1);
    if (std::find(t.form, t.form + t.inputs, EltForm::column) != t.form + t.inputs) {
        // A row's value comes in 8 B and is spread over a block of 32 B.
        const std::uint64_t row = t.pitch * need.local + t.buffers * 8 + 32;
        fits = std::clamp<std::uint64_t>(room / row, 1, fits);
    }
    const std::uint64_t worth = std::max<std::uint64_t>(ceil_div<std::uint64_t>(t.share, 4),
                                                        ceil_div<std::uint64_t>(4096 / need.narrow, t.pitch));
    t.tile = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(std::min(fits, worth), 1, 248));
}

/// Tiles a problem: flat where nothing is broadcast along rows, else whole rows, or pieces of long ones.
/// Throws the error of the knob "tile" for one that does not fit.
[[nodiscard]] inline EltTiling elt_tiling(const EltProblem& problem,
                                          const Knobs& knobs,
                                          const ChipSpec& chip,
                                          std::uint32_t& blocks) {
    constexpr std::uint64_t least_share = 1024;  // elements of a core, as the operator library starts cores
    EltTiling t{.rows = problem.rows,
                .width = problem.width,
                .period = problem.period,
                .buffers = knobs.count("buffers"),
                .bypass_l2 = knobs.flag("l2_bypass") ? 1U : 0U,
                .by_rows = knobs.word("broadcast") == "rows" ? 1U : 0U,
                .lists = knobs.count("lists") / 8 * 8,
                .op = problem.entry.op,
                .compute = problem.compute,
                .inputs = problem.entry.inputs,
                .outputs = problem.entry.outputs,
                .scratch = problem.entry.scratch};
    std::ranges::transform(problem.parameter, t.parameter, [](double p) { return static_cast<float>(p); });
    const EltNeed need = elt_operands(problem, t);
    const std::uint64_t room =
        std::max<std::uint64_t>((chip.buffers.ub - elt_fixed_bytes) / need.local / need.line(), 1);
    const std::uint64_t most = room * need.line();
    const std::uint64_t tile = knobs.count("tile");
    if (tile > most || tile % (64 / std::min<std::uint64_t>(need.narrow, 2)) != 0) {
        throw knobs.error("tile", fmt::format("must be a multiple of 64 B, up to {} elements", most));
    }
    const std::uint64_t wanted = tile == 0 ? most : tile;
    if (problem.rows == 1) {
        blocks = blocks_or(knobs.count("blocks"), chip, problem.width, least_share);
        elt_cut_flat(t, need, wanted, tile != 0, blocks);
    } else {
        const std::uint64_t rows = ceil_div(least_share, std::max<std::uint64_t>(problem.width, 1));
        blocks = blocks_or(knobs.count("blocks"), chip, problem.rows, rows);
        // What no tile takes has room for more than the values of rows.
        elt_cut_rows(t, need, wanted, chip.buffers.ub - elt_fixed_bytes / 2, blocks);
    }
    return t;
}

}  // namespace ascendsim::host
