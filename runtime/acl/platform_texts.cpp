// SPDX-License-Identifier: Apache-2.0
// The platform by names of sections and keys, as the host code of operators asks for it.
#include <fmt/format.h>

#include "runtime/acl/include/platform/platform_info.h"

namespace fe {
namespace {

using platform_ascendc::CoreMemType;
using platform_ascendc::PlatformAscendC;
using platform_ascendc::SocVersion;

std::string short_name() {
    switch (PlatformAscendC{}.GetOwnSocVersion()) {
        case SocVersion::ASCEND910B:
            return "Ascend910B";
        case SocVersion::ASCEND910_93:
            return "Ascend910_93";
        case SocVersion::ASCEND310P:
            return "Ascend310P";
        case SocVersion::ASCEND310:
            return "Ascend310";
        default:
            return "Ascend910";
    }
}

CoreMemType kind_of(LocalMemType type) {
    switch (type) {
        case LocalMemType::L0_A:
            return CoreMemType::L0_A;
        case LocalMemType::L0_B:
            return CoreMemType::L0_B;
        case LocalMemType::L0_C:
            return CoreMemType::L0_C;
        case LocalMemType::L1:
            return CoreMemType::L1;
        case LocalMemType::L2:
            return CoreMemType::L2;
        case LocalMemType::UB:
            return CoreMemType::UB;
        case LocalMemType::HBM:
            return CoreMemType::HBM;
        case LocalMemType::RESERVED:
            break;
    }
    return CoreMemType::RESERVED;
}

uint64_t bytes_of(CoreMemType type) {
    uint64_t size = 0;
    PlatformAscendC{}.GetCoreMemSize(type, size);
    return size;
}

/// What a split chip's instructions take. Only whether a list is there, and whether it has an entry, is
/// asked.
std::string instruction_types(const std::string& name) {
    if (PlatformAscendC{}.GetCurNpuArch() != NpuArch::DAV_2201) {
        return name == "Intrinsic_mmad" ? "f16f16 s8s8" : "";
    }
    if (name == "Intrinsic_fix_pipe_l0c2out") {
        return "f322f16 f322bf16 f322f32 s322s32 s322f16 f322s8 s322s8";
    }
    if (name == "Intrinsic_data_move_l12bt") {
        return "f162f32 f322f32 s322s32";
    }
    return name == "Intrinsic_mmad" ? "f16f16 bf16bf16 f32f32 s8s8 s4s4" : "";
}

}  // namespace

bool PlatFormInfos::GetPlatformRes(const std::string& section,
                                   const std::string& key,
                                   std::string& value) const {
    value.clear();
    if (section == "version" && (key == "Short_SoC_version" || key == "SoC_version")) {
        value = key == "SoC_version" && short_name() == "Ascend910B" ? "Ascend910B3" : short_name();
    } else if (section == "version" && key == "NpuArch") {
        value = fmt::format("{}", static_cast<uint32_t>(PlatformAscendC{}.GetCurNpuArch()));
    } else if (section == "AICoreintrinsicDtypeMap") {
        value = instruction_types(key);
    } else if (section == "SoCInfo" && key == "ai_core_cnt") {
        value = fmt::format("{}", PlatformAscendC{}.GetCoreNumAic());
    } else if (section == "SoCInfo" && key == "cube_core_cnt") {
        value = fmt::format("{}", PlatformAscendC{}.GetCoreNumAic());
    } else if (section == "SoCInfo" && key == "vector_core_cnt") {
        value = fmt::format("{}", PlatformAscendC{}.GetCoreNumAiv());
    } else if (section == "SoCInfo" && key == "l2_size") {
        value = fmt::format("{}", bytes_of(CoreMemType::L2));
    } else if (section == "SoCInfo" && key == "core_type_list") {
        value = "CubeCore,VectorCore";
    } else if (section == "AICoreSpec" && key == "ub_size") {
        value = fmt::format("{}", bytes_of(CoreMemType::UB));
    } else if (section == "AICoreSpec" && key == "l1_size") {
        value = fmt::format("{}", bytes_of(CoreMemType::L1));
    } else if (section == "AICoreSpec" && key == "bt_size") {
        value = fmt::format("{}", bytes_of(CoreMemType::BT));
    } else if (section == "AICoreSpec" && key == "cube_freq") {
        value = fmt::format("{:.0f}", platform_ascendc::ClockMegahertz());
    }
    return !value.empty();
}

void PlatFormInfos::GetLocalMemSize(const LocalMemType& type, uint64_t& size) const {
    size = bytes_of(kind_of(type));
}

void PlatFormInfos::GetLocalMemBw(const LocalMemType& type, uint64_t& width) const {
    PlatformAscendC{}.GetCoreMemBw(kind_of(type), width);
}

uint32_t PlatFormInfos::GetCoreNum() const {
    return PlatformAscendC{}.GetCoreNumAic();
}

uint32_t PlatFormInfos::GetCoreNumByType(const std::string& type) const {
    return type == "VectorCore" ? PlatformAscendC{}.GetCoreNumAiv() : PlatformAscendC{}.GetCoreNumAic();
}

std::string OptionalInfos::GetSocVersion() const {
    return short_name();
}

uint32_t OptionalInfos::GetAICoreNum() const {
    return PlatformAscendC{}.GetCoreNumAic();
}

PlatformInfoManager& PlatformInfoManager::Instance() {
    static PlatformInfoManager manager;
    return manager;
}

PlatformInfoManager& PlatformInfoManager::GeInstance() {
    return Instance();
}

uint32_t PlatformInfoManager::GetPlatformInfoWithOutSocVersion(PlatformInfo& platform,
                                                               OptionalInfo& optional) {
    const PlatformAscendC chip;
    platform.str_info.short_soc_version = short_name();
    platform.soc_info.ai_core_cnt = chip.GetCoreNumAic();
    platform.soc_info.vector_core_cnt = chip.GetCoreNumAiv();
    platform.soc_info.l2_size = bytes_of(CoreMemType::L2);
    platform.soc_info.memory_size = bytes_of(CoreMemType::HBM);
    platform.ai_core_spec = {.cube_freq = platform_ascendc::ClockMegahertz(),
                             .l0_a_size = bytes_of(CoreMemType::L0_A),
                             .l0_b_size = bytes_of(CoreMemType::L0_B),
                             .l0_c_size = bytes_of(CoreMemType::L0_C),
                             .l1_size = bytes_of(CoreMemType::L1),
                             .ub_size = bytes_of(CoreMemType::UB)};
    optional = {.soc_version = short_name(), .core_type = "AiCore", .ai_core_num = chip.GetCoreNumAic()};
    return 0;
}

}  // namespace fe
