// SPDX-License-Identifier: Apache-2.0
// All elements of each row in order, with where they were; equal ones keep theirs. Pieces of rows are sorted
// in the unified buffers of all cores; then up to four lists at a time are merged through global memory, and
// all cores meet after each round.
#ifdef ASCENDSIM_HOST
#include "kernels/ops/reduce/sort/sort_host.hpp"

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::SortHost host;
    return &host;
}
#else
#include "kernels/ops/reduce/sort/sort_merge.h"

namespace sort_rows {

template <typename T>
__aicore__ inline void Rows(
    GM_ADDR x, GM_ADDR y, GM_ADDR index, GM_ADDR odd, GM_ADDR even, const SortTiling& t) {
    {
        TPipe pipe;
        Pieces<T> pieces(pipe, x, y, index, odd, t);
        pieces.Run();
        PipeBarrier<PIPE_ALL>();
    }
    GM_ADDR from = odd;
    GM_ADDR to = even;
    uint32_t length = t.piece;
    uint32_t lists = t.pieces;
    while (lists > 1) {
        SyncAll();
        TPipe pipe;
        Merge<T> merge(pipe, from, to, y, index, t, lists == 2);
        if (lists == 2) {
            merge.RunParts(length);
            return;
        }
        const uint32_t together = lists <= t.lists ? 2 : t.lists;  // at least two are left
        merge.Run(length, lists, together);
        PipeBarrier<PIPE_ALL>();
        length *= together;
        lists = (lists + together - 1) / together;
        GM_ADDR merged = to;
        to = from;
        from = merged;
    }
}

}  // namespace sort_rows

extern "C" __global__ __aicore__ void sort_float16(
    GM_ADDR x, GM_ADDR y, GM_ADDR index, GM_ADDR odd, GM_ADDR even, SortTiling tiling) {
    sort_rows::Rows<half>(x, y, index, odd, even, tiling);
}

extern "C" __global__ __aicore__ void sort_bfloat16(
    GM_ADDR x, GM_ADDR y, GM_ADDR index, GM_ADDR odd, GM_ADDR even, SortTiling tiling) {
    sort_rows::Rows<bfloat16_t>(x, y, index, odd, even, tiling);
}

extern "C" __global__ __aicore__ void sort_float32(
    GM_ADDR x, GM_ADDR y, GM_ADDR index, GM_ADDR odd, GM_ADDR even, SortTiling tiling) {
    sort_rows::Rows<float>(x, y, index, odd, even, tiling);
}
#endif
