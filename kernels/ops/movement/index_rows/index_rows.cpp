// SPDX-License-Identifier: Apache-2.0
// Rows gathered or scattered by an index over one or several axes
// (kernels/ops/movement/index_rows/index_rows.h).
#include "kernels/ops/movement/index_rows/index_rows.h"

extern "C" __global__ __aicore__ void gather_rows_1(GM_ADDR x,
                                                    GM_ADDR index,
                                                    GM_ADDR y,
                                                    IndexRowsTiling tiling) {
    IndexRows<int8_t>(x, index, y, tiling).Gather();
}

extern "C" __global__ __aicore__ void gather_rows_2(GM_ADDR x,
                                                    GM_ADDR index,
                                                    GM_ADDR y,
                                                    IndexRowsTiling tiling) {
    IndexRows<half>(x, index, y, tiling).Gather();
}

extern "C" __global__ __aicore__ void gather_rows_4(GM_ADDR x,
                                                    GM_ADDR index,
                                                    GM_ADDR y,
                                                    IndexRowsTiling tiling) {
    IndexRows<float>(x, index, y, tiling).Gather();
}

extern "C" __global__ __aicore__ void gather_table_2(GM_ADDR x,
                                                     GM_ADDR index,
                                                     GM_ADDR y,
                                                     IndexRowsTiling tiling) {
    IndexRows<half>(x, index, y, tiling).GatherByTable();
}

extern "C" __global__ __aicore__ void gather_table_4(GM_ADDR x,
                                                     GM_ADDR index,
                                                     GM_ADDR y,
                                                     IndexRowsTiling tiling) {
    IndexRows<float>(x, index, y, tiling).GatherByTable();
}

extern "C" __global__ __aicore__ void scatter_rows_1(GM_ADDR x,
                                                     GM_ADDR index,
                                                     GM_ADDR y,
                                                     IndexRowsTiling tiling) {
    IndexRows<int8_t>(x, index, y, tiling).Scatter();
}

extern "C" __global__ __aicore__ void scatter_rows_2(GM_ADDR x,
                                                     GM_ADDR index,
                                                     GM_ADDR y,
                                                     IndexRowsTiling tiling) {
    IndexRows<half>(x, index, y, tiling).Scatter();
}

extern "C" __global__ __aicore__ void scatter_rows_4(GM_ADDR x,
                                                     GM_ADDR index,
                                                     GM_ADDR y,
                                                     IndexRowsTiling tiling) {
    IndexRows<float>(x, index, y, tiling).Scatter();
}

#ifdef ASCENDSIM_HOST
#include "kernels/ops/movement/index_rows/index_rows_host.hpp"

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::IndexRowsHost host;
    return &host;
}
#endif
