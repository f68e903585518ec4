// SPDX-License-Identifier: Apache-2.0
// Intrinsic names of the layer below: flags, barriers, registers. Each is the API call of the same meaning.
#pragma once

#include "kernels/ascendc/ascendc/cce_choice.h"
#include "kernels/ascendc/ascendc/cce_copy.h"
#include "kernels/ascendc/ascendc/cce_sort.h"
#include "kernels/ascendc/ascendc/cce_vector.h"

inline void set_flag(pipe_t source,
                     pipe_t destination,
                     int32_t id,
                     AscendC::Site site = AscendC::Site::here()) {
    const ascendsim::Pipe from = AscendC::PipeOf(source);
    const ascendsim::Pipe to = AscendC::PipeOf(destination);
    if (AscendC::HasPipe(from) && AscendC::HasPipe(to)) {
        ascendsim::isa::set_flag(from, to, static_cast<uint32_t>(id), site);
    }
}

inline void wait_flag(pipe_t source,
                      pipe_t destination,
                      int32_t id,
                      AscendC::Site site = AscendC::Site::here()) {
    const ascendsim::Pipe from = AscendC::PipeOf(source);
    const ascendsim::Pipe to = AscendC::PipeOf(destination);
    if (AscendC::HasPipe(from) && AscendC::HasPipe(to)) {
        ascendsim::isa::wait_flag(from, to, static_cast<uint32_t>(id), site);
    }
}

inline void pipe_barrier(pipe_t pipe, AscendC::Site site = AscendC::Site::here()) {
    if (pipe == PIPE_ALL) {
        ascendsim::isa::barrier_all(site);
    } else if (AscendC::HasPipe(AscendC::PipeOf(pipe))) {
        ascendsim::isa::pipe_barrier(AscendC::PipeOf(pipe), site);
    }
}

/// The configuration packs the mode in bits 4 to 5 and the flag in bits 8 to 11.
inline void ffts_cross_core_sync(pipe_t pipe, uint64_t config, AscendC::Site site = AscendC::Site::here()) {
    ascendsim::isa::cross_core_set(AscendC::PipeOf(pipe),
                                   static_cast<uint32_t>((config >> 4U) & 3U),
                                   static_cast<uint32_t>((config >> 8U) & 15U),
                                   site);
}

inline void wait_flag_dev(int64_t id, AscendC::Site site = AscendC::Site::here()) {
    ascendsim::isa::cross_core_wait(ascendsim::Pipe::scalar, static_cast<uint32_t>(id), site);
}

inline void set_ffts_base_addr(uint64_t) {}

inline void set_mask_norm() {
    ascendsim::isa::set_mask_mode(false);
}

inline void set_mask_count() {
    ascendsim::isa::set_mask_mode(true);
}

inline void set_vector_mask(uint64_t high, uint64_t low) {
    ascendsim::isa::set_mask_bits(low, high);
}

inline void set_atomic_none() {
    AscendC::SetAtomicNone();
}

inline void set_atomic_add() {
    ascendsim::isa::CorePort::current().registers().atomic = ascendsim::isa::AtomicMode::add;
}

inline void set_atomic_max() {
    ascendsim::isa::CorePort::current().registers().atomic = ascendsim::isa::AtomicMode::max;
}

inline void set_atomic_min() {
    ascendsim::isa::CorePort::current().registers().atomic = ascendsim::isa::AtomicMode::min;
}

namespace AscendC {

/// The type and the operation of atomic writes are set apart; the operation is a sum unless another was set.
template <typename T>
inline void SetAtomicElement() {
    auto& registers = ascendsim::isa::CorePort::current().registers();
    registers.atomic_type = static_cast<uint8_t>(DataTypeOf<T>());
    if (registers.atomic == ascendsim::isa::AtomicMode::none) {
        registers.atomic = ascendsim::isa::AtomicMode::add;
    }
}

}  // namespace AscendC

inline void set_atomic_f32() {
    AscendC::SetAtomicElement<float>();
}

inline void set_atomic_f16() {
    AscendC::SetAtomicElement<half>();
}

inline void set_atomic_bf16() {
    AscendC::SetAtomicElement<bfloat16_t>();
}

inline void set_atomic_s32() {
    AscendC::SetAtomicElement<int32_t>();
}

inline void set_atomic_s16() {
    AscendC::SetAtomicElement<int16_t>();
}

inline void set_atomic_s8() {
    AscendC::SetAtomicElement<int8_t>();
}

inline void dcci(__gm__ void* address, cache_line_t line, dcci_dst_t = CACHELINE_ALL) {
    ascendsim::isa::CorePort::current().clean_data_cache(address, line == ENTIRE_DATA_CACHE);
}

inline int64_t get_system_cycle(AscendC::Site site = AscendC::Site::here()) {
    return AscendC::GetSystemCycle(site);
}

inline int64_t get_sys_cnt(AscendC::Site site = AscendC::Site::here()) {
    return AscendC::GetSystemCycle(site);
}

/// Loads and stores past the data cache, `offset` elements behind the address.
template <typename T>
inline T ld_dev(__gm__ T* address, int16_t offset, AscendC::Site site = AscendC::Site::here()) {
    return AscendC::ReadGmByPassDCache(address + offset, site);
}

template <typename T>
inline void st_dev(std::type_identity_t<T> value,
                   __gm__ T* address,
                   int16_t offset,
                   AscendC::Site site = AscendC::Site::here()) {
    AscendC::WriteGmByPassDCache(address + offset, value, site);
}

