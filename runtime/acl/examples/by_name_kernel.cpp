// SPDX-License-Identifier: Apache-2.0
// x *= factor, each block its share.
#include "kernel_operator.h"

extern "C" __global__ __aicore__ void scale_vector(GM_ADDR x, uint32_t n, float factor) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    const uint32_t each = n / AscendC::GetBlockNum();
    AscendC::TPipe pipe;
    AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, each * sizeof(float));
    AscendC::GlobalTensor<float> gx;
    gx.SetGlobalBuffer((__gm__ float*)x + each * AscendC::GetBlockIdx(), each);
    auto ux = queue.AllocTensor<float>();
    AscendC::DataCopy(ux, gx, each);
    const auto loaded = GetTPipePtr()->FetchEventID(AscendC::HardEvent::MTE2_V);
    AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(loaded);
    AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(loaded);
    AscendC::Muls(ux, ux, factor, each);
    const auto scaled = GetTPipePtr()->FetchEventID(AscendC::HardEvent::V_MTE3);
    AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(scaled);
    AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(scaled);
    AscendC::DataCopy(gx, ux, each);
    queue.FreeTensor(ux);
}
