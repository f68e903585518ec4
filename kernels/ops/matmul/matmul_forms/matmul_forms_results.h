// SPDX-License-Identifier: Apache-2.0
// The ways in which results of the high-level Matmul object reach a vector core: each call that the public
// documentation shows, synchronous and asynchronous.
#pragma once

#include "kernel_operator.h"
#include "lib/matmul_intf.h"

namespace matmul_forms {

using namespace AscendC;

using InUb = MatmulType<TPosition::VECIN, CubeFormat::ND, float>;

template <typename T>
__aicore__ inline GlobalTensor<T> At(GM_ADDR address, uint64_t elements) {
    GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(address) + elements);
    return tensor;
}

/// What a kernel works on: its operands and `rows` of C from row `first` on.
struct Part {
    GM_ADDR a;
    GM_ADDR b;
    GM_ADDR c;
    GM_ADDR room;
    int32_t first;
    int32_t rows;
};

/// Blocks of C that lie in the unified buffer go through the vector unit to their place.
class Store {
public:
    __aicore__ inline Store(TPipe& pipe, const TCubeTiling& tiling, int32_t rows, int32_t columns)
        : pitch_{tiling.N} {
        const uint32_t bytes =
            static_cast<uint32_t>((rows + 15) / 16 * 16 * ((columns + 15) / 16 * 16)) * sizeof(float);
        pipe.InitBuffer(in_, 1, bytes);
        pipe.InitBuffer(out_, 1, bytes);
    }

    __aicore__ inline LocalTensor<float> Room() { return in_.AllocTensor<float>(); }

    /// Waits for the kernel's own copies on their way to the unified buffer.
    __aicore__ inline LocalTensor<float> Arrived(LocalTensor<float>& block) {
        in_.EnQue(block);
        return in_.DeQue<float>();
    }

    /// Brings the block to its place in C; `nz`: it lies as columns of 16, its height padded to 16.
    template <bool nz = false>
    __aicore__ inline void Out(
        LocalTensor<float>& block, GM_ADDR c, int32_t m, int32_t n, int32_t rows, int32_t columns) {
        LocalTensor<float> out = out_.AllocTensor<float>();
        const int32_t height = nz ? (rows + 15) / 16 * 16 : rows;
        Muls(out, block, 1.0F, height * (nz ? (columns + 15) / 16 * 16 : (columns + 7) / 8 * 8));
        in_.FreeTensor(block);
        out_.EnQue(out);
        out = out_.DeQue<float>();
        const int32_t wide = nz ? 16 : columns;
        for (int32_t at = 0; at < columns; at += wide) {
            const int32_t width = columns - at < wide ? columns - at : wide;
            const DataCopyExtParams shape(static_cast<uint16_t>(rows),
                                          static_cast<uint32_t>(width) * sizeof(float),
                                          nz ? static_cast<uint32_t>((wide - (width + 7) / 8 * 8) / 8) : 0,
                                          static_cast<uint32_t>(pitch_ - width) * sizeof(float),
                                          0);
            DataCopyPad(At<float>(c, static_cast<uint64_t>(m * pitch_ + n + at)),
                        out[static_cast<uint32_t>(at * height)],
                        shape);
        }
        out_.FreeTensor(out);
    }

private:
    TQue<TPosition::VECIN, 1> in_;
    TQue<TPosition::VECOUT, 1> out_;
    int32_t pitch_;
};

template <class Product>
__aicore__ inline void Operands(Product& mm, const TCubeTiling& t, const Part& part) {
    mm.SetSingleShape(part.rows, t.N, t.Ka);
    mm.SetTensorA(At<half>(part.a, static_cast<uint64_t>(part.first * t.Ka)));
    mm.SetTensorB(At<half>(part.b, 0));
}

/// Every block of `part`, in the order in which the object multiplies them.
template <class Take>
__aicore__ inline void EachBlock(const TCubeTiling& t, const Part& part, Take&& take) {
    for (int32_t n = 0; n < t.N; n += t.baseN) {
        for (int32_t m = 0; m < part.rows; m += t.baseM) {
            take(part.first + m,
                 n,
                 m + t.baseM < part.rows ? t.baseM : part.rows - m,
                 n + t.baseN < t.N ? t.baseN : t.N - n);
        }
    }
}

/// while (Iterate) GetTensorC, to the unified buffer; asynchronous or not.
template <bool sync, class Product>
__aicore__ inline void Loop(Product& mm, Store& store, const TCubeTiling& t, const Part& part) {
    Operands(mm, t, part);
    if constexpr (!sync) {
        GlobalTensor<float> room = At<float>(part.room, 0);
        mm.SetWorkspace(room);
    }
    while (mm.template Iterate<sync>()) {
        const MatrixOffset place = mm.GetOffsetC();
        LocalTensor<float> block = store.Room();
        mm.template GetTensorC<sync>(block);
        store.Out(block, part.c, part.first + place.row, place.col, place.height, place.width);
    }
    mm.End();
}

