// SPDX-License-Identifier: Apache-2.0
// The platform as older host code asks for it.
#pragma once

#include "runtime/acl/include/platform/platform_infos_def.h"
#include "runtime/acl/include/tiling/platform/platform_ascendc.h"

namespace fe {

struct SoCInfo {
    uint32_t ai_core_cnt = 0;
    uint32_t vector_core_cnt = 0;
    uint32_t ai_cpu_cnt = 0;
    uint64_t memory_size = 0;  // B
    uint64_t l2_size = 0;      // B
    uint32_t l2PageNum = 0;
};

struct AiCoreSpec {
    double cube_freq = 0;  // MHz
    uint64_t l0_a_size = 0;
    uint64_t l0_b_size = 0;
    uint64_t l0_c_size = 0;
    uint64_t l1_size = 0;
    uint64_t ub_size = 0;
    uint64_t ubblock_size = 32;
    uint64_t ubbank_size = 0;
    uint64_t ubbank_num = 0;
    uint64_t ubbank_group_num = 0;
};

struct StrInfo {
    std::string short_soc_version;
    std::string aic_version;
};

struct PlatformInfo {
    StrInfo str_info;
    SoCInfo soc_info;
    AiCoreSpec ai_core_spec;
};

struct OptionalInfo {
    std::string soc_version;
    std::string core_type;
    uint32_t ai_core_num = 0;
};

/// The one platform there is: that of the run.
class PlatformInfoManager {
public:
    static PlatformInfoManager& Instance();
    static PlatformInfoManager& GeInstance();

    /// 0 if all is well, as in all of these.
    uint32_t InitializePlatformInfo() { return 0; }

    uint32_t GetPlatformInfoWithOutSocVersion(PlatformInfo& platform, OptionalInfo& optional);

    uint32_t GetPlatformInfoWithOutSocVersion(PlatFormInfos&, OptionalInfos&) { return 0; }

    uint32_t GetPlatformInfo(const std::string&, PlatformInfo& platform, OptionalInfo& optional) {
        return GetPlatformInfoWithOutSocVersion(platform, optional);
    }

    uint32_t GetPlatformInfos(const std::string&, PlatFormInfos&, OptionalInfos&) { return 0; }

    uint32_t GetPlatformInstanceByDevice(const uint32_t&, PlatFormInfos&) { return 0; }
};

}  // namespace fe
