// SPDX-License-Identifier: Apache-2.0
// Adds two tensors in tiles through double-buffered queues, and doubles the sum.
#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t TILE = 2048;

class KernelAdd {
public:
    __aicore__ inline KernelAdd() {}

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t n) {
        len = n / GetBlockNum();
        xGm.SetGlobalBuffer((__gm__ half*)x + len * GetBlockIdx(), len);
        yGm.SetGlobalBuffer((__gm__ half*)y + len * GetBlockIdx(), len);
        zGm.SetGlobalBuffer((__gm__ half*)z + len * GetBlockIdx(), len);
        pipe.InitBuffer(inX, 2, TILE * sizeof(half));
        pipe.InitBuffer(inY, 2, TILE * sizeof(half));
        pipe.InitBuffer(outZ, 2, TILE * sizeof(half));
    }

    __aicore__ inline void Process() {
        for (uint32_t i = 0; i < len / TILE; ++i) {
            CopyIn(i);
            Compute(i);
            CopyOut(i);
        }
    }

private:
    __aicore__ inline void CopyIn(uint32_t i) {
        LocalTensor<half> x = inX.AllocTensor<half>();
        LocalTensor<half> y = inY.AllocTensor<half>();
        DataCopy(x, xGm[i * TILE], TILE);
        DataCopy(y, yGm[i * TILE], TILE);
        inX.EnQue(x);
        inY.EnQue(y);
    }

    __aicore__ inline void Compute(uint32_t) {
        LocalTensor<half> x = inX.DeQue<half>();
        LocalTensor<half> y = inY.DeQue<half>();
        LocalTensor<half> z = outZ.AllocTensor<half>();
        Add(z, x, y, TILE);
        Muls(z, z, (half)2.0, TILE);
        outZ.EnQue<half>(z);
        inX.FreeTensor(x);
        inY.FreeTensor(y);
    }

    __aicore__ inline void CopyOut(uint32_t i) {
        LocalTensor<half> z = outZ.DeQue<half>();
        DataCopy(zGm[i * TILE], z, TILE);
        outZ.FreeTensor(z);
    }

    TPipe pipe;
    TQue<QuePosition::VECIN, 2> inX, inY;
    TQue<QuePosition::VECOUT, 2> outZ;
    GlobalTensor<half> xGm, yGm, zGm;
    uint32_t len;
};

extern "C" __global__ __aicore__ void add_custom(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t n) {
    KernelAdd op;
    op.Init(x, y, z, n);
    op.Process();
}
