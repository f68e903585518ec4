// SPDX-License-Identifier: Apache-2.0
// The chip, as code around operators asks for it.
#pragma once

#include <cstdint>
#include <string>

#include "platform/platform_infos_def.h"
#include "runtime/acl/op_api/types.hpp"
#include "tiling/platform/platform_ascendc.h"

namespace op {

enum class SocVersion {
    ASCEND910 = 0,
    ASCEND910B,
    ASCEND910_93,
    ASCEND910_95,
    ASCEND950,
    ASCEND910E,
    ASCEND310,
    ASCEND310P,
    ASCEND310B,
    ASCEND310C,
    ASCEND610LITE,
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

    [[nodiscard]] NpuArch GetCurNpuArch() const {
        return platform_ascendc::PlatformAscendC{}.GetCurNpuArch();
    }

    [[nodiscard]] std::string GetSocLongVersion() const { return "Ascend"; }

    /// B, of a block that kernels address.
    [[nodiscard]] int64_t GetBlockSize() const { return 32; }

    [[nodiscard]] int32_t GetDeviceId() const { return 0; }

    [[nodiscard]] fe::PlatFormInfos* GetPlatformInfos() const {
        static fe::PlatFormInfos infos;
        return &infos;
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

/// Words with GetString(), as op::ToString of shapes and types gives.
inline auto ToString(SocVersion version) {
    return Words{"chip " + std::to_string(static_cast<int>(version))};
}

}  // namespace op
