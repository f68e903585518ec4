// SPDX-License-Identifier: Apache-2.0
// DataCopy of results from L0C to the unified buffer, the only way out of L0C on coupled chips.
#pragma once

#include "kernels/ascendc/ascendc/cube/cube_fixpipe.h"

namespace AscendC {

/// Copies `blockCount` columns of `blockLen` fractals from CO1 to UB, as NZ, converted to the destination's
/// type. `srcGap` counts fractals (16 x 16 values), `dstGap` blocks of 32 B. DEQ_NONE changes float to half,
/// or nothing; DEQ multiplies by `deqValue`, packed as for Fixpipe.
template <typename DstT, typename SrcT>
inline void DataCopy(const LocalTensor<DstT>& dst,
                     const LocalTensor<SrcT>& src,
                     const DataCopyParams& params,
                     const DataCopyEnhancedParams& enhanced,
                     Site site = Site::here()) {
    using M = ascendsim::Memory;
    if (src.Memory() != M::l0c || dst.Memory() != M::ub) {
        if constexpr (std::is_same_v<DstT, SrcT>) {
            DataCopy(dst, src, params, site);
        } else {
            ascendsim::isa::not_implemented("DataCopy between tensors of different types", site);
        }
        return;
    }
    if constexpr (has_cube_unit) {
        if (ascendsim::isa::CorePort::current().chip().coupled.l0c_ub_bytes_per_cycle == 0) {
            ascendsim::isa::kernel_fault(
                "DataCopy",
                "this chip has no path from CO1 to the unified buffer; results leave by Fixpipe",
                site);
        }
        if (enhanced.blockMode != BlockMode::BLOCK_MODE_MATRIX ||
            (enhanced.deqScale != DeqScale::DEQ_NONE && enhanced.deqScale != DeqScale::DEQ)) {
            ascendsim::isa::not_implemented(
                "DataCopy from CO1 in another mode than BLOCK_MODE_MATRIX with DEQ_NONE or DEQ", site);
        }
        constexpr uint32_t fractal_rows = 16;
        const uint32_t rows = params.blockLen * fractal_rows;
        ascendsim::isa::CopyResultToUb copy{
            .operands = {.source = src.Start(),
                         .source_type = DataTypeOf<SrcT>(),
                         .destination_type = DataTypeOf<DstT>(),
                         .n = params.blockCount * fractal_rows,
                         .m = rows,
                         .source_pitch = rows + params.srcGap * fractal_rows,
                         .to_nd = false,
                         .relu = enhanced.isRelu,
                         .quantise = enhanced.deqScale == DeqScale::DEQ ? ascendsim::isa::Quantise::scalar
                                                                        : ascendsim::isa::Quantise::none,
                         .scale = enhanced.deqValue},
            .destination = dst.Start()};
        copy.operands.destination_pitch = uint64_t{rows} * copy.operands.block_bytes() / 32U + params.dstGap;
        ascendsim::isa::issue(copy, site);
    }
}

}  // namespace AscendC
