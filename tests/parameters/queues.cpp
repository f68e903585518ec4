// SPDX-License-Identifier: Apache-2.0
// What of the scalar unit's parameters the kernel framework reads: a TPipe and the operations of a queue.
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void queue_operations() {
    TPipe pipe;
    TQue<QuePosition::VECIN, 2> queue;
    pipe.InitBuffer(queue, 2, 1024);
    for (int i = 0; i < 4; ++i) {
        LocalTensor<half> tensor = queue.AllocTensor<half>();
        queue.EnQue(tensor);
        queue.FreeTensor(queue.DeQue<half>());
    }
}
