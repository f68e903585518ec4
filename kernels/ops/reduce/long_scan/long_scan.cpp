// SPDX-License-Identifier: Apache-2.0
// Running sums of one long vector by all cores, in the three steps of a published scan (Wroblewski and
// others, "Parallel scan on Ascend AI accelerators", 2025; MCScan of pytorch-tcuscan): cube cores sum within
// rows, as products with a triangle of ones, while the vector cores sum their shares; then all meet; then
// each vector core adds to its rows what comes before them. Where vector and sums outgrow L2 the steps go
// over it in parts that fit.
#ifdef ASCENDSIM_HOST
#include "kernels/ops/reduce/long_scan/long_scan_host.hpp"

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const long_scan::LongScanHost host;
    return &host;
}
#else
#include "kernel_operator.h"
#include "kernels/ops/reduce/long_scan/long_scan_vector.h"

namespace long_scan {

/// One part, up to the meeting of all cores and what follows it.
template <class T>
__aicore__ inline void Part(
    GM_ADDR x, GM_ADDR ones, GM_ADDR y, GM_ADDR sums, const Tiling& t, uint64_t first, Sum<T> start) {
    const uint64_t length = t.length - first < t.part ? t.length - first : t.part;
    if ASCEND_IS_AIC {
        TPipe pipe;
        RowSums<T> rows(pipe, x, ones, y, t);
        rows.Run(first, length);
        PipeBarrier<PIPE_ALL>();
    }
    if ASCEND_IS_AIV {
        TPipe pipe;
        ShareSum<T> share(pipe, x, sums, t);
        share.Run(first, length);
        PipeBarrier<PIPE_ALL>();
    }
    SyncAll<false>();
    if ASCEND_IS_AIV {
        TPipe pipe;
        Completion<T> completion(pipe, y, sums, t);
        completion.Run(first, length, start);
        PipeBarrier<PIPE_ALL>();
    }
}

template <class T>
__aicore__ inline void Scan(GM_ADDR x, GM_ADDR ones, GM_ADDR y, GM_ADDR sums, const Tiling& t) {
    GlobalTensor<Sum<T>> done;
    done.SetGlobalBuffer(reinterpret_cast<__gm__ Sum<T>*>(y));
    Sum<T> start = 0;
    for (uint64_t first = 0; first < t.length; first += t.part) {
        Part<T>(x, ones, y, sums, t, first, start);
        if (first + t.part < t.length) {
            SyncAll<false>();
            DataCacheCleanAndInvalid<Sum<T>, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(
                done[first + t.part - 1]);
            start = done.GetValue(first + t.part - 1);
        }
    }
}

template <class T>
__aicore__ inline void Rows(GM_ADDR x, GM_ADDR ones, GM_ADDR y, const Tiling& t) {
    TPipe pipe;
    RowSums<T> rows(pipe, x, ones, y, t);
    rows.Run(0, t.length);
}

}  // namespace long_scan

extern "C" __global__ __aicore__ void long_scan_float16(
    GM_ADDR x, GM_ADDR ones, GM_ADDR y, GM_ADDR sums, long_scan::Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    long_scan::Scan<half>(x, ones, y, sums, tiling);
}

extern "C" __global__ __aicore__ void long_scan_int8(
    GM_ADDR x, GM_ADDR ones, GM_ADDR y, GM_ADDR sums, long_scan::Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    long_scan::Scan<int8_t>(x, ones, y, sums, tiling);
}

extern "C" __global__ __aicore__ void long_scan_rows_float16(GM_ADDR x,
                                                             GM_ADDR ones,
                                                             GM_ADDR y,
                                                             long_scan::Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    long_scan::Rows<half>(x, ones, y, tiling);
}

extern "C" __global__ __aicore__ void long_scan_rows_int8(GM_ADDR x,
                                                          GM_ADDR ones,
                                                          GM_ADDR y,
                                                          long_scan::Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    long_scan::Rows<int8_t>(x, ones, y, tiling);
}
#endif
