// SPDX-License-Identifier: Apache-2.0
// DataCopy and DataCopyPad between global memory and the core's buffers, and between buffers.
#pragma once

#include "kernels/ascendc/ascendc/params.h"
#include "kernels/ascendc/ascendc/system.h"
#include "models/isa/move/copy_gm_ub.hpp"
#include "models/isa/move/copy_local.hpp"
#include "models/port/kernel_fault.hpp"

namespace AscendC {

/// False when the memory belongs to the other kind of core: the copy is left out, as the compiler does.
constexpr bool Reaches(ascendsim::Memory memory) {
    return memory == ascendsim::Memory::ub ? has_vector_unit : has_cube_unit;
}

inline ascendsim::isa::CopyShape BlockShape(const DataCopyParams& params,
                                            uint32_t gm_gap,
                                            uint32_t local_gap,
                                            bool bypass) {
    const uint32_t bytes = params.blockLen * 32U;
    return {params.blockCount, bytes, uint64_t{bytes} + gm_gap * 32U, bytes + local_gap * 32U, bypass};
}

/// Bytes that a copy of `count` elements moves: whole blocks of 32. What is left out is told to who watches
/// the run.
template <typename T>
inline uint32_t WholeBlocks(uint32_t count, ascendsim::Memory from, ascendsim::Memory to, Site site) {
    const auto asked = static_cast<uint32_t>(BytesOf<T>(count));
    const uint32_t moved = asked / 32U * 32U;
    if (moved != asked) [[unlikely]] {
        ascendsim::isa::note_rounded(from, to, asked, moved, site);
    }
    return moved;
}

/// Copies between buffers that involve L0 or the bias table; defined with the cube API.
template <typename T>
void CopyToCubeBuffer(const LocalTensor<T>& dst,
                      const LocalTensor<T>& src,
                      const DataCopyParams& params,
                      Site site);

// GM -> buffer

template <typename T>
inline void DataCopy(const LocalTensor<T>& dst,
                     const GlobalTensor<T>& src,
                     const DataCopyParams& params,
                     Site site = Site::here()) {
    if (Reaches(dst.Memory())) {
        ascendsim::isa::copy_in(dst.Where(),
                                src.GetPhyAddr(),
                                BlockShape(params, params.srcGap, params.dstGap, src.BypassesL2()),
                                site);
    }
}

template <typename T>
inline void DataCopy(const LocalTensor<T>& dst,
                     const GlobalTensor<T>& src,
                     const uint32_t count,
                     Site site = Site::here()) {
    if (Reaches(dst.Memory())) {
        const uint32_t bytes = WholeBlocks<T>(count, ascendsim::Memory::gm, dst.Memory(), site);
        ascendsim::isa::copy_in(
            dst.Where(), src.GetPhyAddr(), {1, bytes, bytes, bytes, src.BypassesL2()}, site);
    }
}

template <typename T>
inline void DataCopy(const LocalTensor<T>& dst,
                     const GlobalTensor<T>& src,
                     const DataCopyParams& params,
                     const DataCopyEnhancedParams&,
                     Site site = Site::here()) {
    DataCopy(dst, src, params, site);
}

// buffer -> GM

template <typename T>
inline void DataCopy(const GlobalTensor<T>& dst,
                     const LocalTensor<T>& src,
                     const DataCopyParams& params,
                     Site site = Site::here()) {
    if (Reaches(src.Memory())) {
        ascendsim::isa::copy_out(dst.GetPhyAddr(),
                                 src.Where(),
                                 BlockShape(params, params.dstGap, params.srcGap, dst.BypassesL2()),
                                 site);
    }
}

template <typename T>
inline void DataCopy(const GlobalTensor<T>& dst,
                     const LocalTensor<T>& src,
                     const uint32_t count,
                     Site site = Site::here()) {
    if (Reaches(src.Memory())) {
        const uint32_t bytes = WholeBlocks<T>(count, src.Memory(), ascendsim::Memory::gm, site);
        ascendsim::isa::copy_out(
            dst.GetPhyAddr(), src.Where(), {1, bytes, bytes, bytes, dst.BypassesL2()}, site);
    }
}

template <typename T>
inline void DataCopy(const GlobalTensor<T>& dst,
                     const LocalTensor<T>& src,
                     const DataCopyParams& params,
                     const DataCopyEnhancedParams&,
                     Site site = Site::here()) {
    DataCopy(dst, src, params, site);
}

// buffer -> buffer

template <typename T>
inline void DataCopy(const LocalTensor<T>& dst,
                     const LocalTensor<T>& src,
                     const DataCopyParams& params,
                     Site site = Site::here()) {
    using M = ascendsim::Memory;
    const M to = dst.Memory();
    const M from = src.Memory();
    if (!Reaches(to) || !Reaches(from)) {
        return;
    }
    if (to == M::ub || (to == M::l1 && from == M::ub)) {
        const uint32_t bytes = params.blockLen * 32U;
        ascendsim::isa::copy_local({dst.Where(),
                                    src.Where(),
                                    params.blockCount,
                                    bytes,
                                    bytes + params.dstGap * 32U,
                                    bytes + params.srcGap * 32U},
                                   site);
    } else if constexpr (has_cube_unit) {
        CopyToCubeBuffer(dst, src, params, site);
    }
}

template <typename T>
inline void DataCopy(const LocalTensor<T>& dst,
                     const LocalTensor<T>& src,
                     const uint32_t count,
                     Site site = Site::here()) {
    if (!Reaches(dst.Memory()) || !Reaches(src.Memory())) {
        return;
    }
    const auto blocks = static_cast<uint16_t>(WholeBlocks<T>(count, src.Memory(), dst.Memory(), site) / 32U);
    DataCopy(dst, src, DataCopyParams(1, blocks, 0, 0), site);
}

// Bytes and padding

template <typename T>
inline void DataCopyPad(const LocalTensor<T>& dst,
                        const GlobalTensor<T>& src,
                        const DataCopyExtParams& params,
                        const DataCopyPadExtParams<T>& pad,
                        Site site = Site::here()) {
    if (!Reaches(dst.Memory())) {
        return;
    }
    constexpr uint32_t size = sizeof(T);
    // Without isPad the ends have the value of SetPadValue; a row without ends repeats its first element (API
    // reference).
    const bool pads = pad.isPad || pad.leftPadding != 0 || pad.rightPadding != 0;
    ascendsim::isa::CopyPadding padding{pad.leftPadding * size, pad.rightPadding * size, size, pads, 0};
    const void* value = pad.isPad ? static_cast<const void*>(&pad.paddingValue)
                                  : &ascendsim::isa::CorePort::current().registers().pad_value;
    __builtin_memcpy(&padding.value, value, size < 8 ? size : 8);
    const uint32_t row = (padding.left_bytes + params.blockLen + padding.right_bytes + 31U) / 32U * 32U;
    ascendsim::isa::copy_in_padded(dst.Where(),
                                   src.GetPhyAddr(),
                                   {params.blockCount,
                                    params.blockLen,
                                    uint64_t{params.blockLen} + params.srcStride,
                                    row + params.dstStride * 32U,
                                    src.BypassesL2()},
                                   padding,
                                   site);
}

template <typename T>
inline void DataCopyPad(const LocalTensor<T>& dst,
                        const GlobalTensor<T>& src,
                        const DataCopyParams& params,
                        const DataCopyPadParams& pad,
                        Site site = Site::here()) {
    DataCopyPadExtParams<T> extended(pad.isPad, pad.leftPadding, pad.rightPadding, T{});
    __builtin_memcpy(
        static_cast<void*>(&extended.paddingValue), &pad.paddingValue, sizeof(T) < 8 ? sizeof(T) : 8);
    DataCopyPad(dst,
                src,
                DataCopyExtParams(params.blockCount, params.blockLen, params.srcStride, params.dstStride, 0),
                extended,
                site);
}

template <typename T>
inline void DataCopyPad(const GlobalTensor<T>& dst,
                        const LocalTensor<T>& src,
                        const DataCopyExtParams& params,
                        Site site = Site::here()) {
    if (!Reaches(src.Memory())) {
        return;
    }
    const uint32_t row = (params.blockLen + 31U) / 32U * 32U;
    ascendsim::isa::copy_out_bytes(dst.GetPhyAddr(),
                                   src.Where(),
                                   {params.blockCount,
                                    params.blockLen,
                                    uint64_t{params.blockLen} + params.dstStride,
                                    row + params.srcStride * 32U,
                                    dst.BypassesL2()},
                                   site);
}

template <typename T>
inline void DataCopyPad(const GlobalTensor<T>& dst,
                        const LocalTensor<T>& src,
                        const DataCopyParams& params,
                        Site site = Site::here()) {
    DataCopyPad(dst,
                src,
                DataCopyExtParams(params.blockCount, params.blockLen, params.srcStride, params.dstStride, 0),
                site);
}

template <typename T>
inline void SetPadValue(T value, TPosition = TPosition::MAX) {
    __builtin_memcpy(&ascendsim::isa::CorePort::current().registers().pad_value,
                     static_cast<const void*>(&value),
                     sizeof(T) < 8 ? sizeof(T) : 8);
}

}  // namespace AscendC
