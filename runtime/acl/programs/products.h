// SPDX-License-Identifier: Apache-2.0
// Products of half matrices for host programs: C[m, n] = A[m, k] x B[k, n], each operand as it is or
// transposed.
#pragma once

#define ASCENDC_CUBE_ONLY
#include "kernel_operator.h"
#include "lib/matmul_intf.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"

struct Product {
    TCubeTiling tiling;
    int32_t transpose_a;
    int32_t transpose_b;
};

/// Each core has a rectangle of C.
__global__ __cube__ void product(GM_ADDR a, GM_ADDR b, GM_ADDR c, Product of) {
    using namespace AscendC;
    using Operand = MatmulType<TPosition::GM, CubeFormat::ND, half, true>;
    using Result = MatmulType<TPosition::GM, CubeFormat::ND, half>;
    const TCubeTiling& t = of.tiling;
    TPipe pipe;
    Matmul<Operand, Operand, Result> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
    const int32_t rows = (t.M + t.singleCoreM - 1) / t.singleCoreM;
    const auto block = static_cast<int32_t>(GetBlockIdx());
    const int32_t m = block % rows * t.singleCoreM;
    const int32_t n = block / rows * t.singleCoreN;
    if (n >= t.N) {
        return;
    }
    GlobalTensor<half> ga;
    GlobalTensor<half> gb;
    GlobalTensor<half> gc;
    ga.SetGlobalBuffer((__gm__ half*)a);
    gb.SetGlobalBuffer((__gm__ half*)b);
    gc.SetGlobalBuffer((__gm__ half*)c);
    mm.SetTensorA(ga[of.transpose_a != 0 ? m : m * t.Ka], of.transpose_a != 0);
    mm.SetTensorB(gb[of.transpose_b != 0 ? n * t.Kb : n], of.transpose_b != 0);
    mm.SetTail(t.M - m < t.singleCoreM ? t.M - m : t.singleCoreM,
               t.N - n < t.singleCoreN ? t.N - n : t.singleCoreN);
    mm.IterateAll(gc[m * t.N + n]);
    mm.End();
}

/// How the chip's cores share a product.
inline Product share(int32_t m, int32_t n, int32_t k, bool transpose_a, bool transpose_b) {
    using matmul_tiling::CubeFormat;
    using matmul_tiling::DataType;
    using matmul_tiling::TPosition;
    auto* platform = platform_ascendc::PlatformAscendCManager::GetInstance();
    matmul_tiling::MultiCoreMatmulTiling choice{*platform};
    choice.SetDim(static_cast<int32_t>(platform->GetCoreNumAic()));
    choice.SetAType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16, transpose_a);
    choice.SetBType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16, transpose_b);
    choice.SetCType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
    choice.SetShape(m, n, k);
    choice.SetOrgShape(m, n, k);
    choice.EnableBias(false);
    Product result{{}, transpose_a ? 1 : 0, transpose_b ? 1 : 0};
    choice.GetTiling(result.tiling);
    return result;
}

/// Puts the product on a stream.
inline void multiply(const Product& of, void* a, void* b, void* c, aclrtStream stream) {
    const auto blocks = static_cast<uint32_t>(of.tiling.usedCoreNum);
    product<<<blocks, nullptr, stream>>>((uint8_t*)a, (uint8_t*)b, (uint8_t*)c, of);
}
