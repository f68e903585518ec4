// SPDX-License-Identifier: Apache-2.0
// What tiling code asks about the chip. Values are those of the chip the program runs on.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/acl/include/platform/platform_infos_def.h"
#include "runtime/acl/include/platform/soc_spec.h"

namespace platform_ascendc {

enum class CoreMemType {
    L0_A = 0,
    L0_B = 1,
    L0_C = 2,
    L1 = 3,
    L2 = 4,
    UB = 5,
    HBM = 6,
    FB = 7,
    BT = 8,
    RESERVED
};

enum class SocVersion {
    ASCEND910 = 0,
    ASCEND910B,
    ASCEND310P,
    ASCEND310B,
    ASCEND910_95,
    ASCEND910_55,
    ASCEND950,
    ASCEND910_93,
    ASCEND310,
    KIRINX90,
    KIRIN9030,
    MC62CM12A,
    RESERVED_VERSION = 99999,
};

using ::NpuArch;

/// How much of the unified buffer the high-level API keeps for itself.
enum class ReservedSize { RESERVED_SIZE_8K = 0, RESERVED_SIZE_16K, RESERVED_SIZE_32K };

class PlatformAscendC {
public:
    explicit PlatformAscendC(fe::PlatFormInfos* /*platform*/ = nullptr) {}

    /// Vector cores of a split chip, cores of a coupled one.
    uint32_t GetCoreNum() const;
    /// What the tiling of operators is told: a 910C is a 910B to it (asc-devkit, platform_ascendc.cpp, has
    /// "Ascend910_93" as ASCEND910B).
    SocVersion GetSocVersion() const;
    /// The chip's own, as the interface of operators (op::SocVersion) and texts have it.
    SocVersion GetOwnSocVersion() const;
    NpuArch GetCurNpuArch() const;
    uint32_t GetCoreNumAic() const;
    uint32_t GetCoreNumAiv() const;
    /// Vector cores that stand by themselves (310P); 0 elsewhere.
    uint32_t GetCoreNumVector() const;
    /// Blocks to launch so that `sliceNum` slices have as many cores as there are.
    uint32_t CalcTschBlockDim(uint32_t sliceNum, uint32_t aicCoreNum, uint32_t aivCoreNum) const;

    uint32_t CalcTschNumBlocks(uint32_t sliceNum, uint32_t aicCoreNum, uint32_t aivCoreNum) const {
        return CalcTschBlockDim(sliceNum, aicCoreNum, aivCoreNum);
    }

    /// Bytes of a memory.
    void GetCoreMemSize(const CoreMemType& memType, uint64_t& size) const;
    /// Bytes a cycle of one core on its way to a memory.
    void GetCoreMemBw(const CoreMemType& memType, uint64_t& bwSize) const;
    /// Workspace the high-level API takes in front of the user's, in bytes.
    uint32_t GetLibApiWorkSpaceSize() const;
    uint32_t GetResGroupBarrierWorkSpaceSize() const;
    uint32_t GetResCubeGroupWorkSpaceSize() const;

    void ReserveLocalMemory(ReservedSize size) { reserved_ = 8192U << static_cast<uint32_t>(size); }

private:
    uint32_t reserved_ = 0;  // B, of the unified buffer
};

/// The clock of the AI cores.
double ClockMegahertz();

class PlatformAscendCManager {
public:
    /// The chip of the run, whatever name is asked for.
    static PlatformAscendC* GetInstance(const char* socVersion = nullptr);
};

}  // namespace platform_ascendc
