// SPDX-License-Identifier: Apache-2.0
// Intrinsics that work through the state of a core: masks, flags, atomic writes, control registers, padding.
#include "kernel_operator.h"

namespace {

template <typename T>
__aicore__ inline __ubuf__ T* At(uint64_t offset) {
    return reinterpret_cast<__ubuf__ T*>(get_imm(offset));
}

template <typename T>
__aicore__ inline void AddOnto(GM_ADDR row, void (*element)()) {
    set_atomic_add();
    element();
    copy_ubuf_to_gm((__gm__ void*)row, At<void>(0), 0, 1, 1, 0, 0);
    set_atomic_none();
}

}  // namespace

/// Adds block 0 of `in` onto a block of `out` for each type, then takes the least of floats.
extern "C" __global__ __aicore__ void atomic_intrinsics(GM_ADDR in, GM_ADDR out) {
    copy_gm_to_ubuf(At<void>(0), (__gm__ void*)in, 0, 1, 1, 0, 0);
    pipe_barrier(PIPE_ALL);
    AddOnto<float>(out, set_atomic_f32);
    AddOnto<half>(out + 32, set_atomic_f16);
    AddOnto<bfloat16_t>(out + 64, set_atomic_bf16);
    AddOnto<int32_t>(out + 96, set_atomic_s32);
    AddOnto<int16_t>(out + 128, set_atomic_s16);
    AddOnto<int8_t>(out + 160, set_atomic_s8);
    set_atomic_min();
    set_atomic_f32();
    copy_ubuf_to_gm((__gm__ void*)(out + 192), At<void>(0), 0, 1, 1, 0, 0);
    set_atomic_none();
}

/// x + 1 in 100 lanes counted, then in the lanes of a mask of bits.
extern "C" __global__ __aicore__ void mask_intrinsics(GM_ADDR in, GM_ADDR out) {
    copy_gm_to_ubuf(At<void>(0), (__gm__ void*)in, 0, 1, 16, 0, 0);
    copy_gm_to_ubuf(At<void>(0x400), (__gm__ void*)in, 0, 1, 16, 0, 0);
    pipe_barrier(PIPE_ALL);
    set_mask_count();
    set_vector_mask(0, 100);
    vadds(At<float>(0), At<float>(0), 1.0f, 1, 1, 1, 8, 8);
    set_mask_norm();
    set_vector_mask(0, 0xff);
    vadds(At<float>(0x400), At<float>(0x400), 1.0f, 2, 1, 1, 8, 8);
    pipe_barrier(PIPE_ALL);
    copy_ubuf_to_gm((__gm__ void*)out, At<void>(0), 0, 1, 16, 0, 0);
    copy_ubuf_to_gm((__gm__ void*)(out + 512), At<void>(0x400), 0, 1, 16, 0, 0);
}

/// Flags to other cores and from them, from the vector pipe and from MTE3.
extern "C" __global__ __aicore__ void cross_intrinsics() {
    set_ffts_base_addr(0);
    ffts_cross_core_sync(PIPE_V, 1 | 2 << 4 | 5 << 8);
    ffts_cross_core_sync(PIPE_MTE3, 1 | 0 << 4 | 9 << 8);
    wait_flag_dev(7);
}

/// What the scalar unit computes by instructions of its own.
extern "C" __global__ __aicore__ void scalar_intrinsics(GM_ADDR out) {
    auto* to = (__gm__ int64_t*)out;
    *to++ = static_cast<int64_t>(sbitset0(0xff, 3));
    *to++ = static_cast<int64_t>(sbitset1(0xf0, 60));
    *to++ = bcnt0(0xff);
    *to++ = bcnt1(0xff0);
    *to++ = clz(0x10);
    *to++ = sff0(0x0f);
    *to++ = sff1(0xf0);
    *to++ = sff0(~0ULL);
    *to++ = sff1(0);
    *to++ = min(9, 4);
    set_ctrl(sbitset1(get_ctrl(), 48));
    *to++ = static_cast<int64_t>(get_ctrl());
    const int64_t before = get_system_cycle();
    *to++ = get_sys_cnt() > before ? 1 : 0;
    dcci((__gm__ void*)out, SINGLE_CACHE_LINE);
    dsb(DSB_ALL);
    icache_preload(1);
    preload(nullptr, 2);
    while (get_icache_prl_st() != 0) {  // until the code is there
    }
}