enum atomic_type_t {
    ATOMIC_NONE = 0,
    ATOMIC_F32,
    ATOMIC_F16,
    ATOMIC_S16,
    ATOMIC_S32,
    ATOMIC_S8,
    ATOMIC_BF16
};

enum atomic_op_t { ATOMIC_SUM = 0 };

/// What st_atomic does: the scalar unit's own setting, apart from that of the copies.
inline void set_st_atomic_cfg(atomic_type_t, atomic_op_t) {}

/// Adds to a value in global memory, past the data cache. Nothing comes between the load and the store.
template <typename T>
inline void st_atomic(std::type_identity_t<T> value,
                      __gm__ T* address,
                      AscendC::Site site = AscendC::Site::here()) {
    auto& core = ascendsim::isa::CorePort::current();
    ascendsim::isa::scalar_gm_access(address, sizeof(T), true, site);
    *address = static_cast<T>(*address + value);
    core.clean_data_cache(address, false);
}

enum mem_dsb_t { DSB_ALL = 0, DSB_DDR, DSB_UB, DSB_SEQ };

inline void dsb(int) {}

inline void icache_preload(int64_t) {}

inline void preload(const void*, int64_t) {}

/// Preloads under way: none, as instructions always are there ahead of time.
inline int64_t get_icache_prl_st() {
    return 0;
}

inline uint64_t get_ctrl() {
    return ascendsim::isa::CorePort::current().registers().control;
}

inline void set_ctrl(uint64_t value) {
    ascendsim::isa::CorePort::current().registers().control = value;
}

inline uint64_t sbitset0(uint64_t value, int bit) {
    return value & ~(uint64_t{1} << bit);
}

inline uint64_t sbitset1(uint64_t value, int bit) {
    return value | uint64_t{1} << bit;
}

inline int64_t clz(uint64_t value) {
    return value == 0 ? 64 : __builtin_clzll(value);
}

inline int64_t bcnt0(uint64_t value) {
    return 64 - __builtin_popcountll(value);
}

inline int64_t bcnt1(uint64_t value) {
    return __builtin_popcountll(value);
}

/// Position of the lowest 0 or 1; -1 if there is none.
inline int64_t sff0(uint64_t value) {
    return ~value == 0 ? -1 : __builtin_ctzll(~value);
}

inline int64_t sff1(uint64_t value) {
    return value == 0 ? -1 : __builtin_ctzll(value);
}

/// The compiler's own copy of `bytes` to the scalar unit's stack, from the unified buffer, from global memory
/// or from elsewhere on the stack, such as a tiling that was copied there.
inline void copy_data_align64(uint8_t* dst,
                              const void* src,
                              uint64_t bytes,
                              AscendC::Site site = AscendC::Site::here()) {
    auto& core = ascendsim::isa::CorePort::current();
    const bool number =
        reinterpret_cast<uintptr_t>(src) < ascendsim::isa::buffer_capacity(ascendsim::Memory::ub);
    constexpr uint32_t word = 8;
    if (!number && !core.find_local(src).has_value()) {
        if (core.global().owns(src)) {
            ascendsim::isa::scalar_gm_access(src, static_cast<uint32_t>(bytes), false, site);
        } else {
            ascendsim::isa::scalar_instructions(static_cast<uint32_t>(2 * (bytes / word)),
                                                site);  // load, store
        }
        __builtin_memcpy(dst, src, bytes);
        return;
    }
    const ascendsim::isa::Local from = AscendC::TensorAt(static_cast<const uint8_t*>(src)).Where();
    for (uint32_t at = 0; at < bytes; at += word) {
        const auto part = static_cast<uint32_t>(bytes - at < word ? bytes - at : word);
        ascendsim::isa::scalar_buffer_access({from.memory, from.offset + at}, part, false, site);
        __builtin_memcpy(dst + at, core.at({from.memory, from.offset + at}), part);
    }
}

/// The kernel's argument block; arguments are not in memory here.
inline uint64_t get_para_base(AscendC::Site site = AscendC::Site::here()) {
    ascendsim::isa::not_implemented("get_para_base", site);
}

/// Keeps a number from being folded: a pointer made of it is an address of the chip's, 0 among them.
constexpr uint64_t get_imm(uint64_t value) {
    if (!std::is_constant_evaluated()) {
        asm("" : "+r"(value));
    }
    return value;
}

namespace AscendC {

/// The address of a tile, a number in the memory it lies in, so that scalar code reaches it, at 0 too.
template <typename T>
constexpr T* TilePointer(T* tile) {
    if (std::is_constant_evaluated()) {
        return tile;
    }
    return reinterpret_cast<T*>(get_imm(reinterpret_cast<uint64_t>(tile)));
}

}  // namespace AscendC

inline void trap() {
    AscendC::Trap();
}

// The scalar unit's functions; the compiler knows them without a header. Templates, so that functions of
// these names which unit tests define for their own come first.
template <class A, class B>
concept AscendSimScalars = (std::is_arithmetic_v<A> && std::is_arithmetic_v<B>) || std::is_same_v<A, B>;

template <class A, class B>
requires AscendSimScalars<A, B>

constexpr std::common_type_t<A, B> min(A a, B b) {
    return b < a ? b : a;
}

template <class A, class B>
requires AscendSimScalars<A, B>

constexpr std::common_type_t<A, B> max(A a, B b) {
    return a < b ? b : a;
}

// Loads instructions into their cache ahead of time; they always are there.
#ifndef PRELOAD
#define PRELOAD(...) static_cast<void>(0)
#endif
