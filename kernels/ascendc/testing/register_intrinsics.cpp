// SPDX-License-Identifier: Apache-2.0
// Intrinsics whose operands lie in registers: who the core is, lists to merge, rows to transpose, atomics.
#include "kernel_operator.h"

uint32_t get_block_idx();  // as a public header of tiles has it

/// Writes who the core is: by the intrinsics, by the compiler's variables, by the API.
extern "C" __global__ __aicore__ void core_intrinsics(GM_ADDR out) {
    auto* to = (__gm__ int64_t*)out;
    to[0] = get_block_idx();
    to[1] = block_idx;
    to[2] = AscendC::GetBlockIdx();
    to[3] = get_subblockid();
    to[4] = get_subblockdim();
    to[5] = get_block_num();
    to[6] = get_coreid();
}

/// Loads and stores past the data cache, and an atomic sum.
extern "C" __global__ __aicore__ void device_intrinsics(GM_ADDR counters) {
    auto* counter = (__gm__ int32_t*)counters;
    const int32_t first = ld_dev(counter, 0);
    st_dev(first + 10, counter, 1);
    set_st_atomic_cfg(ATOMIC_S32, ATOMIC_SUM);
    dcci(counter, cache_line_t::SINGLE_CACHE_LINE);
    st_atomic<int32_t>(5, counter);
    dcci(counter, cache_line_t::SINGLE_CACHE_LINE);
    dsb(DSB_DDR);
}

namespace {

/// As tile libraries write a call of theirs: the tile is its address.
template <typename Tile>
__tf__ __aicore__ inline void TileSum(Tile __out__ to, Tile __in__ left, Tile __in__ right) {
    auto* sum = (__ubuf__ float*)__cce_get_tile_ptr(to);
    vadd(sum,
         (__ubuf__ float*)__cce_get_tile_ptr(left),
         (__ubuf__ float*)__cce_get_tile_ptr(right),
         1,
         1,
         1,
         1,
         8,
         8,
         8);
}

}  // namespace

/// Sums 64 floats with themselves, and rounds halves to pairs of 4-bit numbers, which have no type.
extern "C" __global__ __aicore__ void tile_intrinsics(GM_ADDR in,
                                                      GM_ADDR halves,
                                                      GM_ADDR out,
                                                      GM_ADDR pairs) {
    auto* x = reinterpret_cast<__ubuf__ float*>(get_imm(0));
    auto* z = reinterpret_cast<__ubuf__ float*>(get_imm(0x100));
    auto* half_row = reinterpret_cast<__ubuf__ half*>(get_imm(0x200));
    auto* packed = reinterpret_cast<__ubuf__ void*>(get_imm(0x300));
    copy_gm_to_ubuf(x, (__gm__ void*)in, 0, 1, 8, 0, 0);
    copy_gm_to_ubuf(half_row, (__gm__ void*)halves, 0, 1, 8, 0, 0);
    pipe_barrier(PIPE_ALL);
    set_vector_mask(~0ULL, ~0ULL);
    TileSum(z, x, x);
    // The other ways to round, of which the last one's result stays, and sums of which nothing is kept.
    vconv_f162s4a(packed, half_row, 1, 1, 1, 2, 8);
    pipe_barrier(PIPE_V);
    vconv_f162s4c(packed, half_row, 1, 1, 1, 2, 8);
    pipe_barrier(PIPE_V);
    vconv_f162s4f(packed, half_row, 1, 1, 1, 2, 8);
    pipe_barrier(PIPE_V);
    vconv_f162s4z(packed, half_row, 1, 1, 1, 2, 8);
    pipe_barrier(PIPE_V);
    vconv_f162s4r(packed, half_row, 1, 1, 1, 2, 8);
    const auto spare = get_imm(0x400);
    auto* bits = reinterpret_cast<__ubuf__ int16_t*>(get_imm(0x200));
    vaddreluconv_f162s8((__ubuf__ int8_t*)spare, half_row, half_row, 1, 1, 1, 1, 4, 8, 8, false);
    vsubreluconv_f162s8((__ubuf__ int8_t*)(spare + 0x80), half_row, half_row, 1, 1, 1, 1, 4, 8, 8, false);
    vaddreluconv_s162s8((__ubuf__ int8_t*)(spare + 0x100), bits, bits, 1, 1, 1, 1, 4, 8, 8, false);
    vsubreluconv_s162s8((__ubuf__ int8_t*)(spare + 0x180), bits, bits, 1, 1, 1, 1, 4, 8, 8, false);
    vaddreluconv_f322f16((__ubuf__ half*)(spare + 0x200), x, x, 1, 1, 1, 1, 4, 8, 8, false);
    vsubreluconv_f322f16((__ubuf__ half*)(spare + 0x280), x, x, 1, 1, 1, 1, 4, 8, 8, false);
    pipe_barrier(PIPE_ALL);
    copy_ubuf_to_gm((__gm__ void*)out, z, 0, 1, 8, 0, 0);
    copy_ubuf_to_gm((__gm__ void*)pairs, packed, 0, 1, 2, 0, 0);
}