extern "C" __global__ __aicore__ void trap_intrinsics() {
    trap();
}

extern "C" __global__ __aicore__ void argument_intrinsics() {
    static_cast<void>(get_para_base());
}

/// Three runs of 20 bytes, from 24 to 24 bytes apart, each with two elements before and after it in the
/// buffer.
extern "C" __global__ __aicore__ void byte_intrinsics(GM_ADDR in, GM_ADDR out) {
    set_mov_pad_val(0x7b);
    copy_gm_to_ubuf_align_b8(At<void>(0), (__gm__ void*)in, 0, 3, 20, 2, 2, 4, 0);
    copy_gm_to_ubuf_align_b16(At<void>(0x100), (__gm__ void*)in, 0, 3, 20, 2, 2, 4, 0);
    copy_gm_to_ubuf_align_b32(At<void>(0x200), (__gm__ void*)in, 0, 3, 20, 2, 1, 4, 1);
    pipe_barrier(PIPE_ALL);
    copy_ubuf_to_gm((__gm__ void*)out, At<void>(0), 0, 1, 24, 0, 0);
    copy_ubuf_to_gm_align_b8((__gm__ void*)(out + 768), At<void>(0), 0, 3, 20, 0, 0, 0, 4);
    copy_ubuf_to_gm_align_b16((__gm__ void*)(out + 864), At<void>(0), 0, 3, 20, 0, 0, 0, 4);
    copy_ubuf_to_gm_align_b32((__gm__ void*)(out + 960), At<void>(0), 0, 3, 20, 0, 0, 0, 4);
}

/// int32 by a scale to half; how many elements the last gathering took.
extern "C" __global__ __aicore__ void left_in_registers(GM_ADDR in, GM_ADDR out, GM_ADDR count) {
    copy_gm_to_ubuf(At<void>(0), (__gm__ void*)in, 0, 1, 8, 0, 0);
    pipe_barrier(PIPE_ALL);
    set_vector_mask(0, ~0ULL);
    set_deqscale(half(0.5f));
    vconv_deq(At<half>(0x400), At<int32_t>(0), 1, 1, 1, 4, 8);
    vreducev2(At<uint32_t>(0x800), At<uint32_t>(0), At<uint32_t>(0), 1, 1, 3, 8, 8);
    pipe_barrier(PIPE_ALL);
    *(__gm__ int64_t*)count = get_rsvd_cnt();
    copy_ubuf_to_gm((__gm__ void*)out, At<void>(0x400), 0, 1, 4, 0, 0);
}

/// 16 x 32 elements of 8 bits, quarter by quarter, and 16 x 8 of 32 bits.
extern "C" __global__ __aicore__ void corner_turns(GM_ADDR in, GM_ADDR out) {
    constexpr uint64_t bytes = 0x400;
    constexpr uint64_t words = 0x800;
    copy_gm_to_ubuf(At<void>(0), (__gm__ void*)in, 0, 1, 16, 0, 0);
    pipe_barrier(PIPE_ALL);
    uint64_t from[16];
    uint64_t upper[16];
    uint64_t lower[16];
    uint64_t blocks[16];
    for (uint64_t i = 0; i < 16; ++i) {
        from[i] = i * 32;
        upper[i] = bytes + i * 32;
        lower[i] = bytes + 512 + i * 32;
        blocks[i] = words + i * 32;
    }
    set_va_reg_sb(VA2, from);
    set_va_reg_sb(VA3, &from[8]);
    set_va_reg_sb(VA0, upper);
    set_va_reg_sb(VA1, &upper[8]);
    set_va_reg_sb(VA4, lower);
    set_va_reg_sb(VA5, &lower[8]);
    set_va_reg_sb(VA6, blocks);
    set_va_reg_sb(VA7, &blocks[8]);
    scatter_vnchwconv_b8(VA0, VA2, 1, 0, 0, false, false);
    scatter_vnchwconv_b8(VA4, VA2, 1, 0, 0, true, true);
    scatter_vnchwconv_b32(VA6, VA2, 1, 0, 0);
    pipe_barrier(PIPE_ALL);
    copy_ubuf_to_gm((__gm__ void*)out, At<void>(bytes), 0, 1, 48, 0, 0);
}
