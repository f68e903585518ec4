// SPDX-License-Identifier: Apache-2.0
// Parameter structs of the vector and data-copy API.
#pragma once

#include "kernels/ascendc/ascendc/types.h"

namespace AscendC {

struct UnaryRepeatParams {
    UnaryRepeatParams() = default;

    constexpr UnaryRepeatParams(uint16_t dst_block,
                                uint16_t src_block,
                                uint8_t dst_repeat,
                                uint8_t src_repeat)
        : dstBlkStride(dst_block),
          srcBlkStride(src_block),
          dstRepStride(dst_repeat),
          srcRepStride(src_repeat) {}

    constexpr UnaryRepeatParams(
        uint16_t dst_block, uint16_t src_block, uint8_t dst_repeat, uint8_t src_repeat, bool half_block)
        : dstBlkStride(dst_block),
          srcBlkStride(src_block),
          dstRepStride(dst_repeat),
          srcRepStride(src_repeat),
          halfBlock(half_block) {}

    uint32_t blockNumber = DEFAULT_BLK_NUM;
    uint16_t dstBlkStride = DEFAULT_BLK_STRIDE;
    uint16_t srcBlkStride = DEFAULT_BLK_STRIDE;
    uint8_t dstRepStride = DEFAULT_REPEAT_STRIDE;
    uint8_t srcRepStride = DEFAULT_REPEAT_STRIDE;
    bool repeatStrideMode = false;
    bool strideSizeMode = false;
    bool halfBlock = false;
};

struct BinaryRepeatParams {
    BinaryRepeatParams() = default;

    constexpr BinaryRepeatParams(uint8_t dst_block,
                                 uint8_t src0_block,
                                 uint8_t src1_block,
                                 uint8_t dst_repeat,
                                 uint8_t src0_repeat,
                                 uint8_t src1_repeat)
        : dstBlkStride(dst_block),
          src0BlkStride(src0_block),
          src1BlkStride(src1_block),
          dstRepStride(dst_repeat),
          src0RepStride(src0_repeat),
          src1RepStride(src1_repeat) {}

    uint32_t blockNumber = DEFAULT_BLK_NUM;
    uint8_t dstBlkStride = DEFAULT_BLK_STRIDE;
    uint8_t src0BlkStride = DEFAULT_BLK_STRIDE;
    uint8_t src1BlkStride = DEFAULT_BLK_STRIDE;
    uint8_t dstRepStride = DEFAULT_REPEAT_STRIDE;
    uint8_t src0RepStride = DEFAULT_REPEAT_STRIDE;
    uint8_t src1RepStride = DEFAULT_REPEAT_STRIDE;
    bool repeatStrideMode = false;
    bool strideSizeMode = false;
};

struct CopyRepeatParams {
    CopyRepeatParams() = default;

    constexpr CopyRepeatParams(uint16_t dst, uint16_t src, uint16_t dst_repeat, uint16_t src_repeat)
        : dstStride(dst), srcStride(src), dstRepeatSize(dst_repeat), srcRepeatSize(src_repeat) {}

    uint16_t dstStride = DEFAULT_BLK_STRIDE;
    uint16_t srcStride = DEFAULT_BLK_STRIDE;
    uint16_t dstRepeatSize = DEFAULT_REPEAT_STRIDE;
    uint16_t srcRepeatSize = DEFAULT_REPEAT_STRIDE;
};

struct BrcbRepeatParams {
    BrcbRepeatParams() = default;

    constexpr BrcbRepeatParams(uint16_t dst_block, uint16_t dst_repeat)
        : dstBlkStride(dst_block), dstRepStride(dst_repeat) {}

    uint32_t blockNumber = DEFAULT_BLK_NUM;
    uint16_t dstBlkStride = DEFAULT_BLK_STRIDE;
    uint16_t dstRepStride = DEFAULT_REPEAT_STRIDE;
};

struct GatherRepeatParams {
    GatherRepeatParams() = default;

    constexpr GatherRepeatParams(uint8_t dst_block, uint8_t dst_repeat)
        : dstBlkStride(dst_block), dstRepStride(dst_repeat) {}

    uint32_t blockNumber = DEFAULT_BLK_NUM;
    uint8_t dstBlkStride = DEFAULT_BLK_STRIDE;
    uint8_t dstRepStride = DEFAULT_REPEAT_STRIDE;
    bool repeatStrideMode = false;
    bool strideSizeMode = false;
};

struct GatherMaskParams {
    GatherMaskParams() = default;

    constexpr GatherMaskParams(uint8_t src0_block,
                               uint16_t repeats,
                               uint16_t src0_repeat,
                               uint16_t src1_repeat)
        : src0BlockStride(src0_block),
          repeatTimes(repeats),
          src0RepeatStride(src0_repeat),
          src1RepeatStride(src1_repeat) {}

    uint8_t src0BlockStride = DEFAULT_BLK_STRIDE;
    uint16_t repeatTimes = 0;
    uint16_t src0RepeatStride = DEFAULT_REPEAT_STRIDE;
    uint8_t src1RepeatStride = DEFAULT_REPEAT_STRIDE;
};

struct TransDataTo5HDParams {
    TransDataTo5HDParams() = default;

    constexpr TransDataTo5HDParams(
        bool dst_high, bool src_high, uint8_t repeats, uint16_t dst_repeat, uint16_t src_repeat)
        : dstHighHalf(dst_high),
          srcHighHalf(src_high),
          repeatTimes(repeats),
          dstRepStride(dst_repeat),
          srcRepStride(src_repeat) {}

