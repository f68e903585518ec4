// SPDX-License-Identifier: Apache-2.0
// Reductions. Inside a repeat neighbours are combined as a binary tree, with one rounding per addition; lanes
// that do not take part count as the neutral element.
#pragma once

#include "models/isa/vector/elementwise.hpp"

namespace ascendsim::isa {

enum class Reduction : std::uint8_t { sum, max, min };

/// What a reduction of a repeat to its extreme stores.
enum class ExtremeForm : std::uint8_t { value_index, index_value, only_value, only_index };

/// Places of a reduction's results. `repeat_bytes` lie between those of successive repeats.
struct ReduceTarget {
    std::uint32_t offset = 0;  // B in UB
    std::uint32_t repeat_bytes = 0;
};

/// One sum per repeat.
void reduce_repeats_sum(const ReduceTarget& dst,
                        const VectorOperand& src,
                        const VectorShape& shape,
                        Site site);
/// The sum of all repeats to the register that GetAccVal reads; nothing in memory.
void accumulate_repeats(const VectorOperand& src, const VectorShape& shape, Site site);
/// One extreme per repeat, with the index of its first occurrence within the repeat as `form` says.
void reduce_repeats_extreme(Reduction how,
                            ExtremeForm form,
                            const ReduceTarget& dst,
                            const VectorOperand& src,
                            const VectorShape& shape,
                            Site site);
/// One result per 32-byte block, eight neighbours per repeat.
void reduce_blocks(
    Reduction how, const ReduceTarget& dst, const VectorOperand& src, const VectorShape& shape, Site site);
/// One sum per pair of neighbours.
void reduce_pairs(const ReduceTarget& dst, const VectorOperand& src, const VectorShape& shape, Site site);

/// A whole tensor to one value at UB offset `dst`, through `work`: repeats first, then their results, until
/// one is left. With `with_index`, the index of the first extreme among all elements follows the value.
struct ReduceTensor {
    Reduction how = Reduction::sum;
    std::uint32_t dst = 0;
    VectorOperand src;
    std::uint32_t work = 0;  // B in UB
    bool with_index = false;
    VectorShape shape;
};

void reduce_tensor(const ReduceTensor& reduce, Site site);

}  // namespace ascendsim::isa
