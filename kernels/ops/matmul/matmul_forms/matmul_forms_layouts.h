// SPDX-License-Identifier: Apache-2.0
// Results in the unified buffer as blocks (NZ) or with rows of whole 32 bytes (ND_ALIGN), in the order that
// the compiler knows; batches whose left operand or bias lies in the unified buffer.
#pragma once

#include "kernels/ops/matmul/matmul_forms/matmul_forms_results.h"

namespace matmul_forms {

using InBlocks = MatmulType<TPosition::VECIN, CubeFormat::NZ, float>;
using WholeRows = MatmulType<TPosition::VECIN, CubeFormat::ND_ALIGN, float>;

constexpr MatmulConfig along_n = [] {
    MatmulConfig config = GetNormalConfig();
    config.iterateOrder = IterateOrder::ORDER_N;
    return config;
}();

/// Block by block to the unified buffer; `nz`: as blocks.
template <bool nz, class Product>
__aicore__ inline void EachLocal(Product& mm, Store& store, const TCubeTiling& t, const Part& part) {
    Operands(mm, t, part);
    while (mm.Iterate()) {
        const MatrixOffset place = mm.GetOffsetC();
        LocalTensor<float> block = store.Room();
        mm.GetTensorC(block);
        store.template Out<nz>(block, part.c, place.row, place.col, place.height, place.width);
    }
    mm.End();
}

/// The rows of two calls, the first as high as a base block, each as a whole to the unified buffer.
template <bool nz, class Product>
__aicore__ inline void WholeLocal(Product& mm, Store& store, const TCubeTiling& t, const Part& part) {
    for (int32_t first = 0; first < t.M; first += t.baseM) {
        const int32_t rows = first + t.baseM < t.M ? t.baseM : t.M - first;
        Operands(mm, t, {part.a, part.b, part.c, part.room, first, rows});
        LocalTensor<float> block = store.Room();
        mm.IterateAll(block);
        store.template Out<nz>(block, part.c, first, 0, rows, t.N);
    }
    mm.End();
}

/// To global memory and to the unified buffer, both as blocks.
template <class Product>
__aicore__ inline void BothInBlocks(Product& mm, Store& store, const TCubeTiling& t, const Part& part) {
    Operands(mm, t, part);
    while (mm.Iterate()) {
        const MatrixOffset place = mm.GetOffsetC();
        LocalTensor<float> block = store.Room();
        mm.GetTensorC(At<float>(part.room, 0), block);
        store.template Out<true>(block, part.c, place.row, place.col, place.height, place.width);
    }
    mm.End();
}

/// Block by block along n, as the configuration says; the kernel counts by itself.
template <class Product>
__aicore__ inline void AlongN(Product& mm, Store& store, const TCubeTiling& t, const Part& part) {
    Operands(mm, t, part);
    for (int32_t m = 0; m < t.M; m += t.baseM) {
        for (int32_t n = 0; n < t.N; n += t.baseN) {
            mm.Iterate();
            LocalTensor<float> block = store.Room();
            mm.GetTensorC(block);
            store.Out(block,
                      part.c,
                      m,
                      n,
                      m + t.baseM < t.M ? t.baseM : t.M - m,
                      n + t.baseN < t.N ? t.baseN : t.N - n);
        }
    }
    mm.End();
}

/// Four batches of A from the unified buffer.
template <class Product>
__aicore__ inline void BatchOfLocal(Product& mm, TPipe& pipe, const TCubeTiling& t, const Part& part) {
    const auto elements = static_cast<uint32_t>(4 * t.M * t.Ka);
    TQueBind<TPosition::GM, TPosition::VECOUT, 1> left;
    pipe.InitBuffer(left, 1, elements * sizeof(half));
    LocalTensor<half> a = left.AllocTensor<half>();
    DataCopy(a, At<half>(part.a, 0), elements);
    left.EnQue(a);
    a = left.DeQue<half>();
    mm.SetTensorA(a);
    mm.SetTensorB(At<half>(part.b, 0));
    mm.IterateBatch(At<float>(part.c, 0), 4, 2, false);
    left.FreeTensor(a);
    mm.End();
}

/// Four batches, each with a bias of its own from the unified buffer: 1, 2, 3 and 4.
template <class Product>
__aicore__ inline void BatchWithBias(Product& mm, TPipe& pipe, const TCubeTiling& t, const Part& part) {
    TQue<TPosition::VECOUT, 1> biases;
    pipe.InitBuffer(biases, 1, static_cast<uint32_t>(4 * t.N) * sizeof(float));
    LocalTensor<float> bias = biases.AllocTensor<float>();
    for (int32_t batch = 0; batch < 4; ++batch) {
        Duplicate(bias[static_cast<uint32_t>(batch * t.N)], static_cast<float>(batch + 1), t.N);
    }
    mm.SetTensorA(At<half>(part.a, 0));
    mm.SetTensorB(At<half>(part.b, 0));
    mm.SetBias(bias);
    mm.IterateBatch(At<float>(part.c, 0), 4, 2, false);
    biases.FreeTensor(bias);
    mm.End();
}

}  // namespace matmul_forms
