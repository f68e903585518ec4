// SPDX-License-Identifier: Apache-2.0
// Cube instructions by their intrinsic names. A pointer made of a number is an offset in the memory of the
// operand.
#pragma once

#include "kernels/ascendc/ascendc/cce_copy.h"
#include "kernels/ascendc/ascendc/cube/cube_fixpipe.h"
#include "kernels/ascendc/ascendc/cube/cube_load.h"
#include "kernels/ascendc/ascendc/cube/cube_mmad.h"

enum addr_cal_mode_t { inc = 0, dec = 1 };

namespace AscendC {

template <typename T>
inline void LoadFractals(
    T* dst, T* src, ascendsim::Memory memory, const LoadData2DParams& params, Site site) {
    LoadData(TensorAt(dst, memory), TensorAt(src, ascendsim::Memory::l1), params, site);
}

}  // namespace AscendC

template <typename T>
inline void load_cbuf_to_ca(T* dst,
                            T* src,
                            uint16_t base,
                            uint8_t repeat,
                            uint16_t src_stride,
                            uint16_t dst_gap,
                            uint8_t sid,
                            bool transpose,
                            addr_cal_mode_t mode = inc,
                            AscendC::Site site = AscendC::Site::here()) {
    AscendC::LoadFractals(dst,
                          src,
                          ascendsim::Memory::l0a,
                          {base, repeat, src_stride, sid, dst_gap, transpose, static_cast<uint8_t>(mode)},
                          site);
}

template <typename T>
inline void load_cbuf_to_cb(T* dst,
                            T* src,
                            uint16_t base,
                            uint8_t repeat,
                            uint16_t src_stride,
                            uint16_t dst_gap,
                            uint8_t sid,
                            bool transpose,
                            addr_cal_mode_t mode = inc,
                            AscendC::Site site = AscendC::Site::here()) {
    AscendC::LoadFractals(dst,
                          src,
                          ascendsim::Memory::l0b,
                          {base, repeat, src_stride, sid, dst_gap, transpose, static_cast<uint8_t>(mode)},
                          site);
}

template <typename T>
inline void load_cbuf_to_cb_transpose(T* dst,
                                      T* src,
                                      uint16_t base,
                                      uint8_t repeat,
                                      uint16_t src_stride,
                                      uint16_t dst_gap,
                                      addr_cal_mode_t,
                                      uint16_t fractal_gap,
                                      AscendC::Site site = AscendC::Site::here()) {
    AscendC::LoadDataWithTranspose(
        AscendC::TensorAt(dst, ascendsim::Memory::l0b),
        AscendC::TensorAt(src, ascendsim::Memory::l1),
        AscendC::LoadData2dTransposeParams(base, repeat, src_stride, dst_gap, fractal_gap),
        site);
}

template <typename C, typename A, typename B>
inline void mad(C* c,
                A* a,
                B* b,
                uint16_t m,
                uint16_t k,
                uint16_t n,
                uint8_t unit_flag,
                bool k_align,
                bool source,
                bool init,
                AscendC::Site site = AscendC::Site::here()) {
    AscendC::MmadParams params(m, n, k, unit_flag, source, init);
    params.kDirectionAlign = k_align;
    AscendC::Mmad(AscendC::TensorAt(c, ascendsim::Memory::l0c),
                  AscendC::TensorAt(a, ascendsim::Memory::l0a),
                  AscendC::TensorAt(b, ascendsim::Memory::l0b),
                  params,
                  site);
}

template <typename C, typename A, typename B>
inline void mad(C* c,
                A* a,
                B* b,
                uint16_t m,
                uint16_t k,
                uint16_t n,
                bool init,
                AscendC::Site site = AscendC::Site::here()) {
    mad(c, a, b, m, k, n, uint8_t{0}, false, false, init, site);
}

/// The sum starts from the bias table at `bias`.
template <typename C, typename A, typename B>
inline void mad(C* c,
                A* a,
                B* b,
                uint64_t bias,
                uint16_t m,
                uint16_t k,
                uint16_t n,
                uint8_t unit_flag,
                bool k_align,
                bool source,
                bool init,
                AscendC::Site site = AscendC::Site::here()) {
    AscendC::MmadParams params(m, n, k, unit_flag, source, init);
    params.kDirectionAlign = k_align;
    AscendC::Mmad(AscendC::TensorAt(c, ascendsim::Memory::l0c),
                  AscendC::TensorAt(a, ascendsim::Memory::l0a),
                  AscendC::TensorAt(b, ascendsim::Memory::l0b),
                  AscendC::TensorAt(reinterpret_cast<C*>(bias), ascendsim::Memory::bias_table),
                  params,
                  site);
}

template <typename To, typename From>
inline void copy_matrix_cc_to_gm(__gm__ To* dst,
                                 From* src,
                                 uint8_t,
                                 uint16_t n,
                                 uint16_t m,
                                 uint32_t dst_stride,
                                 uint16_t src_stride,
                                 uint8_t unit_flag,
                                 QuantMode_t quant,
                                 uint8_t relu,
                                 bool split,
                                 bool nz2nd,
                                 AscendC::Site site = AscendC::Site::here()) {
    AscendC::DataCopyCO12DstParams params(n, m, dst_stride, src_stride, quant, relu, split, nz2nd);
    params.unitFlag = unit_flag;
    AscendC::GlobalTensor<To> to;
    to.SetGlobalBuffer(dst);
    AscendC::DataCopy(to, AscendC::TensorAt(src, ascendsim::Memory::l0c), params, site);
}

