// SPDX-License-Identifier: Apache-2.0
// Parameter structs and enumerations of the cube API.
#pragma once

#include "kernels/ascendc/ascendc/types.h"

/// What Fixpipe does to a value. The name's parts: V for a scale per column, the type in L0C, the type
/// written.
enum QuantMode_t : uint8_t {
    NoQuant = 0,
    F322F16 = 1,
    VREQ8 = 2,
    REQ8 = 3,
    VDEQF16 = 4,
    DEQF16 = 5,
    VSHIFTS322S16 = 12,
    SHIFTS322S16 = 13,
    F322BF16 = 16,
    VQF162B8_PRE = 17,
    QF162B8_PRE = 18,
    VQF162S4_PRE = 19,
    QF162S4_PRE = 20,
    VREQ4 = 21,
    REQ4 = 22,
    VQF322B8_PRE = 23,
    QF322B8_PRE = 24,
    VQF322S4_PRE = 25,
    QF322S4_PRE = 26,
    VDEQS16 = 27,
    DEQS16 = 28,
    VQF162S16_PRE = 29,
    QF162S16_PRE = 30,
    // Of the next generation of chips.
    VQF322F16_PRE = 32,
    QF322F16_PRE = 33,
    VQF322BF16_PRE = 34,
    QF322BF16_PRE = 35,
    QS322BF16_PRE = 36,  // these two: of the 950
    VQS322BF16_PRE = 39,
};

namespace AscendC {

inline constexpr uint8_t PAD_SIZE = 4;

struct LoadData2DParams {
    LoadData2DParams() = default;

    constexpr LoadData2DParams(uint16_t start,
                               uint8_t repeats,
                               uint16_t src_stride,
                               uint8_t sid_,
                               uint16_t dst_gap,
                               bool transpose,
                               uint8_t addr_mode)
        : startIndex(start),
          dstGap(dst_gap),
          srcStride(src_stride),
          ifTranspose(transpose),
          repeatTimes(repeats),
          sid(sid_),
          addrMode(addr_mode) {}

    uint16_t startIndex = 0;
    uint16_t dstGap = 0;
    uint16_t srcStride = 0;
    bool ifTranspose = false;
    uint8_t repeatTimes = 0;
    uint8_t sid = 0;
    uint8_t addrMode = 0;
};

using LoadData2dParams = LoadData2DParams;

struct LoadData2DParamsV2 {
    LoadData2DParamsV2() = default;

    constexpr LoadData2DParamsV2(uint32_t m_start,
                                 uint32_t k_start,
                                 uint16_t m_step,
                                 uint16_t k_step,
                                 int32_t src_stride,
                                 uint16_t dst_stride,
                                 bool transpose,
                                 uint8_t sid_)
        : mStartPosition(m_start),
          kStartPosition(k_start),
          mStep(m_step),
          kStep(k_step),
          srcStride(src_stride),
          dstStride(dst_stride),
          ifTranspose(transpose),
          sid(sid_) {}

    uint32_t mStartPosition = 0;
    uint32_t kStartPosition = 0;
    uint16_t mStep = 0;
    uint16_t kStep = 0;
    int32_t srcStride = 0;
    uint16_t dstStride = 0;
    bool ifTranspose = false;
    uint8_t sid = 0;
};

struct LoadData2dTransposeParams {
    LoadData2dTransposeParams() = default;

    constexpr LoadData2dTransposeParams(
        uint16_t start, uint8_t repeats, uint16_t src_stride, uint16_t dst_gap, uint16_t dst_fractal_gap)
        : LoadData2dTransposeParams(start, repeats, src_stride, dst_gap, dst_fractal_gap, 0) {}

    constexpr LoadData2dTransposeParams(uint16_t start,
                                        uint8_t repeats,
                                        uint16_t src_stride,
                                        uint16_t dst_gap,
                                        uint16_t dst_fractal_gap,
                                        uint8_t addr_mode)
        : startIndex(start),
          repeatTimes(repeats),
          srcStride(src_stride),
          dstGap(dst_gap),
          dstFracGap(dst_fractal_gap),
          addrMode(addr_mode) {}

