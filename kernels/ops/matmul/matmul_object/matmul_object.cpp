// SPDX-License-Identifier: Apache-2.0
// C = A x B + bias with the high-level Matmul object alone, on cube cores: types, layouts, transposes,
// templates and quantisation as knobs. The tiling comes from the host's tiling class.
#ifdef ASCENDSIM_HOST
#include "kernels/ops/matmul/matmul/matmul_object_host.hpp"

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const matmul_object::MatmulObjectHost host;
    return &host;
}
#else
#define ASCENDC_CUBE_ONLY
#include "kernel_operator.h"
#include "kernels/ops/matmul/matmul/matmul_object_tiling.hpp"
#include "lib/matmul_intf.h"

namespace matmul_object {

using namespace AscendC;

struct Addresses {
    GM_ADDR a;
    GM_ADDR b;
    GM_ADDR bias;
    GM_ADDR scales;
    GM_ADDR c;
};

/// The share of one core: a rectangle of C.
template <typename In,
          typename Out,
          typename Bias,
          CubeFormat format_b,
          CubeFormat format_c,
          const MatmulConfig& config>
class Share {
public:
    __aicore__ inline void Run(const Addresses& at, const Options& options) {
        const TCubeTiling& t = options.tiling;
        TPipe pipe;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm_, &t);
        const int32_t rows = (t.M + t.singleCoreM - 1) / t.singleCoreM;
        const int32_t block = static_cast<int32_t>(GetBlockIdx());
        const int32_t m = block % rows * t.singleCoreM;
        const int32_t n = block / rows * t.singleCoreN;
        if (n >= t.N) {
            return;
        }
        SetOperands(at, options, m, n);
        mm_.SetTail(t.M - m < t.singleCoreM ? t.M - m : t.singleCoreM,
                    t.N - n < t.singleCoreN ? t.N - n : t.singleCoreN);
        GlobalTensor<Out> c;
        c.SetGlobalBuffer(reinterpret_cast<__gm__ Out*>(at.c));
        constexpr int64_t c0 = sizeof(Out) == 1 ? 32 : 16;
        const int64_t height = (t.M + 15) / 16 * 16;
        const int64_t to = format_c == CubeFormat::NZ ? n * height + m * c0 : int64_t{m} * t.N + n;
        if (options.iterate != 0) {
            while (mm_.Iterate()) {
                mm_.GetTensorC(c[static_cast<uint64_t>(to)]);
            }
        } else {
            mm_.IterateAll(c[static_cast<uint64_t>(to)]);
        }
        mm_.End();
    }

private:
    __aicore__ inline void SetOperands(const Addresses& at, const Options& options, int32_t m, int32_t n) {
        const TCubeTiling& t = options.tiling;
        const bool transpose_a = options.transpose_a != 0;
        const bool transpose_b = options.transpose_b != 0;
        constexpr int64_t c0 = 32 / sizeof(In);
        GlobalTensor<In> a;
        GlobalTensor<In> b;
        GlobalTensor<Bias> bias;
        GlobalTensor<uint64_t> scales;
        a.SetGlobalBuffer(reinterpret_cast<__gm__ In*>(at.a));
        b.SetGlobalBuffer(reinterpret_cast<__gm__ In*>(at.b));
        bias.SetGlobalBuffer(reinterpret_cast<__gm__ Bias*>(at.bias));
        scales.SetGlobalBuffer(reinterpret_cast<__gm__ uint64_t*>(at.scales));
        const int64_t column = format_b == CubeFormat::NZ
                                   ? (transpose_b ? n * c0 : int64_t{n} * ((t.Kb + 15) / 16 * 16))
                                   : (transpose_b ? int64_t{n} * t.Kb : n);
        mm_.SetTensorA(a[static_cast<uint64_t>(transpose_a ? m : int64_t{m} * t.Ka)], transpose_a);
        mm_.SetTensorB(b[static_cast<uint64_t>(column)], transpose_b);
        if (t.isBias != 0) {
            mm_.SetBias(bias[static_cast<uint64_t>(n)]);
        }
        if (options.quantise == quantise_scalar) {
            mm_.SetQuantScalar(options.scale);
        } else if (options.quantise == quantise_vector) {
            mm_.SetQuantVector(scales[static_cast<uint64_t>(n)]);
        }
    }

    Matmul<MatmulType<TPosition::GM, CubeFormat::ND, In, true>,
           MatmulType<TPosition::GM, format_b, In, true>,
           MatmulType<TPosition::GM, format_c, Out>,
           MatmulType<TPosition::GM, CubeFormat::ND, Bias>,
           config>
        mm_;
};

template <typename In, typename Out, typename Bias, CubeFormat format_b, CubeFormat format_c>
__aicore__ inline void RunWith(const Addresses& at, const Options& options) {
    if (options.mdl != 0) {
        Share<In, Out, Bias, format_b, format_c, CFG_MDL>().Run(at, options);
    } else {
        Share<In, Out, Bias, format_b, format_c, CFG_NORM>().Run(at, options);
    }
}

}  // namespace matmul_object

extern "C" __global__ __aicore__ void matmul_object_half_float(
    GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR scales, GM_ADDR c, matmul_object::Options options) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    matmul_object::RunWith<half, float, float, CubeFormat::ND, CubeFormat::ND>({a, b, bias, scales, c},
                                                                               options);
}

extern "C" __global__ __aicore__ void matmul_object_half_half(
    GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR scales, GM_ADDR c, matmul_object::Options options) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    matmul_object::RunWith<half, half, half, CubeFormat::ND, CubeFormat::ND>({a, b, bias, scales, c},
                                                                             options);
}

extern "C" __global__ __aicore__ void matmul_object_half_float_nz(
    GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR scales, GM_ADDR c, matmul_object::Options options) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    matmul_object::RunWith<half, float, float, CubeFormat::NZ, CubeFormat::NZ>({a, b, bias, scales, c},
                                                                               options);
}

extern "C" __global__ __aicore__ void matmul_object_bfloat16_bfloat16(
    GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR scales, GM_ADDR c, matmul_object::Options options) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    matmul_object::RunWith<bfloat16_t, bfloat16_t, float, CubeFormat::ND, CubeFormat::ND>(
        {a, b, bias, scales, c}, options);
}

extern "C" __global__ __aicore__ void matmul_object_float_float(
    GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR scales, GM_ADDR c, matmul_object::Options options) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    matmul_object::RunWith<float, float, float, CubeFormat::ND, CubeFormat::ND>({a, b, bias, scales, c},
                                                                                options);
}

extern "C" __global__ __aicore__ void matmul_object_int8_int32(
    GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR scales, GM_ADDR c, matmul_object::Options options) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    matmul_object::RunWith<int8_t, int32_t, int32_t, CubeFormat::ND, CubeFormat::ND>({a, b, bias, scales, c},
                                                                                     options);
}

extern "C" __global__ __aicore__ void matmul_object_int8_half(
    GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR scales, GM_ADDR c, matmul_object::Options options) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    matmul_object::RunWith<int8_t, half, int32_t, CubeFormat::ND, CubeFormat::ND>({a, b, bias, scales, c},
                                                                                  options);
}
#endif
