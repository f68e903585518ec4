// SPDX-License-Identifier: Apache-2.0
// C = A B * scale, A (m, k) int8 and B (k, n) int8 of whose every four weights in a column two are kept: the
// cube multiplies half as deep, and weights take half the memory and a quarter of that for which ones they
// are.
#include "kernels/ops/matmul/sparse_matmul/sparse_matmul.hpp"

#ifdef ASCENDSIM_HOST
#include "kernels/ops/matmul/sparse_matmul/sparse_matmul_host.hpp"

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const sparse_weights::SparseMatmulHost host;
    return &host;
}
#else
#include "kernel_operator.h"
#include "kernels/ops/matmul/sparse_matmul/sparse_matmul_kernel.h"

extern "C" __global__ __aicore__ void sparse_matmul(
    GM_ADDR a, GM_ADDR b, GM_ADDR index, GM_ADDR c, sparse_weights::Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    if ASCEND_IS_AIC {
        sparse_weights::Product(a, b, index, c, tiling).Run();
    }
}
#endif
