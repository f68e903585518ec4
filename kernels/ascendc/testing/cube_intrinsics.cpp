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

namespace {

constexpr uint16_t inner = 32;  // of (16, 32) x (32, 16)

/// Where operands and results lie: in L1, and in each table at 0.
struct Place {
    __cbuf__ half* left = reinterpret_cast<__cbuf__ half*>(get_imm(0));
    __cbuf__ half* right = reinterpret_cast<__cbuf__ half*>(get_imm(0x1000));
    __cbuf__ float* bias = reinterpret_cast<__cbuf__ float*>(get_imm(0x2000));
    __cbuf__ uint64_t* scales = reinterpret_cast<__cbuf__ uint64_t*>(get_imm(0x2100));
    __cbuf__ half* result = reinterpret_cast<__cbuf__ half*>(get_imm(0x3000));
    __cbuf__ half* filled = reinterpret_cast<__cbuf__ half*>(get_imm(0x4000));
    __ca__ half* l0a = reinterpret_cast<__ca__ half*>(get_imm(0));
    __cb__ half* l0b = reinterpret_cast<__cb__ half*>(get_imm(0));
    __cc__ float* l0c = reinterpret_cast<__cc__ float*>(get_imm(0));
};

/// (16, 32) and (32, 16) of halves, rows by rows -> L1, columns of blocks.
__aicore__ inline void LoadOperands(const Place& at, GM_ADDR left, GM_ADDR right) {
    copy_gm_to_cbuf_multi_nd2nz_b16(at.left, (__gm__ half*)left, 0, 1, 16, inner, 0, inner, 16, 1, 0);
    copy_gm_to_cbuf_multi_nd2nz_b16(at.right, (__gm__ half*)right, 0, 1, inner, 16, 0, 16, inner, 1, 0);
    pipe_barrier(PIPE_ALL);
}

/// L0C, rows of 16 -> rows of `out`.
template <typename T>
__aicore__ inline void StoreRows(const Place& at, __gm__ T* out, QuantMode_t quant, uint8_t relu) {
    pipe_barrier(PIPE_ALL);
    set_nd_para(1);
    copy_matrix_cc_to_gm(out, at.l0c, 0, 16, 16, 16, 16, 0, quant, relu, false, true);
    pipe_barrier(PIPE_ALL);
}

}  // namespace

/// Products by plain loads, by transposing ones, on top of a bias, and on top of the last result.
extern "C" __global__ __aicore__ void product_intrinsics(GM_ADDR left,
                                                         GM_ADDR right,
                                                         GM_ADDR bias,
                                                         GM_ADDR out) {
    const Place at;
    LoadOperands(at, left, right);
    copy_gm_to_cbuf(at.bias, (__gm__ void*)bias, 0, 1, 2, 0, 0);
    pipe_barrier(PIPE_ALL);
    copy_cbuf_to_bt(reinterpret_cast<float*>(get_imm(0)), at.bias, 0, 1, 1, 0, 0);
    load_cbuf_to_ca(at.l0a, at.left, 0, 2, 1, 0, 0, false);
    load_cbuf_to_cb(at.l0b, at.right, 0, 2, 1, 0, 0, true);
    pipe_barrier(PIPE_ALL);
    auto* to = (__gm__ float*)out;
    mad(at.l0c, at.l0a, at.l0b, 16, inner, 16, 0, false, false, true);
    StoreRows(at, to, QuantMode_t::NoQuant, 0);
    load_cbuf_to_cb_transpose(at.l0b, at.right, 0, 2, 1, 0, inc, 0);
    pipe_barrier(PIPE_ALL);
    mad(at.l0c, at.l0a, at.l0b, get_imm(0), 16, inner, 16, 0, false, true, false);
    StoreRows(at, to + 256, QuantMode_t::NoQuant, 0);
    mad(at.l0c, at.l0a, at.l0b, 16, inner, 16, false);
    StoreRows(at, to + 512, QuantMode_t::NoQuant, 1);
    // The left operand from its transpose: `right` transposed, times `right`.
    load_cbuf_to_ca_transpose(at.l0a, at.right, 0, 2, 1, 0, inc, 0);
    pipe_barrier(PIPE_ALL);
    mad(at.l0c, at.l0a, at.l0b, 16, inner, 16, true);
    StoreRows(at, to + 768, QuantMode_t::NoQuant, 0);
}