    uint16_t startIndex = 0;
    uint8_t repeatTimes = 0;
    uint16_t srcStride = 0;
    uint16_t dstGap = 0;
    uint16_t dstFracGap = 0;
    uint8_t addrMode = 0;
};

template <typename T>
struct LoadData3DParamsV1 {
    uint8_t padList[PAD_SIZE]{};
    uint16_t l1H = 0;
    uint16_t l1W = 0;
    uint16_t c1Index = 0;
    uint8_t fetchFilterW = 0;
    uint8_t fetchFilterH = 0;
    int16_t leftTopW = 0;
    int16_t leftTopH = 0;
    uint8_t strideW = 0;
    uint8_t strideH = 0;
    uint8_t filterW = 0;
    uint8_t filterH = 0;
    uint8_t dilationFilterW = 0;
    uint8_t dilationFilterH = 0;
    uint8_t jumpStride = 0;
    uint8_t repeatMode = 0;
    uint8_t repeatTime = 0;
    uint8_t cSize = 0;
    T padValue{};
    uint8_t fetchFilterWMode = 0;
};

template <typename T>
struct LoadData3DParamsV2 {
    LoadData3DParamsV2() = default;

    constexpr LoadData3DParamsV2(const uint8_t pads[PAD_SIZE],
                                 uint16_t height,
                                 uint16_t width,
                                 uint16_t channels,
                                 uint16_t k_extension,
                                 uint16_t m_extension,
                                 uint16_t k_start,
                                 uint16_t m_start,
                                 uint8_t stride_w,
                                 uint8_t stride_h,
                                 uint8_t filter_w,
                                 uint8_t filter_h,
                                 uint8_t dilation_w,
                                 uint8_t dilation_h,
                                 bool transpose,
                                 bool small_k,
                                 T pad_value)
        : LoadData3DParamsV2(pads,
                             height,
                             width,
                             channels,
                             k_extension,
                             m_extension,
                             k_start,
                             m_start,
                             stride_w,
                             stride_h,
                             filter_w,
                             filter_h,
                             dilation_w,
                             dilation_h,
                             transpose,
                             small_k,
                             pad_value,
                             false,
                             false,
                             false) {}

    constexpr LoadData3DParamsV2(const uint8_t pads[PAD_SIZE],
                                 uint16_t height,
                                 uint16_t width,
                                 uint16_t channels,
                                 uint16_t k_extension,
                                 uint16_t m_extension,
                                 uint16_t k_start,
                                 uint16_t m_start,
                                 uint8_t stride_w,
                                 uint8_t stride_h,
                                 uint8_t filter_w,
                                 uint8_t filter_h,
                                 uint8_t dilation_w,
                                 uint8_t dilation_h,
                                 bool transpose,
                                 bool small_k,
                                 T pad_value,
                                 bool size_w,
                                 bool size_h,
                                 bool matrix)
        : padList{pads[0], pads[1], pads[2], pads[3]},
          l1H(height),
          l1W(width),
          channelSize(channels),
          kExtension(k_extension),
          mExtension(m_extension),
          kStartPt(k_start),
          mStartPt(m_start),
          strideW(stride_w),
          strideH(stride_h),
          filterW(filter_w),
          filterH(filter_h),
          dilationFilterW(dilation_w),
          dilationFilterH(dilation_h),
          enTranspose(transpose),
          enSmallK(small_k),
          padValue(pad_value),
          filterSizeW(size_w),
          filterSizeH(size_h),
          fMatrixCtrl(matrix) {}

    uint8_t padList[PAD_SIZE]{};
    uint16_t l1H = 0;
    uint16_t l1W = 0;
    uint16_t channelSize = 0;
    uint16_t kExtension = 0;
    uint16_t mExtension = 0;
    uint16_t kStartPt = 0;
    uint16_t mStartPt = 0;
    uint8_t strideW = 1;
    uint8_t strideH = 1;
    uint8_t filterW = 1;
    uint8_t filterH = 1;
    uint8_t dilationFilterW = 1;
    uint8_t dilationFilterH = 1;
    bool enTranspose = false;
    bool enSmallK = false;
    T padValue{};
    bool filterSizeW = false;  // adds 256 to filterW
    bool filterSizeH = false;
    bool fMatrixCtrl = false;  // the right feature map's sizes instead of the left one's
};

/// Positions and extents packed: k extent, m extent, k start, m start, 16 bits each; strides and filter
/// likewise.
struct LoadData3DParamsV2Pro {
    LoadData3DParamsV2Pro() = default;

    constexpr LoadData3DParamsV2Pro(uint16_t channels,
                                    bool transpose,
                                    bool small_k,
                                    bool size_w,
                                    bool size_h,
                                    bool matrix,
                                    uint64_t ext,
                                    uint64_t filter)
        : channelSize(channels),
          enTranspose(transpose),
          enSmallK(small_k),
          filterSizeW(size_w),
          filterSizeH(size_h),
          fMatrixCtrl(matrix),
          extConfig(ext),
          filterConfig(filter) {}

