// SPDX-License-Identifier: Apache-2.0
// The chip, as code around operators asks for it.
#pragma once

#include <cstdint>
#include <string>

#include "tiling/platform/platform_ascendc.h"

namespace op {

enum class SocVersion {
    ASCEND910 = 0,
    ASCEND910B,
    ASCEND910_93,
    ASCEND910_95,
    ASCEND310P,
    ASCEND310B,
    RESERVED_VERSION = 99999
};

/// The simulated chip.
class PlatformInfo {
public:
    [[nodiscard]] SocVersion GetSocVersion() const {
        using Chip = platform_ascendc::SocVersion;
        switch (platform_ascendc::PlatformAscendC{}.GetOwnSocVersion()) {
            case Chip::ASCEND910:
                return SocVersion::ASCEND910;
            case Chip::ASCEND910_93:
                return SocVersion::ASCEND910_93;
            case Chip::ASCEND310P:
                return SocVersion::ASCEND310P;
            default:
                return SocVersion::ASCEND910B;
        }
    }

    [[nodiscard]] uint32_t GetCubeCoreNum() const {
        return platform_ascendc::PlatformAscendCManager::GetInstance()->GetCoreNumAic();
    }

    [[nodiscard]] uint32_t GetVectorCoreNum() const {
        return platform_ascendc::PlatformAscendCManager::GetInstance()->GetCoreNumAiv();
    }
};

inline const PlatformInfo& GetCurrentPlatformInfo() {
    static const PlatformInfo info;
    return info;
}

}  // namespace op