/// Results through one scale, through a scale for each column, and to L1; a part of L1 filled.
extern "C" __global__ __aicore__ void table_stores(GM_ADDR sums, GM_ADDR scales, GM_ADDR out) {
    const Place at;
    auto* to = (__gm__ int8_t*)out;
    copy_gm_to_cbuf(at.scales, (__gm__ void*)scales, 0, 1, 4, 0, 0);
    pipe_barrier(PIPE_ALL);
    set_quant_pre(*(__gm__ uint64_t*)sums);
    StoreRows(at, to, QuantMode_t::QF322B8_PRE, 0);
    // Bits 8 to 15 of the register: the table at 1 times 128 bytes.
    copy_cbuf_to_fbuf(reinterpret_cast<uint64_t*>(get_imm(128)), at.scales, 1, 1, 0, 0);
    set_fpc(1ULL << 8);
    StoreRows(at, to + 256, QuantMode_t::VQF322B8_PRE, 0);
    copy_matrix_cc_to_cbuf(at.result, at.l0c, 0, 16, 16, 16, 16, 0, uint64_t{F322F16}, 0, false, false);
    // Two runs of one block, a block apart.
    create_cbuf_matrix(at.filled, 2ULL | 1ULL << 16 | 1ULL << 32, half(3.0f));
    pipe_barrier(PIPE_ALL);
}

/// The windows of window_intrinsics as the right operand, by the right map's register.
extern "C" __global__ __aicore__ void right_window_intrinsics() {
    auto* map = reinterpret_cast<__cbuf__ half*>(get_imm(0));
    auto* right = reinterpret_cast<__cb__ half*>(get_imm(0));
    set_fmatrix(0);
    set_fmatrix_b(columns | rows << 16);
    set_padding(half(-1.0f));
    img2colv2_cbuf_to_cb(right, map, 64, 32, 0, 0, 1, 1, 2, 2, 1, 1, false, false, false, true, 16);
}

/// A matrix of 40 bytes, halves or floats in a row -> blocks of 32 bytes.
extern "C" __global__ __aicore__ void nd2nz_intrinsics(GM_ADDR in) {
    copy_gm_to_cbuf_multi_nd2nz_b8(
        reinterpret_cast<__cbuf__ int8_t*>(get_imm(0)), (__gm__ int8_t*)in, 0, 1, 4, 40, 0, 48, 16, 1, 0);
    copy_gm_to_cbuf_multi_nd2nz_b32s(
        reinterpret_cast<__cbuf__ float*>(get_imm(0x1000)), (__gm__ float*)in, 0, 1, 4, 10, 0, 12, 16, 1, 0);
}

/// Two runs of a block, a block apart in L1, side by side to global memory; L1 filled before.
extern "C" __global__ __aicore__ void l1_store_intrinsics(GM_ADDR out) {
    auto* filled = reinterpret_cast<__cbuf__ bfloat16_t*>(get_imm(0));
    create_cbuf_matrix_bf16(filled, 1ULL | 4ULL << 16, bfloat16_t(2.0f));
    create_cbuf_matrix_bf16(filled + 32, 1ULL | 1ULL << 16, bfloat16_t(7.0f));
    // The bits of 3 as a float.
    create_cbuf_matrix(reinterpret_cast<__cbuf__ float*>(get_imm(0x1000)), 1ULL | 1ULL << 16, 0x40400000U);
    pipe_barrier(PIPE_ALL);
    copy_cbuf_to_gm((__gm__ void*)out, filled, 0, 2, 1, 1, 0);
}
