// SPDX-License-Identifier: Apache-2.0
// Intrinsics of the cube core whose operands are packed into registers.
#include "kernel_operator.h"

namespace {

constexpr uint64_t rows = 4;     // of the feature map
constexpr uint64_t columns = 8;  // of it

}  // namespace

/// Positions 0 to 31 under a filter of 2 x 2, from a map of 4 x 8 positions and 16 channels.
extern "C" __global__ __aicore__ void window_intrinsics() {
    auto* map = reinterpret_cast<__cbuf__ half*>(get_imm(0));
    auto* left = reinterpret_cast<__ca__ half*>(get_imm(0));
    set_fmatrix(columns | rows << 16);
    set_l3d_rpt(1ULL << 16);
    set_padding(half(-1.0f));
    img2colv2_cbuf_to_ca(left, map, 64, 32, 0, 0, 1, 1, 2, 2, 1, 1, false, false, false, false, 16);
}

/// The same through the API, whose two registers are one.
extern "C" __global__ __aicore__ void window_calls() {
    const uint8_t none[4]{};
    AscendC::SetFmatrix(rows, columns, none, AscendC::FmatrixMode::FMATRIX_LEFT);
    auto* map = reinterpret_cast<__cbuf__ half*>(get_imm(0));
    auto* left = reinterpret_cast<__ca__ half*>(get_imm(0));
    set_padding(half(-1.0f));
    img2colv2_cbuf_to_ca(left, map, 64, 32, 0, 0, 1, 1, 2, 2, 1, 1, false, false, false, false, 16);
}

/// 16 x 16 results to rows of 24 in global memory, operands in two registers.
extern "C" __global__ __aicore__ void store_intrinsics(GM_ADDR out) {
    auto* sums = reinterpret_cast<__cc__ float*>(get_imm(0));
    const uint64_t shape = 16ULL << 4 | 16ULL << 16 | 24ULL << 32;
    const uint64_t control = 16ULL | 1ULL << 43;
    set_nd_para(1);
    copy_matrix_cc_to_gm((__gm__ float*)out, sums, shape, control);
}
