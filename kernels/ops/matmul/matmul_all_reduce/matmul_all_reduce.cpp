// SPDX-License-Identifier: Apache-2.0
// C = A x B, summed over all ranks, of which each has its share of K. The rows come in turns: when all cores
// have written those of one, the communication server adds them up, while the cores multiply on.
#ifdef ASCENDSIM_HOST
#include "kernels/ops/matmul/matmul_all_reduce/matmul_all_reduce_host.hpp"

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const matmul_all_reduce::MatmulAllReduceHost host;
    return &host;
}
#else
#define ASCENDC_CUBE_ONLY
#include "adv_api/hccl/hccl.h"
#include "kernel_operator.h"
#include "kernels/ops/matmul/matmul_all_reduce/matmul_all_reduce_tiling.hpp"
#include "lib/matmul_intf.h"

namespace matmul_all_reduce {

using namespace AscendC;

class Turns {
public:
    __aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR product, GM_ADDR y, const Tiling& tiling) {
        REGIST_MATMUL_OBJ(&pipe_, GetSysWorkSpacePtr(), matmul_, &tiling.part);
        a_ = a;
        b_ = b;
        product_ = tiling.communicates != 0 ? product : y;
        y_ = y;
        if (tiling.communicates != 0) {
            hccl_.InitV2(GetHcclContext<HCCL_GROUP_ID_0>(), &tiling);
            ready_ = hccl_.SetCcTilingV2(offsetof(Tiling, all_reduce)) == HCCL_SUCCESS;
            if (ready_) {
                handle_ = Prepare(0, tiling.part.M, tiling.part.N, tiling.turns);
            }
            if (ready_ && tiling.rest != 0) {
                rest_ = Prepare(tiling.turns * tiling.part.M, tiling.rest, tiling.part.N, 1);
            }
        }
    }

    __aicore__ inline void Run(const Tiling& tiling) {
        for (uint32_t turn = 0; turn < tiling.turns; ++turn) {
            Multiply(static_cast<int64_t>(turn) * tiling.part.M, tiling.part.M, tiling.part);
            Hand(handle_);
        }
        if (tiling.rest != 0) {
            Multiply(static_cast<int64_t>(tiling.turns) * tiling.part.M,
                     static_cast<int32_t>(tiling.rest),
                     tiling.part);
            Hand(rest_);
        }
        matmul_.End();
        if (ready_) {
            for (uint32_t turn = 0; turn < tiling.turns; ++turn) {
                hccl_.Wait(handle_);
            }
            if (tiling.rest != 0) {
                hccl_.Wait(rest_);
            }
            Meet();
            hccl_.Finalize();
        }
    }

private:
    static constexpr uint16_t flag = 6;

    /// Rounds of `rows` rows each, from row `first` on.
    __aicore__ inline HcclHandle Prepare(int32_t first, int32_t rows, int32_t columns, uint32_t rounds) {
        const uint64_t offset = static_cast<uint64_t>(first) * columns * sizeof(half);
        return hccl_.AllReduce<false>(product_ + offset,
                                      y_ + offset,
                                      static_cast<uint64_t>(rows) * columns,
                                      HCCL_DATA_TYPE_FP16,
                                      HCCL_REDUCE_SUM,
                                      static_cast<uint8_t>(rounds));
    }

    /// This core's share of the `rows` rows of one turn, which begin at `row`.
    __aicore__ inline void Multiply(int64_t row, int32_t rows, const TCubeTiling& t) {
        const int32_t down = (t.M + t.singleCoreM - 1) / t.singleCoreM;
        const int32_t block = static_cast<int32_t>(GetBlockIdx());
        const int32_t m = block % down * t.singleCoreM;
        const int32_t n = block / down * t.singleCoreN;
        if (n >= t.N || m >= rows) {
            return;
        }
        GlobalTensor<half> a;
        GlobalTensor<half> b;
        GlobalTensor<half> c;
        a.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(a_));
        b.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(b_));
        c.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(product_));
        matmul_.SetTensorA(a[static_cast<uint64_t>((row + m) * t.Ka)]);
        matmul_.SetTensorB(b[static_cast<uint64_t>(n)]);
        matmul_.SetTail(rows - m < t.singleCoreM ? rows - m : t.singleCoreM,
                        t.N - n < t.singleCoreN ? t.N - n : t.singleCoreN);
        matmul_.IterateAll(c[static_cast<uint64_t>((row + m) * t.N + n)]);
    }

    /// The server may add up what all cores have written.
    __aicore__ inline void Hand(HcclHandle handle) {
        if (ready_) {
            Meet();
            hccl_.Commit(handle);
        }
    }

    __aicore__ inline void Meet() {
        CrossCoreSetFlag<0, PIPE_FIX>(flag);
        CrossCoreWaitFlag(flag);
    }

    TPipe pipe_;
    Matmul<MatmulType<TPosition::GM, CubeFormat::ND, half>,
           MatmulType<TPosition::GM, CubeFormat::ND, half>,
           MatmulType<TPosition::GM, CubeFormat::ND, half>>
        matmul_;
    Hccl<HCCL_SERVER_TYPE_AICPU> hccl_;
    GM_ADDR a_ = nullptr;
    GM_ADDR b_ = nullptr;
    GM_ADDR product_ = nullptr;
    GM_ADDR y_ = nullptr;
    HcclHandle handle_ = INVALID_HANDLE_ID;
    HcclHandle rest_ = INVALID_HANDLE_ID;
    bool ready_ = false;
};

}  // namespace matmul_all_reduce

extern "C" __global__ __aicore__ void matmul_all_reduce_half(
    GM_ADDR a, GM_ADDR b, GM_ADDR product, GM_ADDR y, matmul_all_reduce::Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    matmul_all_reduce::Turns turns;
    turns.Init(a, b, product, y, tiling);
    turns.Run(tiling);
}
#endif
