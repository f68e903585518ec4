// SPDX-License-Identifier: Apache-2.0
// Loads of the cube core: global memory to L1 as NZ, L1 to L0A, L0B and the tables, constant fills.
#pragma once

#include "kernels/ascendc/ascendc/cube/cube_params.h"
#include "kernels/ascendc/ascendc/data_copy.h"
#include "models/isa/cube/cube_tables.hpp"
#include "models/isa/cube/load2d.hpp"
#include "models/isa/cube/load3d.hpp"
#include "models/isa/cube/sparse.hpp"
#include "models/isa/move/cube_copy.hpp"
#include "models/port/issue.hpp"
#include "models/port/kernel_fault.hpp"

namespace AscendC {

/// The offset of a place in global memory, as instructions name it.
template <typename T>
inline uint64_t GlobalOffset(const GlobalTensor<T>& tensor) {
    return ascendsim::isa::CorePort::current().global().offset_of(tensor.GetPhyAddr());
}

inline bool IsL0(ascendsim::Memory memory) {
    return memory == ascendsim::Memory::l0a || memory == ascendsim::Memory::l0b;
}

// ---- global memory to L1 and L0 ----

template <typename T>
inline void DataCopy(const LocalTensor<T>& dst,
                     const GlobalTensor<T>& src,
                     const Nd2NzParams& params,
                     Site site = Site::here()) {
    if constexpr (has_cube_unit) {
        if (dst.Memory() != ascendsim::Memory::l1) {
            ascendsim::isa::not_implemented("DataCopy(Nd2NzParams) to a buffer other than L1", site);
        }
        ascendsim::isa::issue(ascendsim::isa::CopyNdToNz{.destination = dst.Start(),
                                                         .source = GlobalOffset(src),
                                                         .element_bytes = sizeof(T),
                                                         .count = params.ndNum,
                                                         .rows = params.nValue,
                                                         .columns = params.dValue,
                                                         .source_matrix_pitch = params.srcNdMatrixStride,
                                                         .source_row_pitch = params.srcDValue,
                                                         .block_column_pitch = params.dstNzC0Stride,
                                                         .block_row_pitch = params.dstNzNStride,
                                                         .matrix_pitch = params.dstNzMatrixStride,
                                                         .bypass_l2 = src.BypassesL2()},
                              site);
    }
}

template <typename T>
inline void LoadData(const LocalTensor<T>& dst,
                     const GlobalTensor<T>& src,
                     const LoadData2DParams& params,
                     Site site = Site::here()) {
    if constexpr (has_cube_unit) {
        ascendsim::isa::issue(
            ascendsim::isa::CopyGmFractals{.destination = dst.Where(),
                                           .source = GlobalOffset(src) + params.startIndex * uint64_t{512},
                                           .rows = params.repeatTimes,
                                           .row_bytes = 512,
                                           .source_pitch = params.srcStride * uint64_t{512},
                                           .destination_pitch = (params.dstGap + uint64_t{1}) * 512},
            site);
    }
}

// ---- L1 to L0A and L0B ----

template <typename T>
inline void LoadData(const LocalTensor<T>& dst,
                     const LocalTensor<T>& src,
                     const LoadData2DParams& params,
                     Site site = Site::here()) {
    if constexpr (has_cube_unit) {
        ascendsim::isa::issue(ascendsim::isa::Load2d{.destination = dst.Where(),
                                                     .source = src.Start(),
                                                     .start = params.startIndex,
                                                     .repeat = params.repeatTimes,
                                                     .source_stride = params.srcStride,
                                                     .gap = params.dstGap,
                                                     .transpose = params.ifTranspose,
                                                     .backwards = params.addrMode == 1},
                              site);
    }
}

/// Fractals (m, k) of an NZ matrix: source columns `srcStride` fractals apart, destination columns
/// `dstStride`.
template <typename T>
inline void LoadData(const LocalTensor<T>& dst,
                     const LocalTensor<T>& src,
                     const LoadData2DParamsV2& params,
                     Site site = Site::here()) {
    for (uint32_t k = 0; k < params.kStep; ++k) {
        const auto column = static_cast<uint32_t>(
            (params.kStartPosition + k) * static_cast<uint32_t>(params.srcStride) + params.mStartPosition);
        const uint32_t elements = static_cast<uint32_t>(ElementsIn<T>(512));
        LoadData(dst[k * params.dstStride * elements],
                 src[column * elements],
                 LoadData2DParams(0, static_cast<uint8_t>(params.mStep), 1, 0, 0, params.ifTranspose, 0),
                 site);
    }
}

template <typename T>
inline void LoadDataWithTranspose(const LocalTensor<T>& dst,
                                  const LocalTensor<T>& src,
                                  const LoadData2dTransposeParams& params,
                                  Site site = Site::here()) {
    if constexpr (has_cube_unit) {
        ascendsim::isa::issue(
            ascendsim::isa::LoadTransposed{.destination = dst.Where(),
                                           .source = src.Start(),
                                           .element_bits = ascendsim::isa::bits(DataTypeOf<T>()),
                                           .start = params.startIndex,
                                           .repeat = params.repeatTimes,
                                           .source_stride = params.srcStride,
                                           .gap = params.dstGap,
                                           .fractal_gap = params.dstFracGap},
            site);
    }
}

/// The register holds the width in its lowest 16 bits, then the height, then 8 bits for each side's padding.
inline void SetFmatrix(uint16_t l1H,
                       uint16_t l1W,
                       const uint8_t padList[PAD_SIZE],
                       const FmatrixMode& mode,
                       Site = Site::here()) {
    uint64_t packed = l1W | uint64_t{l1H} << 16U;
    for (uint32_t i = 0; i < PAD_SIZE; ++i) {
        packed |= uint64_t{padList[i]} << (32 + 8 * i);
    }
    ascendsim::isa::CorePort::current().registers().fmatrix[static_cast<uint8_t>(mode)] = packed;
}

/// Sizes and padding of the left feature map.
inline void Load3DSetFMatrixCal(uint16_t l1H,
                                uint16_t l1W,
                                const uint8_t padList[PAD_SIZE],
                                Site site = Site::here()) {
    SetFmatrix(l1H, l1W, padList, FmatrixMode::FMATRIX_LEFT, site);
}

inline void Load3DSetPaddingCal(uint64_t value) {
    ascendsim::isa::CorePort::current().registers().load_padding = value;
}

template <typename T>
inline void SetLoadDataPaddingValue(const T value, Site = Site::here()) {
    uint64_t bits = 0;
    __builtin_memcpy(
        &bits, static_cast<const void*>(&value), sizeof(T) < sizeof(bits) ? sizeof(T) : sizeof(bits));
    ascendsim::isa::CorePort::current().registers().load_padding = bits;
}

/// 0, the whole of L1, is the only boundary there is.
inline void SetLoadDataBoundary(uint32_t boundary, Site site = Site::here()) {
    if (boundary != 0) {
        ascendsim::isa::not_implemented("SetLoadDataBoundary with a boundary", site);
    }
}

inline void SetLoadDataRepeat(const LoadDataRepeatParam& params, Site site = Site::here()) {
    if (params.repeatTime > 1) {
        ascendsim::isa::not_implemented("SetLoadDataRepeat with more than one repeat", site);
    }
}

/// Completes a 3D load with the feature map that SetFmatrix and SetLoadDataPaddingValue left, and issues it.
inline void IssueLoad3d(ascendsim::isa::Load3d load, bool right, Site site) {
    const auto& registers = ascendsim::isa::CorePort::current().registers();
    const uint64_t map = registers.fmatrix[right ? 1 : 0];
    load.width = map & 0xFFFFU;
    load.height = (map >> 16U) & 0xFFFFU;
    for (uint32_t i = 0; i < PAD_SIZE; ++i) {
        load.pad[i] = (map >> (32 + 8 * i)) & 0xFFU;
    }
    load.padding = static_cast<uint32_t>(registers.load_padding);
    ascendsim::isa::issue(load, site);
}

template <typename T,
          const IsResetLoad3dConfig& defaultConfig = IS_RESER_LOAD3D_DEFAULT_CONFIG,
          typename U = PrimT<T>>
inline void LoadData(const LocalTensor<T>& dst,
                     const LocalTensor<T>& src,
                     const LoadData3DParamsV2<U>& params,
                     Site site = Site::here()) {
    if constexpr (has_cube_unit) {
        if constexpr (defaultConfig.isSetFMatrix) {
            SetFmatrix(params.l1H,
                       params.l1W,
                       params.padList,
                       params.fMatrixCtrl ? FmatrixMode::FMATRIX_RIGHT : FmatrixMode::FMATRIX_LEFT);
        }
        if constexpr (defaultConfig.isSetPadding) {
            SetLoadDataPaddingValue(params.padValue);
        }
        IssueLoad3d({.destination = dst.Where(),
                     .source = src.Start(),
                     .type = DataTypeOf<T>(),
                     .channels = params.channelSize,
                     .k_extent = params.kExtension,
                     .m_extent = params.mExtension,
                     .k_start = params.kStartPt,
                     .m_start = params.mStartPt,
                     .stride_w = params.strideW,
                     .stride_h = params.strideH,
                     .filter_w = params.filterW + (params.filterSizeW ? 256U : 0U),
                     .filter_h = params.filterH + (params.filterSizeH ? 256U : 0U),
                     .dilation_w = params.dilationFilterW,
                     .dilation_h = params.dilationFilterH,
                     .transpose = params.enTranspose && dst.Memory() == ascendsim::Memory::l0a},
                    params.fMatrixCtrl,
                    site);
    }
}

template <typename T>
inline void LoadData(const LocalTensor<T>& dst,
                     const LocalTensor<T>& src,
                     const LoadData3DParamsV2Pro& params,
                     Site site = Site::here()) {
    if constexpr (has_cube_unit) {
        const auto field = [](uint64_t packed, uint32_t low, uint32_t width) {
            return static_cast<uint32_t>((packed >> low) & ((uint64_t{1} << width) - 1));
        };
        const uint64_t ext = params.extConfig;
        const uint64_t filter = params.filterConfig;
        IssueLoad3d({.destination = dst.Where(),
                     .source = src.Start(),
                     .type = DataTypeOf<T>(),
                     .channels = params.channelSize,
                     .k_extent = field(ext, 0, 16),
                     .m_extent = field(ext, 16, 16),
                     .k_start = field(ext, 32, 16),
                     .m_start = field(ext, 48, 16),
                     .stride_w = field(filter, 0, 8),
                     .stride_h = field(filter, 8, 8),
                     .filter_w = field(filter, 16, 8) + (params.filterSizeW ? 256U : 0U),
                     .filter_h = field(filter, 24, 8) + (params.filterSizeH ? 256U : 0U),
                     .dilation_w = field(filter, 32, 8),
                     .dilation_h = field(filter, 40, 8),
                     .transpose = params.enTranspose && dst.Memory() == ascendsim::Memory::l0a},
                    params.fMatrixCtrl,
                    site);
    }
}

template <typename T,
          const IsResetLoad3dConfig& defaultConfig = IS_RESER_LOAD3D_DEFAULT_CONFIG,
          typename U = PrimT<T>>
inline void LoadData(const LocalTensor<T>& dst,
                     const LocalTensor<T>& src,
                     const LoadData3DParamsV1<U>& params,
                     Site site = Site::here()) {
    if constexpr (has_cube_unit) {
        if constexpr (defaultConfig.isSetFMatrix) {
            SetFmatrix(params.l1H, params.l1W, params.padList, FmatrixMode::FMATRIX_LEFT);
        }
        if constexpr (defaultConfig.isSetPadding) {
            SetLoadDataPaddingValue(params.padValue);
        }
        if (params.cSize != 0) {
            ascendsim::isa::not_implemented("LoadData with LoadData3DParamsV1 and cSize 1 (4 channels)",
                                            site);
        }
        // A fractal is 16 positions of the filter, from leftTop on, times the C0 channels under one of its
        // taps. Repeats go on through the taps (w, then h, then the next channels), or stay at a tap and take
        // the next positions.
        constexpr uint32_t c0 = 32 / sizeof(T);
        const uint32_t taps =
            uint32_t{params.filterW} * params.filterH == 0 ? 1 : uint32_t{params.filterW} * params.filterH;
        const uint32_t span = (params.filterW - 1U) * params.dilationFilterW + 1U;
        const uint32_t row =
            params.strideW == 0
                ? 0
                : (params.l1W + params.padList[0] + params.padList[1] - span) / params.strideW + 1;
        const auto position = [](int32_t left, uint32_t pad, uint32_t stride) {
            return stride == 0 ? 0 : (static_cast<uint32_t>(left) + pad) / stride;
        };
        const uint32_t tap =
            params.c1Index * taps + params.fetchFilterH * params.filterW + params.fetchFilterW;
        const uint32_t first = position(params.leftTopH, params.padList[2], params.strideH) * row +
                               position(params.leftTopW, params.padList[0], params.strideW);
        const bool through_taps = params.repeatMode == 0;
        const bool dense = params.jumpStride <= 1;
        const uint32_t slices = (tap + (through_taps ? params.repeatTime : 1U) + taps - 1U) / taps;
        // Fractals that follow each other are one load; others one each, as far apart as asked.
        const uint32_t loads = dense ? 1 : params.repeatTime;
        const uint32_t each = dense ? params.repeatTime : 1;
        for (uint32_t i = 0; i < loads; ++i) {
            auto to = dst.Where();
            to.offset += i * params.jumpStride * 512U;
            IssueLoad3d({.destination = to,
                         .source = src.Start(),
                         .type = DataTypeOf<T>(),
                         .channels = slices * c0,
                         .k_extent = through_taps ? each * c0 : c0,
                         .m_extent = through_taps ? 16U : each * 16U,
                         .k_start = (tap + (through_taps ? i : 0)) * c0,
                         .m_start = first + (through_taps ? 0 : i * 16U),
                         .stride_w = params.strideW,
                         .stride_h = params.strideH,
                         .filter_w = params.filterW,
                         .filter_h = params.filterH,
                         .dilation_w = params.dilationFilterW,
                         .dilation_h = params.dilationFilterH},
                        false,
                        site);
        }
    }
}

/// Fractals of weights of which two in four are kept, and of their indices; both lie one behind the other.
template <typename T = int8_t, typename U = uint8_t>
inline void LoadDataWithSparse(const LocalTensor<T>& dst,
                               const LocalTensor<T>& src,
                               const LocalTensor<U>& idx,
                               const LoadData2DParams& params,
                               Site site = Site::here()) {
    static_assert(sizeof(T) == 1 && sizeof(U) == 1, "LoadDataWithSparse: int8_t weights, uint8_t indices");
    if constexpr (has_cube_unit) {
        ascendsim::isa::issue(ascendsim::isa::LoadSparse{.destination = dst.Start(),
                                                         .source = src.Start(),
                                                         .index = idx.Start(),
                                                         .start = params.startIndex,
                                                         .repeat = params.repeatTimes},
                              site);
    }
}

// ---- fills and tables ----

template <typename T>
inline void InitConstValue(const LocalTensor<T>& dst,
                           const InitConstValueParams<T>& params,
                           Site site = Site::here()) {
    if constexpr (has_cube_unit) {
        uint32_t pattern = 0;
        for (uint32_t at = 0; at < sizeof(pattern); at += sizeof(T)) {
            __builtin_memcpy(reinterpret_cast<char*>(&pattern) + at,
                             static_cast<const void*>(&params.initValue),
                             sizeof(T));
        }
        const uint32_t unit = dst.Memory() == ascendsim::Memory::l1 ? 32 : 512;
        ascendsim::isa::issue(ascendsim::isa::FillConstant{.destination = dst.Where(),
                                                           .repeat = params.repeatTimes,
                                                           .run_bytes = params.blockNum * unit,
                                                           .gap_bytes = params.dstGap * unit,
                                                           .pattern = pattern},
                              site);
    }
}

/// The newer name of InitConstValue.
template <typename T>
inline void Fill(const LocalTensor<T>& dst, const InitConstValueParams<T>& params, Site site = Site::here()) {
    InitConstValue(dst, params, site);
}

/// L1 to the bias table in blocks of 64 B, or to the fixpipe buffer in blocks of 128 B; gaps of the source
/// are 32 B. Blocks are counted in the source: where half becomes float the table takes twice as much, as
/// published kernels count it (the documentation gives the unit alone).
template <typename To, typename From>
inline void CopyToTable(const LocalTensor<To>& dst,
                        const LocalTensor<From>& src,
                        const DataCopyParams& params,
                        Site site) {
    const uint32_t unit = dst.Memory() == ascendsim::Memory::bias_table ? 64 : 128;
    const bool widen = sizeof(From) < sizeof(To);
    const uint32_t from = params.blockLen * unit;
    const uint32_t bytes = widen ? from * 2 : from;
    ascendsim::isa::issue(ascendsim::isa::LoadTable{.destination = dst.Where(),
                                                    .source = src.Start(),
                                                    .rows = params.blockCount,
                                                    .row_bytes = bytes,
                                                    .source_pitch = from + params.srcStride * 32U,
                                                    .destination_pitch = bytes + params.dstStride * unit,
                                                    .widen = widen},
                          site);
}

template <typename T>
inline void CopyToCubeBuffer(const LocalTensor<T>& dst,
                             const LocalTensor<T>& src,
                             const DataCopyParams& params,
                             Site site) {
    using M = ascendsim::Memory;
    if (src.Memory() == M::l1 && (dst.Memory() == M::bias_table || dst.Memory() == M::fixpipe_buffer)) {
        CopyToTable(dst, src, params, site);
        return;
    }
    ascendsim::isa::not_implemented("DataCopy between these two positions", site);
}

/// Bias of half to a table of float.
template <typename To, typename From, std::enable_if_t<!std::is_same_v<To, From>, int> = 0>
inline void DataCopy(const LocalTensor<To>& dst,
                     const LocalTensor<From>& src,
                     const DataCopyParams& params,
                     Site site = Site::here()) {
    if constexpr (has_cube_unit) {
        if (dst.Memory() != ascendsim::Memory::bias_table) {
            ascendsim::isa::not_implemented("DataCopy between tensors of different types", site);
        }
        CopyToTable(dst, src, params, site);
    }
}

/// The name behind LoadData in the vendor's headers, which convolutions of the libraries call.
template <typename T, typename Params>
inline void LoadDataImpl(const LocalTensor<T>& dst,
                         const LocalTensor<T>& src,
                         const Params& params,
                         Site site = Site::here()) {
    LoadData(dst, src, params, site);
}

}  // namespace AscendC
