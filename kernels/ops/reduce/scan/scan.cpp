// SPDX-License-Identifier: Apache-2.0
// Running sums along rows, on the cube: a chunk of 64 columns times a triangle of ones holds the running sums
// within the chunk; a vector core adds what the chunks before it came to. The scheme is that of published
// scans on matrix units (Dakkak and others, "Accelerating reduction and scan using tensor core units", ICS
// 2019).
#ifdef ASCENDSIM_HOST
#include "kernels/ops/reduce/scan/scan_host.hpp"

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const scan::ScanHost host;
    return &host;
}
#else
#include "kernel_operator.h"
#include "kernels/ops/reduce/scan/scan_tiling.hpp"
#include "lib/matmul_intf.h"

namespace scan {

using namespace AscendC;

using Half = MatmulType<TPosition::GM, CubeFormat::ND, half>;
using InUb = MatmulType<TPosition::VECIN, CubeFormat::ND, float>;
using Product = Matmul<Half, Half, InUb>;

/// The rows of one vector core, up to 64 at a time, chunk after chunk from the left.
class Rows {
public:
    __aicore__ inline Rows(
        TPipe& pipe, Product& product, const Options& options, GM_ADDR x, GM_ADDR ones, GM_ADDR y)
        : product_(product), options_(options) {
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x));
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y));
        ones_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(ones));
        pipe.InitBuffer(in_, 2, side * side * sizeof(float));
        pipe.InitBuffer(out_, 2, side * side * sizeof(float));
        pipe.InitBuffer(carry_, side * sizeof(float));
        pipe.InitBuffer(spread_, side * 32);
        pipe.InitBuffer(last_, side * sizeof(int32_t));
        // The place of each row's last element in a whole chunk.
        ArithProgression(last_.Get<int32_t>(),
                         static_cast<int32_t>((side - 1) * sizeof(float)),
                         static_cast<int32_t>(side * sizeof(float)),
                         side);
    }

    __aicore__ inline void Process() {
        const int32_t first = static_cast<int32_t>(GetBlockIdx()) * options_.share;
        const int32_t end = first + options_.share < options_.rows ? first + options_.share : options_.rows;
        for (int32_t row = first; row < end; row += side) {
            const int32_t rows = end - row < side ? end - row : side;
            Duplicate(carry_.Get<float>(), 0.0F, side);
            PipeBarrier<PIPE_V>();
            for (int32_t column = 0; column < options_.columns; column += side) {
                const int32_t rest = options_.columns - column;
                Chunk(row, column, rows, rest < side ? rest : side);
            }
        }
    }

private:
    __aicore__ inline void Chunk(int32_t row, int32_t column, int32_t rows, int32_t columns) {
        const uint64_t at = static_cast<uint64_t>(row) * options_.columns + column;
        LocalTensor<float> sums = in_.AllocTensor<float>();
        product_.SetOrgShape(options_.rows, side, options_.columns, side);
        product_.SetTail(rows, columns, columns);
        product_.SetTensorA(x_[at]);
        product_.SetTensorB(ones_);
        product_.Iterate();
        product_.GetTensorC(sums, 0, true);
        in_.EnQue(sums);
        sums = in_.DeQue<float>();
        const int32_t wide = (columns + 7) / 8 * 8;  // rows arrive padded to 32 bytes
        const auto blocks = static_cast<uint8_t>(wide / 8);
        LocalTensor<float> out = out_.AllocTensor<float>();
        LocalTensor<float> carry = carry_.Get<float>();
        LocalTensor<float> spread = spread_.Get<float>();
        // (rows) -> (rows, 8): one block of equal values for each row, which its whole row adds
        Brcb(spread, carry, static_cast<uint8_t>((rows + 7) / 8), {1, 8});
        PipeBarrier<PIPE_V>();
        Add(out,
            sums,
            spread,
            static_cast<uint64_t>(wide),
            static_cast<uint8_t>(rows),
            {1, 1, 0, blocks, blocks, 1});
        PipeBarrier<PIPE_V>();
        if (columns == side) {
            Gather(carry, out, last_.Get<uint32_t>(), 0, static_cast<uint32_t>(rows));
            PipeBarrier<PIPE_V>();
        }
        in_.FreeTensor(sums);
        out_.EnQue(out);
        out = out_.DeQue<float>();
        DataCopyPad(y_[at],
                    out,
                    DataCopyExtParams(static_cast<uint16_t>(rows),
                                      static_cast<uint32_t>(columns * sizeof(float)),
                                      0,
                                      static_cast<uint32_t>((options_.columns - columns) * sizeof(float)),
                                      0));
        out_.FreeTensor(out);
    }

    Product& product_;
    const Options& options_;
    GlobalTensor<half> x_;
    GlobalTensor<half> ones_;
    GlobalTensor<float> y_;
    TQue<TPosition::VECIN, 1> in_;
    TQue<TPosition::VECOUT, 1> out_;
    TBuf<TPosition::VECCALC> carry_;
    TBuf<TPosition::VECCALC> spread_;
    TBuf<TPosition::VECCALC> last_;
};

}  // namespace scan

extern "C" __global__ __aicore__ void scan_rows(GM_ADDR x, GM_ADDR ones, GM_ADDR y, scan::Options options) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    AscendC::TPipe pipe;
    scan::Product product;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product, &options.product);
    scan::Rows rows(pipe, product, options, x, ones, y);
    rows.Process();
    product.End();
}
#endif