    bool dstHighHalf = false;
    bool srcHighHalf = false;
    uint8_t repeatTimes = 1;
    uint16_t dstRepStride = 0;
    uint16_t srcRepStride = 0;
};

enum class TransposeType : uint8_t {
    TRANSPOSE_TYPE_NONE,
    TRANSPOSE_NZ2ND_0213,
    TRANSPOSE_NZ2NZ_0213,
    TRANSPOSE_NZ2NZ_012_WITH_N,
    TRANSPOSE_NZ2ND_012_WITH_N,
    TRANSPOSE_NZ2ND_012_WITHOUT_N,
    TRANSPOSE_NZ2NZ_012_WITHOUT_N,
    TRANSPOSE_ND2ND_ONLY,
    TRANSPOSE_ND_UB_GM,
    TRANSPOSE_GRAD_ND_UB_GM,
    TRANSPOSE_ND2ND_B16,
    TRANSPOSE_NCHW2NHWC,
    TRANSPOSE_NHWC2NCHW,
};

struct TransposeParamsExt {
    uint16_t nSize = 0;
    uint16_t cSize = 0;
    uint16_t hSize = 0;
    uint16_t wSize = 0;
    TransposeType transposeType = TransposeType::TRANSPOSE_ND2ND_B16;
};

struct DataCopyParams {
    DataCopyParams() = default;

    constexpr DataCopyParams(uint16_t count, uint16_t len, uint16_t src_gap, uint16_t dst_gap)
        : blockCount(count), blockLen(len), srcGap(src_gap), dstGap(dst_gap) {}

    uint16_t blockCount = 1;
    uint16_t blockLen = 0;

    union {
        uint16_t srcGap = 0;
        uint16_t srcStride;
    };

    union {
        uint16_t dstGap = 0;
        uint16_t dstStride;
    };
};

struct DataCopyExtParams {
    DataCopyExtParams() = default;

    constexpr DataCopyExtParams(
        uint16_t count, uint32_t len, uint32_t src_stride, uint32_t dst_stride, uint32_t reserved)
        : blockCount(count), blockLen(len), srcStride(src_stride), dstStride(dst_stride), rsv(reserved) {}

    uint16_t blockCount = 1;
    uint32_t blockLen = 0;
    uint32_t srcStride = 0;
    uint32_t dstStride = 0;
    uint32_t rsv = 0;
};

struct DataCopyPadParams {
    DataCopyPadParams() = default;

    constexpr DataCopyPadParams(bool pads, uint8_t left, uint8_t right, uint64_t value)
        : isPad(pads), leftPadding(left), rightPadding(right), paddingValue(value) {}

    bool isPad = false;
    uint8_t leftPadding = 0;
    uint8_t rightPadding = 0;
    uint64_t paddingValue = 0;
};

template <typename T>
struct DataCopyPadExtParams {
    using TYPE = T;
    DataCopyPadExtParams() = default;

    constexpr DataCopyPadExtParams(bool pads, uint8_t left, uint8_t right, T value)
        : isPad(pads), leftPadding(left), rightPadding(right), paddingValue(value) {}

    /// Both numbers of a pair get `value`.
    constexpr DataCopyPadExtParams(bool pads,
                                   uint8_t left,
                                   uint8_t right,
                                   int value) requires std::is_same_v<T, int4b_t>
        : isPad(pads), leftPadding(left), rightPadding(right), paddingValue(int4b_t::pack(value, value)) {}

    bool isPad = false;
    uint8_t leftPadding = 0;
    uint8_t rightPadding = 0;
    T paddingValue{};
};

struct DataCopyEnhancedParams {
    DataCopyEnhancedParams() = default;

    constexpr DataCopyEnhancedParams(BlockMode block,
                                     DeqScale deq,
                                     uint64_t deq_value,
                                     uint8_t sid,
                                     bool relu,
                                     pad_t pad,
                                     uint64_t pad_value)
        : blockMode(block),
          deqScale(deq),
          deqValue(deq_value),
          sidStoreMode(sid),
          isRelu(relu),
          padMode(pad),
          padValue(pad_value) {}

    BlockMode blockMode = BlockMode::BLOCK_MODE_NORMAL;
    DeqScale deqScale = DeqScale::DEQ_NONE;
    uint64_t deqValue = 0;
    uint8_t sidStoreMode = 0;
    bool isRelu = false;
    pad_t padMode = pad_t::PAD_NONE;
    uint64_t padValue = 0;
};

/// Most dimensions of a ShapeInfo, and of a slice.
inline constexpr int32_t K_MAX_DIM = 8;

struct SliceInfo {
    SliceInfo() = default;

    constexpr SliceInfo(uint32_t start, uint32_t end, uint32_t stride_, uint32_t burst, uint32_t shape = 0)
        : startIndex(start), endIndex(end), stride(stride_), burstLen(burst), shapeValue(shape) {}

    uint32_t startIndex = 0;
    uint32_t endIndex = 0;
    uint32_t stride = 0;
    uint32_t burstLen = 0;
    uint32_t shapeValue = 0;
};

struct MrgSort4Info {
    MrgSort4Info() = default;

    constexpr MrgSort4Info(const uint16_t (&lengths)[4], bool exhausted, uint16_t valid, uint16_t repeats)
        : elementLengths{lengths[0], lengths[1], lengths[2], lengths[3]},
          ifExhaustedSuspension(exhausted),
          validBit(valid),
          repeatTimes(static_cast<uint8_t>(repeats)) {}

    uint16_t elementLengths[4]{};
    bool ifExhaustedSuspension = false;
    uint16_t validBit = 0;
    uint8_t repeatTimes = 1;
};

}  // namespace AscendC