    uint16_t channelSize = 0;
    bool enTranspose = false;
    bool enSmallK = false;
    bool filterSizeW = false;
    bool filterSizeH = false;
    bool fMatrixCtrl = false;
    uint64_t extConfig = 0;
    uint64_t filterConfig = 0x10101010101;
};

struct IsResetLoad3dConfig {
    bool isSetFMatrix = true;
    bool isSetPadding = true;
};

inline constexpr IsResetLoad3dConfig IS_RESER_LOAD3D_DEFAULT_CONFIG{true, true};

enum class FmatrixMode : uint8_t { FMATRIX_LEFT = 0, FMATRIX_RIGHT = 1 };

struct LoadDataRepeatParam {
    LoadDataRepeatParam() = default;

    constexpr LoadDataRepeatParam(uint16_t stride, uint8_t time, uint8_t mode)
        : repeatStride(stride), repeatTime(time), repeatMode(mode) {}

    uint16_t repeatStride = 0;
    uint8_t repeatTime = 1;
    uint8_t repeatMode = 0;
};

struct MmadParams {
    MmadParams() = default;

    constexpr MmadParams(uint16_t m_,
                         uint16_t n_,
                         uint16_t k_,
                         bool bias,
                         int32_t offset,
                         bool sparse,
                         bool winograd_a,
                         bool winograd_b)
        : m(m_),
          n(n_),
          k(k_),
          isBias(bias),
          fmOffset(offset),
          enSsparse(sparse),
          enWinogradA(winograd_a),
          enWinogradB(winograd_b) {}

    constexpr MmadParams(uint16_t m_, uint16_t n_, uint16_t k_, uint8_t unit_flag, bool source, bool init)
        : m(m_), n(n_), k(k_), unitFlag(unit_flag), cmatrixSource(source), cmatrixInitVal(init) {}

    uint16_t m = 0;
    uint16_t n = 0;
    uint16_t k = 0;
    bool isBias = false;
    int32_t fmOffset = 0;
    bool enSsparse = false;
    bool enWinogradA = false;
    bool enWinogradB = false;
    int8_t unitFlag = 0;
    bool kDirectionAlign = false;
    bool cmatrixSource = false;  // true: the sum starts from the bias table
    bool cmatrixInitVal = true;  // true: the sum starts from zero
};

struct Nd2NzParams {
    Nd2NzParams() = default;

    constexpr Nd2NzParams(uint16_t count,
                          uint16_t n,
                          uint16_t d,
                          uint16_t src_matrix_stride,
                          uint16_t src_d,
                          uint16_t dst_c0_stride,
                          uint16_t dst_n_stride,
                          uint16_t dst_matrix_stride)
        : ndNum(count),
          nValue(n),
          dValue(d),
          srcNdMatrixStride(src_matrix_stride),
          srcDValue(src_d),
          dstNzC0Stride(dst_c0_stride),
          dstNzNStride(dst_n_stride),
          dstNzMatrixStride(dst_matrix_stride) {}

    uint16_t ndNum = 0;
    uint16_t nValue = 0;
    uint16_t dValue = 0;
    uint16_t srcNdMatrixStride = 0;
    uint16_t srcDValue = 0;
    uint16_t dstNzC0Stride = 0;
    uint16_t dstNzNStride = 0;
    uint16_t dstNzMatrixStride = 0;
};

struct Nz2NdParamsFull {
    Nz2NdParamsFull() = default;

    constexpr Nz2NdParamsFull(uint16_t count,
                              uint16_t n,
                              uint16_t d,
                              uint16_t src_matrix_stride,
                              uint16_t src_n_stride,
                              uint16_t dst_d_stride,
                              uint16_t dst_matrix_stride)
        : ndNum(count),
          nValue(n),
          dValue(d),
          srcNdMatrixStride(src_matrix_stride),
          srcNStride(src_n_stride),
          dstDStride(dst_d_stride),
          dstNdMatrixStride(dst_matrix_stride) {}

    uint16_t ndNum = 1;
    uint16_t nValue = 0;
    uint16_t dValue = 0;
    uint16_t srcNdMatrixStride = 1;
    uint16_t srcNStride = 0;
    uint16_t dstDStride = 0;
    uint16_t dstNdMatrixStride = 1;
};

template <typename T>
struct InitConstValueParams {
    InitConstValueParams() = default;

    constexpr InitConstValueParams(uint16_t repeats, uint16_t blocks, uint16_t gap, T value)
        : repeatTimes(repeats), blockNum(blocks), dstGap(gap), initValue(value) {}

    constexpr InitConstValueParams(uint16_t repeats, T value) : repeatTimes(repeats), initValue(value) {}

