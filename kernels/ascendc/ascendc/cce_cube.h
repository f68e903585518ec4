// SPDX-License-Identifier: Apache-2.0
// Cube instructions by their intrinsic names. A pointer made of a number is an offset in the memory of the
// operand.
#pragma once

#include "kernels/ascendc/ascendc/cce_copy.h"
#include "kernels/ascendc/ascendc/cube/cube_fixpipe.h"
#include "kernels/ascendc/ascendc/cube/cube_load.h"
#include "kernels/ascendc/ascendc/cube/cube_mmad.h"

enum addr_cal_mode_t { inc = 0, dec = 1 };

namespace __cce_scalar {  // the compiler's own namespace

using ::addr_cal_mode_t;

}  // namespace __cce_scalar

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
                                      int,  // the mode, an addr_cal_mode_t or a bool
                                      uint16_t fractal_gap,
                                      AscendC::Site site = AscendC::Site::here()) {
    AscendC::LoadDataWithTranspose(
        AscendC::TensorAt(dst, ascendsim::Memory::l0b),
        AscendC::TensorAt(src, ascendsim::Memory::l1),
        AscendC::LoadData2dTransposeParams(base, repeat, src_stride, dst_gap, fractal_gap),
        site);
}

template <typename T>
inline void load_cbuf_to_ca_transpose(T* dst,
                                      T* src,
                                      uint16_t base,
                                      uint8_t repeat,
                                      uint16_t src_stride,
                                      uint16_t dst_gap,
                                      int,  // the mode, an addr_cal_mode_t or a bool
                                      uint16_t fractal_gap,
                                      AscendC::Site site = AscendC::Site::here()) {
    AscendC::LoadDataWithTranspose(
        AscendC::TensorAt(dst, ascendsim::Memory::l0a),
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

/// `quant` is a QuantMode_t, which also comes as a number.
template <typename To, typename From>
inline void copy_matrix_cc_to_gm(__gm__ To* dst,
                                 From* src,
                                 uint8_t,
                                 uint16_t n,
                                 uint16_t m,
                                 uint32_t dst_stride,
                                 uint16_t src_stride,
                                 uint8_t unit_flag,
                                 uint64_t quant,
                                 uint8_t relu,
                                 bool split,
                                 bool nz2nd,
                                 AscendC::Site site = AscendC::Site::here()) {
    AscendC::DataCopyCO12DstParams params(
        n, m, dst_stride, src_stride, static_cast<QuantMode_t>(quant), relu, split, nz2nd);
    params.unitFlag = unit_flag;
    AscendC::GlobalTensor<To> to;
    to.SetGlobalBuffer(dst);
    AscendC::DataCopy(to, AscendC::TensorAt(src, ascendsim::Memory::l0c), params, site);
}

/// The same with its operands in two registers. `shape`: columns in bits 4 to 15, rows in 16 to 31, pitch of
/// the destination above. `control`: pitch of the source in bits 0 to 15, unit flag in 32 and 33,
/// quantisation in 34 to 38, ReLU in 39 to 41, channel split in 42, rows of ND in 43.
template <typename To, typename From>
inline void copy_matrix_cc_to_gm(
    __gm__ To* dst, From* src, uint64_t shape, uint64_t control, AscendC::Site site = AscendC::Site::here()) {
    copy_matrix_cc_to_gm(dst,
                         src,
                         uint8_t{0},
                         static_cast<uint16_t>((shape >> 4U) & 0xfffU),
                         static_cast<uint16_t>(shape >> 16U),
                         static_cast<uint32_t>(shape >> 32U),
                         static_cast<uint16_t>(control),
                         static_cast<uint8_t>((control >> 32U) & 3U),
                         (control >> 34U) & 0x1fU,
                         static_cast<uint8_t>((control >> 39U) & 7U),
                         (control >> 42U & 1U) != 0,
                         (control >> 43U & 1U) != 0,
                         site);
}

template <typename To, typename From>
inline void copy_matrix_cc_to_cbuf(To* dst,
                                   From* src,
                                   uint8_t,
                                   uint16_t n,
                                   uint16_t m,
                                   uint32_t dst_stride,
                                   uint16_t src_stride,
                                   uint8_t unit_flag,
                                   uint64_t quant,
                                   uint8_t relu,
                                   bool split,
                                   bool nz2nd,
                                   AscendC::Site site = AscendC::Site::here()) {
    AscendC::DataCopyCO12DstParams params(
        n, m, dst_stride, src_stride, static_cast<QuantMode_t>(quant), relu, split, nz2nd);
    params.unitFlag = unit_flag;
    AscendC::DataCopy(AscendC::TensorAt(dst, ascendsim::Memory::l1),
                      AscendC::TensorAt(src, ascendsim::Memory::l0c),
                      params,
                      site);
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

/// Width in the lowest 16 bits, then height, then 8 bits for each side's padding.
inline void set_fmatrix(uint64_t config) {
    ascendsim::isa::CorePort::current().registers().fmatrix[0] = config;
}

inline void set_fmatrix_b(uint64_t config) {
    ascendsim::isa::CorePort::current().registers().fmatrix[1] = config;
}

/// Bits 16 to 23: how often a 3D load is repeated, which one is.
inline void set_l3d_rpt(uint64_t config, AscendC::Site site = AscendC::Site::here()) {
    AscendC::LoadDataRepeatParam params;
    params.repeatTime = static_cast<uint8_t>(config >> 16U);
    AscendC::SetLoadDataRepeat(params, site);
}

namespace AscendC {

/// What a 3D load is asked for beside its addresses.
struct TapWindow {
    uint16_t k_step;
    uint16_t m_step;
    uint16_t k_start;
    uint16_t m_start;
    uint8_t stride_w;
    uint8_t stride_h;
    uint8_t filter_w;
    uint8_t filter_h;
    uint8_t dilation_w;
    uint8_t dilation_h;
    bool filter_w_high;
    bool filter_h_high;
};

/// Filters are up to 511 wide and high, their ninth bits apart.
template <typename T>
inline void LoadTaps(T* dst,
                     T* src,
                     ascendsim::Memory memory,
                     const TapWindow& window,
                     bool transpose,
                     bool right_map,
                     uint16_t channels,
                     Site site) {
    if constexpr (has_cube_unit) {
        IssueLoad3d({.destination = TensorAt(dst, memory).Where(),
                     .source = TensorAt(src, ascendsim::Memory::l1).address_.bufferAddr,
                     .type = DataTypeOf<T>(),
                     .channels = channels,
                     .k_extent = window.k_step,
                     .m_extent = window.m_step,
                     .k_start = window.k_start,
                     .m_start = window.m_start,
                     .stride_w = window.stride_w,
                     .stride_h = window.stride_h,
                     .filter_w = window.filter_w + (window.filter_w_high ? 256U : 0U),
                     .filter_h = window.filter_h + (window.filter_h_high ? 256U : 0U),
                     .dilation_w = window.dilation_w,
                     .dilation_h = window.dilation_h,
                     .transpose = transpose && memory == ascendsim::Memory::l0a},
                    right_map,
                    site);
    }
}

}  // namespace AscendC

#define ASCENDSIM_IMG2COL(name, memory)                            \
    template <typename T>                                          \
    inline void name(T* dst,                                       \
                     T* src,                                       \
                     uint16_t k_step,                              \
                     uint16_t m_step,                              \
                     uint16_t k_start,                             \
                     uint16_t m_start,                             \
                     uint8_t stride_w,                             \
                     uint8_t stride_h,                             \
                     uint8_t filter_w,                             \
                     uint8_t filter_h,                             \
                     uint8_t dilation_w,                           \
                     uint8_t dilation_h,                           \
                     bool filter_w_high,                           \
                     bool filter_h_high,                           \
                     bool transpose,                               \
                     bool right_map,                               \
                     uint16_t channels,                            \
                     AscendC::Site site = AscendC::Site::here()) { \
        AscendC::LoadTaps(dst,                                     \
                          src,                                     \
                          ascendsim::Memory::memory,               \
                          {k_step,                                 \
                           m_step,                                 \
                           k_start,                                \
                           m_start,                                \
                           stride_w,                               \
                           stride_h,                               \
                           filter_w,                               \
                           filter_h,                               \
                           dilation_w,                             \
                           dilation_h,                             \
                           filter_w_high,                          \
                           filter_h_high},                         \
                          transpose,                               \
                          right_map,                               \
                          channels,                                \
                          site);                                   \
    }
ASCENDSIM_IMG2COL(img2colv2_cbuf_to_ca, l0a)
ASCENDSIM_IMG2COL(img2colv2_cbuf_to_cb, l0b)
#undef ASCENDSIM_IMG2COL

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

/// Fills L1. `config`: repeats in bits 0 to 14, blocks in 16 to 30, gap in 32 to 46. A uint32_t for floats
/// holds the bits of one, as PTO-ISA hands them over (include/pto/npu/a2a3/TExpandS.hpp).
template <typename T, typename Value>
inline void create_cbuf_matrix(T* dst,
                               uint64_t config,
                               Value value,
                               AscendC::Site site = AscendC::Site::here()) {
    if constexpr (std::is_same_v<T, float> && std::is_same_v<Value, uint32_t>) {
        create_cbuf_matrix(reinterpret_cast<uint32_t*>(dst), config, value, site);
    } else {
        AscendC::InitConstValue(
            AscendC::TensorAt(dst, ascendsim::Memory::l1),
            AscendC::InitConstValueParams<T>(static_cast<uint16_t>(config & 0x7fffU),
                                             static_cast<uint16_t>((config >> 16U) & 0x7fffU),
                                             static_cast<uint16_t>((config >> 32U) & 0x7fffU),
                                             static_cast<T>(value)),
            site);
    }
}

/// The same of bfloat16, which has a name of its own.
inline void create_cbuf_matrix_bf16(bfloat16_t* dst,
                                    uint64_t config,
                                    bfloat16_t value,
                                    AscendC::Site site = AscendC::Site::here()) {
    create_cbuf_matrix(dst, config, value, site);
}

#define ASCENDSIM_ND2NZ(suffix)                                                                    \
    template <typename T>                                                                          \
    inline void copy_gm_to_cbuf_multi_nd2nz_##suffix(T* dst,                                       \
                                                     __gm__ std::type_identity_t<T>* src,          \
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
