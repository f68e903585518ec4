// SPDX-License-Identifier: Apache-2.0
// Elements in another arrangement: tensors concatenated along an axis or split, slices with steps, zeros
// around, repetitions, axes reversed. The tensors of a concatenation or split lie one behind the other in x
// or y.
#include "kernels/ops/movement/rearrange/rearrange.h"

extern "C" __global__ __aicore__ void rearrange_1(GM_ADDR x, GM_ADDR y, RearrangeTiling tiling) {
    Rearrange<int8_t>(x, y, tiling).Process();
}

extern "C" __global__ __aicore__ void rearrange_2(GM_ADDR x, GM_ADDR y, RearrangeTiling tiling) {
    Rearrange<half>(x, y, tiling).Process();
}

extern "C" __global__ __aicore__ void rearrange_4(GM_ADDR x, GM_ADDR y, RearrangeTiling tiling) {
    Rearrange<float>(x, y, tiling).Process();
}

#ifdef ASCENDSIM_HOST
#include "kernels/ops/movement/rearrange/rearrange_host.hpp"

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::RearrangeHost host;
    return &host;
}
#endif