    uint16_t repeatTimes = 0;
    uint16_t blockNum = 0;
    uint16_t dstGap = 0;
    T initValue{};
};

enum class CO2Layout : uint8_t { NZ = 0, ROW_MAJOR, COLUMN_MAJOR };

struct FixpipeConfig {
    CO2Layout format;
    bool isToUB = false;
};

inline constexpr FixpipeConfig CFG_NZ{CO2Layout::NZ};
inline constexpr FixpipeConfig CFG_ROW_MAJOR{CO2Layout::ROW_MAJOR};
inline constexpr FixpipeConfig CFG_COLUMN_MAJOR{CO2Layout::COLUMN_MAJOR};

struct FixpipeParamsV220 {
    FixpipeParamsV220() = default;

    constexpr FixpipeParamsV220(uint16_t n, uint16_t m, uint16_t src_stride, uint32_t dst_stride, bool relu)
        : nSize(n), mSize(m), srcStride(src_stride), dstStride(dst_stride), reluEn(relu) {}

    constexpr FixpipeParamsV220(uint16_t n,
                                uint16_t m,
                                uint16_t src_stride,
                                uint32_t dst_stride,
                                bool relu,
                                QuantMode_t quant,
                                int64_t scalar,
                                uint16_t count,
                                uint16_t src_nd_stride,
                                uint16_t dst_nd_stride,
                                uint8_t unit_flag)
        : nSize(n),
          mSize(m),
          srcStride(src_stride),
          dstStride(dst_stride),
          quantPre(quant),
          deqScalar(static_cast<uint64_t>(scalar)),
          ndNum(count),
          srcNdStride(src_nd_stride),
          dstNdStride(dst_nd_stride),
          reluEn(relu),
          unitFlag(unit_flag) {}

    uint16_t nSize = 0;
    uint16_t mSize = 0;
    uint16_t srcStride = 0;
    uint32_t dstStride = 0;
    QuantMode_t quantPre = QuantMode_t::NoQuant;
    uint64_t deqScalar = 0;
    uint16_t ndNum = 1;
    uint16_t srcNdStride = 0;
    uint16_t dstNdStride = 0;
    bool reluEn = false;
    uint8_t unitFlag = 0;
    bool isChannelSplit = false;
};

struct FixpipeParamsM300 : FixpipeParamsV220 {
    using FixpipeParamsV220::FixpipeParamsV220;

    uint8_t dualDstCtl = 0;
    bool subBlockId = false;
};

struct QuantParams {
    QuantParams() = default;

    constexpr QuantParams(QuantMode_t quant) : quantPre(quant) {}

    constexpr QuantParams(QuantMode_t quant, uint64_t scalar) : quantPre(quant), deqScalar(scalar) {}

    QuantMode_t quantPre = QuantMode_t::NoQuant;
    uint64_t deqScalar = 0;
};

struct Nz2NdParams {
    bool nz2ndEn = false;
    uint16_t ndNum = 1;
    uint16_t srcNdStride = 0;
    uint16_t dstNdStride = 0;
    uint16_t originalNSize = 0;
};

/// The older parameters: bursts of 16 columns, strides as gaps of 32 B.
template <typename SrcT>
struct FixpipeParams {
    FixpipeParams() = default;

    constexpr FixpipeParams(uint16_t count, uint16_t len, uint16_t src_stride, uint32_t dst_stride)
        : cburstNum(count), burstLen(len), srcStride(src_stride), dstStride(dst_stride) {}

    uint16_t cburstNum = 0;
    uint16_t burstLen = 0;
    uint16_t srcStride = 0;
    uint32_t dstStride = 0;
    QuantParams quantParams;
    bool reluEn = false;
    Nz2NdParams nz2ndParams;
    uint8_t unitFlag = 0;
};

struct DataCopyCO12DstParams {
    DataCopyCO12DstParams() = default;

    constexpr DataCopyCO12DstParams(uint16_t n,
                                    uint16_t m,
                                    uint32_t dst_stride,
                                    uint16_t src_stride,
                                    QuantMode_t quant,
                                    uint8_t relu,
                                    bool split,
                                    bool nz2nd)
        : nSize(n),
          mSize(m),
          dstStride(dst_stride),
          srcStride(src_stride),
          quantPre(quant),
          reluPre(relu),
          channelSplit(split),
          nz2ndEn(nz2nd) {}

    uint8_t sid = 0;
    uint16_t nSize = 0;
    uint16_t mSize = 0;
    uint32_t dstStride = 0;
    uint16_t srcStride = 0;
    uint8_t unitFlag = 0;
    uint8_t clipReluPre = 0;
    uint8_t eltWiseOp = 0;
    QuantMode_t quantPre = QuantMode_t::NoQuant;
    uint8_t reluPre = 0;
    bool channelSplit = false;
    bool nz2ndEn = false;
};

}  // namespace AscendC
