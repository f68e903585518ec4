// SPDX-License-Identifier: Apache-2.0
// Copies by their intrinsic names. Lengths and strides are 32 B blocks; those of the align forms are bytes,
// in the unified buffer blocks.
#pragma once

#include "kernels/ascendc/ascendc/cce_address.h"
#include "kernels/ascendc/ascendc/data_copy.h"

namespace AscendC {

inline GlobalTensor<uint8_t> GlobalAt(const void* pointer) {
    GlobalTensor<uint8_t> tensor;
    tensor.SetGlobalBuffer(static_cast<uint8_t*>(const_cast<void*>(pointer)));
    return tensor;
}

inline LocalTensor<uint8_t> BytesAt(const void* pointer, ascendsim::Memory memory = ascendsim::Memory::ub) {
    return TensorAt(static_cast<const uint8_t*>(pointer), memory);
}

template <typename T>
inline void CopyInAligned(
    void* dst, const void* src, const DataCopyExtParams& params, uint8_t left, uint8_t right, Site site) {
    // The value of the padding is in the register of set_mov_pad_val.
    DataCopyPadExtParams<T> pad(left != 0 || right != 0, left, right, T{});
    __builtin_memcpy(static_cast<void*>(&pad.paddingValue),
                     &ascendsim::isa::CorePort::current().registers().pad_value,
                     sizeof(T));
    GlobalTensor<T> from;
    from.SetGlobalBuffer(static_cast<T*>(const_cast<void*>(src)));
    DataCopyPad(TensorAt(static_cast<T*>(dst)), from, params, pad, site);
}

}  // namespace AscendC

inline void copy_gm_to_ubuf(void* dst,
                            const __gm__ void* src,
                            uint8_t,
                            uint16_t count,
                            uint16_t length,
                            uint16_t src_gap,
                            uint16_t dst_gap,
                            AscendC::Site site = AscendC::Site::here()) {
    AscendC::DataCopy(AscendC::BytesAt(dst),
                      AscendC::GlobalAt(src),
                      AscendC::DataCopyParams(count, length, src_gap, dst_gap),
                      site);
}

inline void copy_gm_to_cbuf(void* dst,
                            const __gm__ void* src,
                            uint8_t,
                            uint16_t count,
                            uint16_t length,
                            uint16_t src_gap,
                            uint16_t dst_gap,
                            pad_t = pad_t::PAD_NONE,
                            AscendC::Site site = AscendC::Site::here()) {
    AscendC::DataCopy(AscendC::BytesAt(dst, ascendsim::Memory::l1),
                      AscendC::GlobalAt(src),
                      AscendC::DataCopyParams(count, length, src_gap, dst_gap),
                      site);
}

inline void copy_ubuf_to_gm(__gm__ void* dst,
                            const void* src,
                            uint8_t,
                            uint16_t count,
                            uint16_t length,
                            uint16_t src_gap,
                            uint16_t dst_gap,
                            AscendC::Site site = AscendC::Site::here()) {
    AscendC::DataCopy(AscendC::GlobalAt(dst),
                      AscendC::BytesAt(src),
                      AscendC::DataCopyParams(count, length, src_gap, dst_gap),
                      site);
}

inline void copy_cbuf_to_gm(__gm__ void* dst,
                            const void* src,
                            uint8_t,
                            uint16_t count,
                            uint16_t length,
                            uint16_t src_gap,
                            uint16_t dst_gap,
                            AscendC::Site site = AscendC::Site::here()) {
    AscendC::DataCopy(AscendC::GlobalAt(dst),
                      AscendC::BytesAt(src, ascendsim::Memory::l1),
                      AscendC::DataCopyParams(count, length, src_gap, dst_gap),
                      site);
}

inline void copy_ubuf_to_ubuf(void* dst,
                              const void* src,
                              uint8_t,
                              uint16_t count,
                              uint16_t length,
                              uint16_t src_gap,
                              uint16_t dst_gap,
                              AscendC::Site site = AscendC::Site::here()) {
    AscendC::DataCopy(AscendC::BytesAt(dst),
                      AscendC::BytesAt(src),
                      AscendC::DataCopyParams(count, length, src_gap, dst_gap),
                      site);
}

#define ASCENDSIM_ALIGNED(suffix, type)                                                                   \
    inline void copy_gm_to_ubuf_align_##suffix(void* dst,                                                 \
                                               const __gm__ void* src,                                    \
                                               uint8_t,                                                   \
                                               uint16_t count,                                            \
                                               uint32_t length,                                           \
                                               uint8_t left,                                              \
                                               uint8_t right,                                             \
                                               uint32_t src_gap,                                          \
                                               uint32_t dst_gap,                                          \
                                               AscendC::Site site = AscendC::Site::here()) {              \
        AscendC::CopyInAligned<type>(                                                                     \
            dst, src, AscendC::DataCopyExtParams(count, length, src_gap, dst_gap, 0), left, right, site); \
    }                                                                                                     \
    inline void copy_ubuf_to_gm_align_##suffix(__gm__ void* dst,                                          \
                                               const void* src,                                           \
                                               uint8_t,                                                   \
                                               uint16_t count,                                            \
                                               uint32_t length,                                           \
                                               uint8_t,                                                   \
                                               uint8_t,                                                   \
                                               uint32_t src_gap,                                          \
                                               uint32_t dst_gap,                                          \
                                               AscendC::Site site = AscendC::Site::here()) {              \
        AscendC::DataCopyPad(AscendC::GlobalAt(dst),                                                      \
                             AscendC::BytesAt(src),                                                       \
                             AscendC::DataCopyExtParams(count, length, src_gap, dst_gap, 0),              \
                             site);                                                                       \
    }
ASCENDSIM_ALIGNED(b8, uint8_t)
ASCENDSIM_ALIGNED(b16, uint16_t)
ASCENDSIM_ALIGNED(b32, uint32_t)
#undef ASCENDSIM_ALIGNED

inline void set_mov_pad_val(uint64_t value) {
    ascendsim::isa::CorePort::current().registers().pad_value = value;
}

namespace AscendC {

/// DataCopyPad by addresses, as some kernels call it.
template <typename T>
inline void DataCopyPadGm2UBImpl(T* dst,
                                 __gm__ T* src,
                                 const DataCopyExtParams& params,
                                 const DataCopyPadExtParams<std::type_identity_t<T>>& pad,
                                 Site site = Site::here()) {
    GlobalTensor<T> from;
    from.SetGlobalBuffer(src);
    DataCopyPad(TensorAt(dst), from, params, pad, site);
}

template <typename T>
inline void DataCopyUB2GMImpl(__gm__ T* dst, T* src, const DataCopyParams& params, Site site = Site::here()) {
    GlobalTensor<T> to;
    to.SetGlobalBuffer(dst);
    DataCopy(to, TensorAt(src), params, site);
}

template <typename T>
inline void DataCopyGM2UBImpl(T* dst, __gm__ T* src, const DataCopyParams& params, Site site = Site::here()) {
    GlobalTensor<T> from;
    from.SetGlobalBuffer(src);
    DataCopy(TensorAt(dst), from, params, site);
}

template <typename T, typename Params>
inline void DataCopyPadUB2GMImpl(__gm__ T* dst, T* src, const Params& params, Site site = Site::here()) {
    GlobalTensor<T> to;
    to.SetGlobalBuffer(dst);
    DataCopyPad(to, TensorAt(src), params, site);
}

}  // namespace AscendC