/// Sorts four runs of 32 scores, merges them, and writes the merge and how many of each run it took.
extern "C" __global__ __aicore__ void sort_intrinsics(GM_ADDR scores,
                                                      GM_ADDR index,
                                                      GM_ADDR out,
                                                      GM_ADDR taken) {
    auto* score = reinterpret_cast<__ubuf__ float*>(get_imm(0));
    auto* place = reinterpret_cast<__ubuf__ uint32_t*>(get_imm(0x400));
    auto* runs = reinterpret_cast<__ubuf__ float*>(get_imm(0x800));
    auto* merged = reinterpret_cast<__ubuf__ float*>(get_imm(0x1000));
    copy_gm_to_ubuf(score, (__gm__ void*)scores, 0, 1, 16, 0, 0);
    copy_gm_to_ubuf(place, (__gm__ void*)index, 0, 1, 16, 0, 0);
    pipe_barrier(PIPE_ALL);
    vbitsort(runs, score, place, 4);
    pipe_barrier(PIPE_V);
    __ubuf__ float* lists[4]{runs, runs + 64, runs + 128, runs + 192};
    const uint64_t lengths = 32ULL | 32ULL << 16 | 32ULL << 32 | 32ULL << 48;
    vmrgsort4(merged, lists, lengths, 1ULL | 0xfULL << 8);
    pipe_barrier(PIPE_ALL);
    copy_ubuf_to_gm((__gm__ void*)out, merged, 0, 1, 32, 0, 0);
    *(__gm__ uint64_t*)taken = static_cast<uint64_t>(get_vms4_sr());
}

/// Transposes 16 x 16 elements of 16 bits.
extern "C" __global__ __aicore__ void transpose_intrinsics(GM_ADDR in, GM_ADDR out) {
    constexpr uint64_t from = 0x200;
    constexpr uint64_t to = 0x600;
    copy_gm_to_ubuf((__ubuf__ void*)from, (__gm__ void*)in, 0, 1, 16, 0, 0);
    pipe_barrier(PIPE_ALL);
    uint64_t rows[16];
    uint64_t columns[16];
    for (uint64_t i = 0; i < 16; ++i) {
        rows[i] = from + i * 32;
        columns[i] = to + i * 32;
    }
    set_va_reg_sb(VA2, rows);
    set_va_reg_sb(VA3, &rows[8]);
    set_va_reg_sb(VA0, columns);
    set_va_reg_sb(VA1, &columns[8]);
    scatter_vnchwconv_b16(VA0, VA2, 1, 0, 0);
    pipe_barrier(PIPE_ALL);
    copy_ubuf_to_gm((__gm__ void*)out, (__ubuf__ void*)to, 0, 1, 16, 0, 0);
}

/// out = max(out, x), then rows of results: x + 2 y with y in half, x >> 1 rounded, blocks of x in reverse.
extern "C" __global__ __aicore__ void lane_intrinsics(GM_ADDR in, GM_ADDR halves, GM_ADDR most, GM_ADDR out) {
    auto* x = reinterpret_cast<__ubuf__ float*>(get_imm(0));
    auto* y = reinterpret_cast<__ubuf__ half*>(get_imm(0x200));
    auto* z = reinterpret_cast<__ubuf__ float*>(get_imm(0x400));
    auto* whole = reinterpret_cast<__ubuf__ int32_t*>(get_imm(0x600));
    auto* offsets = reinterpret_cast<__ubuf__ uint32_t*>(get_imm(0x800));
    auto* to = (__gm__ float*)out;
    copy_gm_to_ubuf(x, (__gm__ void*)in, 0, 1, 8, 0, 0);
    copy_gm_to_ubuf(y, (__gm__ void*)halves, 0, 1, 4, 0, 0);
    pipe_barrier(PIPE_ALL);
    set_atomic_max();
    set_atomic_f32();
    copy_ubuf_to_gm((__gm__ void*)most, x, 0, 1, 8, 0, 0);
    set_atomic_none();
    set_vector_mask(0, ~0ULL);
    vadds(z, x, 0.0f, 1, 1, 1, 8, 8);
    pipe_barrier(PIPE_V);
    vaxpy(z, y, half(2.0f), 1, 1, 1, 8, 4);
    pipe_barrier(PIPE_ALL);
    copy_ubuf_to_gm(to, z, 0, 1, 8, 0, 0);
    vconv_f322s32r(whole, x, 1, 1, 1, 8, 8);
    pipe_barrier(PIPE_V);
    vshr(whole, whole, 1, 1, 1, 1, 8, 8, true);
    pipe_barrier(PIPE_ALL);
    copy_ubuf_to_gm(to + 64, whole, 0, 1, 8, 0, 0);
    const AscendC::LocalTensor<uint32_t> list(AscendC::TPosition::VECCALC, 0x800, 8);
    for (uint32_t i = 0; i < 8; ++i) {
        list.SetValue(i, (7 - i) * 32);
    }
    pipe_barrier(PIPE_ALL);
    vgatherb(z, offsets, 0, 8, 1, 1);
    pipe_barrier(PIPE_ALL);
    copy_ubuf_to_gm(to + 128, z, 0, 1, 8, 0, 0);
}

/// The largest of 128 elements and its place, as the register keeps them.
extern "C" __global__ __aicore__ void extreme_calls(GM_ADDR in, GM_ADDR out) {
    AscendC::LocalTensor<float> x(AscendC::TPosition::VECCALC, 0, 128);
    AscendC::LocalTensor<float> z(AscendC::TPosition::VECCALC, 0x400, 16);
    copy_gm_to_ubuf((__ubuf__ void*)x.GetPhyAddr(), (__gm__ void*)in, 0, 1, 16, 0, 0);
    pipe_barrier(PIPE_ALL);
    AscendC::WholeReduceMax<float>(z, x, 64, 2, 1, 1, 8);
    pipe_barrier(PIPE_ALL);
    AscendC::GetReduceMaxMinCount(((float*)out)[0], ((float*)out)[1]);
}