/// One asynchronous Iterate, then as many results as there are blocks; every second with AsyncGetTensorC.
template <class Product>
__aicore__ inline void Counted(Product& mm, Store& store, const TCubeTiling& t, const Part& part) {
    Operands(mm, t, part);
    mm.SetWorkspace(reinterpret_cast<__gm__ float*>(part.room), t.M * t.N);
    mm.template Iterate<false>();
    bool odd = false;
    EachBlock(t, part, [&](int32_t m, int32_t n, int32_t rows, int32_t columns) {
        LocalTensor<float> block = store.Room();
        if (odd) {
            mm.AsyncGetTensorC(block);
            mm.WaitGetTensorC();
        } else {
            mm.template GetTensorC<false>(block);
        }
        odd = !odd;
        store.Out(block, part.c, m, n, rows, columns);
    });
    mm.End();
}

/// The blocks as tensors of the workspace.
template <class Product>
__aicore__ inline void Tensors(Product& mm, Store& store, const TCubeTiling& t, const Part& part) {
    Operands(mm, t, part);
    GlobalTensor<float> room = At<float>(part.room, 0);
    mm.SetWorkspace(room);
    mm.template Iterate<false>();
    EachBlock(t, part, [&](int32_t m, int32_t n, int32_t rows, int32_t columns) {
        const GlobalTensor<float> from = mm.template GetTensorC<false>();
        LocalTensor<float> block = store.Room();
        DataCopy(block, from, static_cast<uint32_t>(rows * columns));
        block = store.Arrived(block);
        store.Out(block, part.c, m, n, rows, columns);
    });
    mm.End();
}

/// Asynchronous blocks straight to global memory.
template <class Product>
__aicore__ inline void Global(Product& mm, const TCubeTiling& t, const Part& part) {
    Operands(mm, t, part);
    GlobalTensor<float> room = At<float>(part.room, 0);
    mm.SetWorkspace(room);
    mm.template Iterate<false>();
    EachBlock(t, part, [&](int32_t, int32_t, int32_t, int32_t) {
        mm.template GetTensorC<false>(At<float>(part.c, static_cast<uint64_t>(part.first * t.N)));
    });
    mm.End();
}

/// Each block to global memory and to the unified buffer; C is what arrived in the latter.
template <class Product>
__aicore__ inline void Both(Product& mm, Store& store, const TCubeTiling& t, const Part& part) {
    Operands(mm, t, part);
    while (mm.Iterate()) {
        const MatrixOffset place = mm.GetOffsetC();
        LocalTensor<float> block = store.Room();
        mm.GetTensorC(At<float>(part.room, 0), block);
        store.Out(block, part.c, place.row, place.col, place.height, place.width);
    }
    mm.End();
}

/// The same of one asynchronous Iterate.
template <class Product>
__aicore__ inline void CountedBoth(Product& mm, Store& store, const TCubeTiling& t, const Part& part) {
    Operands(mm, t, part);
    mm.SetWorkspace(reinterpret_cast<__gm__ float*>(part.room), t.M * t.N);
    mm.template Iterate<false>();
    EachBlock(t, part, [&](int32_t m, int32_t n, int32_t rows, int32_t columns) {
        LocalTensor<float> block = store.Room();
        mm.template GetTensorC<false>(At<float>(part.c, static_cast<uint64_t>(part.first * t.N)), block);
        store.Out(block, part.c, m, n, rows, columns);
    });
    mm.End();
}

/// The whole product to the unified buffer.
template <class Product>
__aicore__ inline void Whole(Product& mm, Store& store, const TCubeTiling& t, const Part& part) {
    Operands(mm, t, part);
    LocalTensor<float> block = store.Room();
    mm.IterateAll(block);
    store.Out(block, part.c, 0, 0, part.rows, t.N);
    mm.End();
}

/// The first half of K, then the second added to it in L0C.
template <class Product>
__aicore__ inline void Sums(Product& mm, const TCubeTiling& t, const Part& part) {
    const int32_t half_k = t.Ka / 2;
    mm.SetSingleShape(part.rows, t.N, half_k);
    for (int32_t i = 0; i < 2; ++i) {
        mm.SetTensorA(At<half>(part.a, static_cast<uint64_t>(i * half_k)));
        mm.SetTensorB(At<half>(part.b, static_cast<uint64_t>(i * half_k * t.N)));
        mm.Iterate(i != 0);
    }
    mm.GetTensorC(At<float>(part.c, 0));
    mm.End();
}

}  // namespace matmul_forms
