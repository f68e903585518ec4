// SPDX-License-Identifier: Apache-2.0
// A row of 64 times two columns of which 32 weights are kept, twice into the same result.
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void sparse_calls() {
    const LocalTensor<int8_t> left(TPosition::A2, 0, 1024);
    const LocalTensor<int8_t> kept(TPosition::B1, 0, 1024);
    const LocalTensor<uint8_t> index(TPosition::B1, 1024, 256);
    const LocalTensor<int8_t> right(TPosition::B2, 0, 512);
    const LocalTensor<int32_t> result(TPosition::CO1, 0, 256);
    LoadData2dParams load;
    load.startIndex = 1;  // the second fractal of the weights and of the indices
    load.repeatTimes = 1;
    LoadDataWithSparse(right, kept, index, load);
    MmadParams product;
    product.m = 16;
    product.n = 2;
    product.k = 64;
    MmadWithSparse(result, left, right, product);
    product.cmatrixInitVal = false;
    MmadWithSparse(result, left, right, product);
}
