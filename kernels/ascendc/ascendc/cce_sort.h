// SPDX-License-Identifier: Apache-2.0
// Sorting and transposing by their intrinsic names.
#pragma once

#include "kernels/ascendc/ascendc/cce_address.h"
#include "kernels/ascendc/ascendc/vector/vector_sort.h"

/// Sorts every 32 scores, each with its index behind it in the result.
template <typename T>
inline void vbitsort(
    T* dst, T* src, uint32_t* index, uint8_t repeat, AscendC::Site site = AscendC::Site::here()) {
    AscendC::Sort32(AscendC::TensorAt(dst), AscendC::TensorAt(src), AscendC::TensorAt(index), repeat, site);
}

/// Merges up to four lists. `lengths`: 16 bits for each. `config`: repeats in bits 0 to 7, the lists that
/// take part in 8 to 11, stop when one has ended in 12.
template <typename T>
inline void vmrgsort4(
    T* dst, T* const* lists, uint64_t lengths, uint64_t config, AscendC::Site site = AscendC::Site::here()) {
    if constexpr (AscendC::has_vector_unit) {
        ascendsim::isa::MergeCall call;
        call.dst = AscendC::TensorAt(dst).address_.bufferAddr;
        call.valid = static_cast<uint16_t>((config >> 8U) & 0xfU);
        call.stop_when_one_ends = (config >> 12U & 1U) != 0;
        call.repeats = static_cast<uint32_t>(config & 0xffU);
        call.type = AscendC::DataTypeOf<T>();
        for (std::size_t i = 0; i < call.sources.size(); ++i) {
            if ((static_cast<unsigned>(call.valid) >> i & 1U) != 0) {
                call.sources[i] = AscendC::TensorAt(lists[i]).address_.bufferAddr;
                call.lengths[i] = static_cast<uint16_t>(lengths >> (16U * i));
            }
        }
        ascendsim::isa::vector_merge(call, site);
    }
}

/// How many elements of each list the last merge took: 16 bits for each.
inline int64_t get_vms4_sr() {
    uint64_t packed = 0;
    const auto counts = ascendsim::isa::merged_counts();
    for (std::size_t i = 0; i < counts.size(); ++i) {
        packed |= uint64_t{counts[i]} << (16U * i);
    }
    return static_cast<int64_t>(packed);
}

/// The registers that hold 8 addresses each; a transposition takes two that follow each other.
enum ub_addr8_t { VA0 = 0, VA1, VA2, VA3, VA4, VA5, VA6, VA7 };

inline void set_va_reg_sb(ub_addr8_t to, const uint64_t* addresses) {
    auto& rows = ascendsim::isa::CorePort::current().registers().addresses[to];
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto* row = reinterpret_cast<const uint8_t*>(addresses[i]);
        rows[i] = AscendC::TensorAt(row).address_.bufferAddr;
    }
}

namespace AscendC {

/// Transposes the 16 rows that two registers name.
template <typename T>
inline void TransposeNamedRows(ub_addr8_t dst,
                               ub_addr8_t src,
                               const TransDataTo5HDParams& params,
                               Site site) {
    const auto& named = ascendsim::isa::CorePort::current().registers().addresses;
    uint32_t to[16];
    uint32_t from[16];
    for (std::size_t i = 0; i < 16; ++i) {
        to[i] = named[(dst + i / 8) % named.size()][i % 8];
        from[i] = named[(src + i / 8) % named.size()][i % 8];
    }
    TransposeRows<T>(to, from, params, site);
}

}  // namespace AscendC

/// Of 8-bit elements a call moves half a block: `dst_high` and `src_high` choose which.
inline void scatter_vnchwconv_b8(ub_addr8_t dst,
                                 ub_addr8_t src,
                                 uint8_t repeat,
                                 uint16_t dst_stride,
                                 uint16_t src_stride,
                                 bool dst_high,
                                 bool src_high,
                                 AscendC::Site site = AscendC::Site::here()) {
    AscendC::TransposeNamedRows<uint8_t>(
        dst, src, AscendC::TransDataTo5HDParams(dst_high, src_high, repeat, dst_stride, src_stride), site);
}

inline void scatter_vnchwconv_b16(ub_addr8_t dst,
                                  ub_addr8_t src,
                                  uint8_t repeat,
                                  uint16_t dst_stride,
                                  uint16_t src_stride,
                                  AscendC::Site site = AscendC::Site::here()) {
    AscendC::TransposeNamedRows<uint16_t>(
        dst, src, AscendC::TransDataTo5HDParams(false, false, repeat, dst_stride, src_stride), site);
}

inline void scatter_vnchwconv_b32(ub_addr8_t dst,
                                  ub_addr8_t src,
                                  uint8_t repeat,
                                  uint16_t dst_stride,
                                  uint16_t src_stride,
                                  AscendC::Site site = AscendC::Site::here()) {
    AscendC::TransposeNamedRows<uint32_t>(
        dst, src, AscendC::TransDataTo5HDParams(false, false, repeat, dst_stride, src_stride), site);
}
