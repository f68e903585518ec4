// SPDX-License-Identifier: Apache-2.0
// The host's side of kernels that communicate: fills what they hand to the communication server.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "kernels/ascendc/kernel_tiling/mc2_tiling.h"

namespace AscendC {

/// Says which task a kernel will ask for, in which communicator. What concerns the vendor's algorithms is
/// taken and changes nothing here: the node's file decides.
class Mc2CcTilingConfig {
public:
    Mc2CcTilingConfig(const std::string& groupName,
                      uint32_t opType,
                      const std::string& algConfig,
                      uint32_t reduceType = 0,
                      uint8_t dstDataType = 0,
                      uint8_t srcDataType = 0,
                      uint8_t commEngine = 0) {
        SetGroupName(groupName);
        SetOpType(opType);
        SetAlgConfig(algConfig);
        SetReduceType(reduceType, dstDataType, srcDataType);
        SetCommEngine(commEngine);
    }

    uint32_t GetTiling(::Mc2InitTiling& tiling) const {
        tiling = {};
        tiling.mark = ::Mc2InitTiling::filled;
        return wrong_;
    }

    uint32_t GetTiling(::Mc2CcTiling& tiling) const {
        tiling = tiling_;
        tiling.mark = wrong_ == 0 ? ::Mc2CcTiling::filled : 0;
        return wrong_;
    }

    uint32_t SetOpType(uint32_t opType) {
        tiling_.opType = opType;
        return note(opType != HCCL_CMD_INVALID && opType < HCCL_CMD_ALL);
    }

    uint32_t SetGroupName(const std::string& groupName) { return put(tiling_.groupName, groupName); }

    uint32_t SetAlgConfig(const std::string& algConfig) { return put(tiling_.algConfig, algConfig); }

    uint32_t SetReduceType(uint32_t reduceType, uint8_t = 0, uint8_t = 0) {
        tiling_.reduceType = reduceType;
        return 0;
    }

    uint32_t SetStepSize(uint8_t stepSize) {
        tiling_.stepSize = stepSize;
        return 0;
    }

    uint32_t SetSkipLocalRankCopy(uint8_t skip) {
        tiling_.skipLocalRankCopy = skip;
        return 0;
    }

    uint32_t SetSkipBufferWindowCopy(uint8_t skip) {
        tiling_.skipBufferWindowCopy = skip;
        return 0;
    }

    uint32_t SetDebugMode(uint8_t) { return 0; }

    uint32_t SetCommBlockNum(uint16_t) { return 0; }

    uint32_t SetQueueNum(uint16_t) { return 0; }

    uint32_t SetCommEngine(uint8_t commEngine) {
        tiling_.commEngine = commEngine;
        return 0;
    }

private:
    uint32_t note(bool right) {
        wrong_ = right ? wrong_ : 1;
        return right ? 0 : 1;
    }

    template <size_t size>
    uint32_t put(char (&to)[size], const std::string& text) {
        std::memset(to, 0, size);
        std::memcpy(to, text.data(), std::min(size - 1, text.size()));
        return note(text.size() < size);
    }

    ::Mc2CcTiling tiling_;
    uint32_t wrong_ = 0;
};

}  // namespace AscendC
