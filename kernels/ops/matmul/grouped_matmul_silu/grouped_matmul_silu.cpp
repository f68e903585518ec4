// SPDX-License-Identifier: Apache-2.0
// SiLU(A x B[g] + bias[g]) for groups of rows, each with a matrix of its own, as experts have: `ends` says
// where each group's rows end. Tiles of rows go round the vector cores, whose cube core multiplies; groups
// may be empty.
#ifdef ASCENDSIM_HOST
#include "kernels/ops/matmul/grouped_matmul_silu/grouped_matmul_silu_host.hpp"

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const grouped_matmul_silu::GroupedMatmulSiluHost host;
    return &host;
}
#else
#include "kernel_operator.h"
#include "kernels/ops/matmul/grouped_matmul_silu/grouped_matmul_silu_tiling.hpp"
#include "lib/matmul_intf.h"

namespace grouped_matmul_silu {

using namespace AscendC;

using Half = MatmulType<TPosition::GM, CubeFormat::ND, half>;
using Bias = MatmulType<TPosition::GM, CubeFormat::ND, float>;
using InUb = MatmulType<TPosition::VECIN, CubeFormat::ND, float>;
using Product = Matmul<Half, Half, InUb, Bias>;

struct Addresses {
    GM_ADDR a;
    GM_ADDR b;
    GM_ADDR bias;
    GM_ADDR ends;
    GM_ADDR c;
};

class Groups {
public:
    __aicore__ inline Groups(TPipe& pipe, Product& product, const Options& options, const Addresses& at)
        : product_(product), options_(options), tiling_(options.product) {
        a_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(at.a));
        b_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(at.b));
        bias_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(at.bias));
        ends_.SetGlobalBuffer(reinterpret_cast<__gm__ int64_t*>(at.ends), options.groups);
        c_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(at.c));
        const auto elements = static_cast<uint32_t>(tiling_.baseM * tiling_.baseN);
        pipe.InitBuffer(in_, 2, elements * sizeof(float));
        pipe.InitBuffer(out_, 2, elements * sizeof(float));
    }

    __aicore__ inline void Process() {
        int64_t row = 0;
        int32_t turn = 0;
        for (int32_t group = 0; group < options_.groups; ++group) {
            const int64_t end = ends_.GetValue(group);
            for (; row < end; row += tiling_.baseM) {
                if (turn == static_cast<int32_t>(GetBlockIdx())) {
                    Tile(group,
                         row,
                         end - row < tiling_.baseM ? static_cast<int32_t>(end - row) : tiling_.baseM);
                }
                turn = turn + 1 == options_.cores ? 0 : turn + 1;
            }
            row = end;
        }
    }

private:
    // (rows, k) x (k, n) -> (rows, n), base block after base block from the left
    __aicore__ inline void Tile(int32_t group, int64_t row, int32_t rows) {
        product_.SetTail(rows, tiling_.N);
        product_.SetTensorA(a_[row * tiling_.Ka]);
        product_.SetTensorB(b_[static_cast<int64_t>(group) * tiling_.Kb * tiling_.N]);
        product_.SetBias(bias_[static_cast<int64_t>(group) * tiling_.N]);
        for (int32_t column = 0; product_.Iterate(); column += tiling_.baseN) {
            const int32_t rest = tiling_.N - column;
            Epilogue(row, column, rows, rest < tiling_.baseN ? rest : tiling_.baseN);
        }
    }

    __aicore__ inline void Epilogue(int64_t row, int32_t column, int32_t rows, int32_t columns) {
        LocalTensor<float> in = in_.AllocTensor<float>();
        product_.GetTensorC(in, 0, true);
        in_.EnQue(in);
        in = in_.DeQue<float>();
        const int32_t wide = (columns + 7) / 8 * 8;  // rows arrive padded to 32 bytes
        LocalTensor<float> out = out_.AllocTensor<float>();
        Silu(out, in, static_cast<uint32_t>(rows * wide));
        in_.FreeTensor(in);
        out_.EnQue(out);
        out = out_.DeQue<float>();
        DataCopyPad(c_[row * tiling_.N + column],
                    out,
                    DataCopyExtParams(static_cast<uint16_t>(rows),
                                      static_cast<uint32_t>(columns * sizeof(float)),
                                      0,
                                      static_cast<uint32_t>((tiling_.N - columns) * sizeof(float)),
                                      0));
        out_.FreeTensor(out);
    }

    Product& product_;
    const Options& options_;
    const TCubeTiling& tiling_;
    GlobalTensor<half> a_;
    GlobalTensor<half> b_;
    GlobalTensor<float> bias_;
    GlobalTensor<int64_t> ends_;
    GlobalTensor<float> c_;
    TQue<TPosition::VECIN, 1> in_;
    TQue<TPosition::VECOUT, 1> out_;
};

}  // namespace grouped_matmul_silu

extern "C" __global__ __aicore__ void grouped_silu(
    GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR ends, GM_ADDR c, grouped_matmul_silu::Options options) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    AscendC::TPipe pipe;
    grouped_matmul_silu::Product product;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product, &options.product);
    grouped_matmul_silu::Groups groups(pipe, product, options, {a, b, bias, ends, c});
    groups.Process();
    product.End();
}
#endif
