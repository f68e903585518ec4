// SPDX-License-Identifier: Apache-2.0
// The base blocks of C, baseM x baseN each, in the order in which a Matmul object multiplies them.
#pragma once

#include "kernels/ascendc/matmul/arguments.h"

namespace AscendC::matmul_detail {

/// Blocks are numbered along m first, or along n first; a triangular policy leaves some out.
class BlockOrder {
public:
    BlockOrder() = default;

    BlockOrder(const Arguments& arguments, const TCubeTiling& tiling)
        : rows_{CeilDiv(arguments.single_m, tiling.baseM)},
          columns_{CeilDiv(arguments.single_n, tiling.baseN)},
          triangle_{arguments.triangle},
          along_n_{tiling.iterateOrder == 1} {}

    /// Of all blocks, those left out among them.
    [[nodiscard]] int32_t Count() const { return rows_ * columns_; }

    [[nodiscard]] int32_t Row(int32_t block) const { return along_n_ ? block / columns_ : block % rows_; }

    [[nodiscard]] int32_t Column(int32_t block) const { return along_n_ ? block % columns_ : block / rows_; }

    /// The first block from `block` on that is multiplied; Count() if there is none.
    [[nodiscard]] int32_t From(int32_t block) const {
        while (triangle_ != 0 && block < Count() && (Row(block) - Column(block)) * triangle_ > 0) {
            ++block;
        }
        return block;
    }

    /// How many are multiplied.
    [[nodiscard]] int32_t Multiplied() const {
        int32_t count = 0;
        for (int32_t block = From(0); block < Count(); block = From(block + 1)) {
            ++count;
        }
        return count;
    }

private:
    int32_t rows_ = 0;
    int32_t columns_ = 0;
    int32_t triangle_ = 0;
    bool along_n_ = false;
};

}  // namespace AscendC::matmul_detail