inline void set_nd_para(uint64_t config) {
    AscendC::SetFixpipeNz2ndFlag(static_cast<uint16_t>(config),
                                 static_cast<uint16_t>(config >> 16U),
                                 static_cast<uint16_t>(config >> 32U));
}

inline void set_quant_pre(uint64_t scale) {
    AscendC::SetFixpipePreQuantFlag(scale);
}

/// Bits 8 to 15: the place of the scales in the fixpipe buffer, in 128 B.
inline void set_fpc(uint64_t config) {
    AscendC::SetFixPipeConfigImpl(((config >> 8U) & 0xffU) * 128U);
}

template <typename T>
inline void set_padding(T value) {
    AscendC::SetLoadDataPaddingValue(value);
}

inline void set_fmatrix(uint64_t config) {
    ascendsim::isa::CorePort::current().registers().fmatrix[0] = config;
}

inline void set_fmatrix_b(uint64_t config) {
    ascendsim::isa::CorePort::current().registers().fmatrix[1] = config;
}

/// Scales from L1 to the fixpipe buffer: blocks of 128 B, gaps of the source 32 B.
template <typename T>
inline void copy_cbuf_to_fbuf(T* dst,
                              T* src,
                              uint16_t count,
                              uint16_t length,
                              uint16_t src_gap,
                              uint16_t dst_gap,
                              AscendC::Site site = AscendC::Site::here()) {
    if constexpr (AscendC::has_cube_unit) {
        AscendC::CopyToTable(AscendC::TensorAt(dst, ascendsim::Memory::fixpipe_buffer),
                             AscendC::TensorAt(src, ascendsim::Memory::l1),
                             AscendC::DataCopyParams(count, length, src_gap, dst_gap),
                             site);
    }
}

/// Blocks of 64 B, to the bias table.
template <typename To, typename From>
inline void copy_cbuf_to_bt(To* dst,
                            From* src,
                            uint16_t,
                            uint16_t count,
                            uint16_t length,
                            uint16_t src_gap,
                            uint16_t dst_gap,
                            AscendC::Site site = AscendC::Site::here()) {
    if constexpr (AscendC::has_cube_unit) {
        AscendC::CopyToTable(AscendC::TensorAt(dst, ascendsim::Memory::bias_table),
                             AscendC::TensorAt(src, ascendsim::Memory::l1),
                             AscendC::DataCopyParams(count, length, src_gap, dst_gap),
                             site);
    }
}

/// Fills L1. `config`: repeats in bits 0 to 14, blocks in 16 to 30, gap in 32 to 46.
template <typename T>
inline void create_cbuf_matrix(T* dst,
                               uint64_t config,
                               std::type_identity_t<T> value,
                               AscendC::Site site = AscendC::Site::here()) {
    AscendC::InitConstValue(AscendC::TensorAt(dst, ascendsim::Memory::l1),
                            AscendC::InitConstValueParams<T>(static_cast<uint16_t>(config & 0x7fffU),
                                                             static_cast<uint16_t>((config >> 16U) & 0x7fffU),
                                                             static_cast<uint16_t>((config >> 32U) & 0x7fffU),
                                                             value),
                            site);
}

#define ASCENDSIM_ND2NZ(suffix)                                                                    \
    template <typename T>                                                                          \
    inline void copy_gm_to_cbuf_multi_nd2nz_##suffix(T* dst,                                       \
                                                     __gm__ T* src,                                \
                                                     uint8_t,                                      \
                                                     uint16_t count,                               \
                                                     uint16_t rows,                                \
                                                     uint16_t columns,                             \
                                                     uint16_t src_matrix_stride,                   \
                                                     uint16_t src_row,                             \
                                                     uint16_t dst_c0_stride,                       \
                                                     uint16_t dst_row_stride,                      \
                                                     uint16_t dst_matrix_stride,                   \
                                                     AscendC::Site site = AscendC::Site::here()) { \
        AscendC::GlobalTensor<T> from;                                                             \
        from.SetGlobalBuffer(src);                                                                 \
        AscendC::DataCopy(AscendC::TensorAt(dst, ascendsim::Memory::l1),                           \
                          from,                                                                    \
                          AscendC::Nd2NzParams(count,                                              \
                                               rows,                                               \
                                               columns,                                            \
                                               src_matrix_stride,                                  \
                                               src_row,                                            \
                                               dst_c0_stride,                                      \
                                               dst_row_stride,                                     \
                                               dst_matrix_stride),                                 \
                          site);                                                                   \
    }
ASCENDSIM_ND2NZ(b8)
ASCENDSIM_ND2NZ(b16)
ASCENDSIM_ND2NZ(b32s)
#undef ASCENDSIM_ND2NZ
