// SPDX-License-Identifier: Apache-2.0
// Policies as kernels write their own: a choice between two by an enumerator, and one with a module of its
// own that brings A to L1 by way of what other modules keep.
#pragma once

#include "kernel_operator.h"
#include "lib/matmul_intf.h"

namespace matmul_forms {

using namespace AscendC;

template <typename IMPL, class INPUT_TYPE, const auto& MM_CFG>
class KeptTile {
public:
    int32_t rows = 0;
    LocalTensor<typename INPUT_TYPE::TRANS_T> tile;
};

template <typename IMPL, class INPUT_TYPE, const auto& MM_CFG>
class CopyKeptTile {
    MATMUL_USE_MODULE(Context);
    MATMUL_USE_MODULE_ON(CubeInBuffer, INPUT_TYPE::TAG);
    MATMUL_USE_MODULE_ON(DataCopyUtils, INPUT_TYPE::TAG);
    using Tile = LocalTensor<typename INPUT_TYPE::TRANS_T>;

public:
    __aicore__ inline Tile LoadData(int32_t row, int32_t column, int32_t height, int32_t width) {
        if constexpr (INPUT_TYPE::TAG == InputTypeTag::A) {
            if (MATMUL_MODULE(Context)->rows < height) {
                MATMUL_MODULE(Context)->tile = MATMUL_MODULE(CubeInBuffer)->AllocTensor(row);
                MATMUL_MODULE(Context)->rows = height;
            }
        }
        Tile tile = MATMUL_MODULE(Context)->tile;
        MATMUL_MODULE(DataCopyUtils)->CopyTileToCube(tile, row, column, height, width);
        return tile;
    }
};

template <const auto& MM_CFG,
          typename IMPL,
          typename A_TYPE,
          typename B_TYPE,
          typename C_TYPE,
          typename BIAS_TYPE>
class KeepingPolicy
    : public AscendC::Impl::Detail::MatmulPolicy<MM_CFG, IMPL, A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE> {
public:
    using Context = KeptTile<IMPL, MatmulInputAType<A_TYPE, typename A_TYPE::T>, MM_CFG>;
    using CopyCubeInA = CopyKeptTile<IMPL, MatmulInputAType<A_TYPE, typename A_TYPE::T>, MM_CFG>;
};

enum class PolicyKind { upper, keeping };

template <PolicyKind kind>
struct PolicyChoice {
    template <const auto& MM_CFG,
              typename IMPL,
              typename A_TYPE,
              typename B_TYPE,
              typename C_TYPE,
              typename BIAS_TYPE>
    struct Result
        : AscendC::Impl::Detail::TrianUpperMatmulPolicy<MM_CFG, IMPL, A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE> {};
};

template <>
struct PolicyChoice<PolicyKind::keeping> {
    template <const auto& MM_CFG,
              typename IMPL,
              typename A_TYPE,
              typename B_TYPE,
              typename C_TYPE,
              typename BIAS_TYPE>
    struct Result : KeepingPolicy<MM_CFG, IMPL, A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE> {};
};

}  // namespace matmul_forms
