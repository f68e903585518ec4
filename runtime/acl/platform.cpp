// SPDX-License-Identifier: Apache-2.0
#include "runtime/acl/device.hpp"
#include "runtime/acl/include/tiling/platform/platform_ascendc.h"
#include "sim/base/error.hpp"

namespace platform_ascendc {
namespace {

const ascendsim::ChipSpec& chip() {
    const ascendsim::program::Device* device = ascendsim::program::current_device();
    if (device == nullptr) {
        throw ascendsim::UserError{"the platform is asked about its chip before main has started"};
    }
    return device->chip();
}

}  // namespace

uint32_t PlatformAscendC::GetCoreNum() const {
    return chip().cores.split ? GetCoreNumAiv() : GetCoreNumAic();
}

SocVersion PlatformAscendC::GetSocVersion() const {
    const SocVersion own = GetOwnSocVersion();
    return own == SocVersion::ASCEND910_93 ? SocVersion::ASCEND910B : own;
}

SocVersion PlatformAscendC::GetOwnSocVersion() const {
    const std::string& name = chip().name;
    return name.starts_with("310p")   ? SocVersion::ASCEND310P
           : name.starts_with("310")  ? SocVersion::ASCEND310
           : name.starts_with("910b") ? SocVersion::ASCEND910B
           : name.starts_with("910c") ? SocVersion::ASCEND910_93
           : name.starts_with("910")  ? SocVersion::ASCEND910
           : chip().arch == "2201"    ? SocVersion::ASCEND910B
                                      : SocVersion::RESERVED_VERSION;
}

NpuArch PlatformAscendC::GetCurNpuArch() const {
    const std::string& arch = chip().arch;
    return arch == "1001"   ? NpuArch::DAV_1001
           : arch == "2002" ? NpuArch::DAV_2002
           : arch == "2201" ? NpuArch::DAV_2201
                            : NpuArch::DAV_RESV;
}

uint32_t PlatformAscendC::GetCoreNumAic() const {
    return chip().cores.aic;
}

uint32_t PlatformAscendC::GetCoreNumAiv() const {
    return chip().cores.split ? chip().cores.aiv : chip().cores.aic;
}

uint32_t PlatformAscendC::GetCoreNumVector() const {
    return 0;
}

uint32_t PlatformAscendC::CalcTschBlockDim(uint32_t sliceNum,
                                           uint32_t aicCoreNum,
                                           uint32_t aivCoreNum) const {
    // Documented: on split chips a block of a mixed kernel is one cube core with its vector cores.
    if (aicCoreNum == 0 || aivCoreNum == 0 || aicCoreNum > aivCoreNum) {
        return sliceNum;
    }
    const uint32_t ratio = aivCoreNum / aicCoreNum;
    return (sliceNum + ratio - 1) / ratio;
}

void PlatformAscendC::GetCoreMemSize(const CoreMemType& memType, uint64_t& size) const {
    const ascendsim::BufferSpec& buffers = chip().buffers;
    switch (memType) {
        case CoreMemType::L0_A:
            size = buffers.l0a;
            break;
        case CoreMemType::L0_B:
            size = buffers.l0b;
            break;
        case CoreMemType::L0_C:
            size = buffers.l0c;
            break;
        case CoreMemType::L1:
            size = buffers.l1;
            break;
        case CoreMemType::L2:
            size = chip().l2.bytes;
            break;
        case CoreMemType::UB:
            size = buffers.ub - reserved_;
            break;
        case CoreMemType::HBM:
            size = chip().hbm.bytes;
            break;
        case CoreMemType::FB:
            size = buffers.fixpipe_buffer;
            break;
        case CoreMemType::BT:
            size = buffers.bias_table;
            break;
        case CoreMemType::RESERVED:
            size = 0;
            break;
    }
}

void PlatformAscendC::GetCoreMemBw(const CoreMemType& memType, uint64_t& bwSize) const {
    const bool hbm = memType == CoreMemType::HBM;
    const bool l2 = memType == CoreMemType::L2;
    bwSize = l2    ? static_cast<uint64_t>(chip().port.read_bytes_per_cycle)
             : hbm ? static_cast<uint64_t>(chip().port.hbm_bytes_per_cycle)
                   : 0;
}

uint32_t PlatformAscendC::GetLibApiWorkSpaceSize() const {
    return 16U * 1024 * 1024;  // of Atlas A2, as host programs find it
}

uint32_t PlatformAscendC::GetResGroupBarrierWorkSpaceSize() const {
    return 0;
}

uint32_t PlatformAscendC::GetResCubeGroupWorkSpaceSize() const {
    return 0;
}

double ClockMegahertz() {
    return chip().cores.clock_ghz * 1e3;
}

PlatformAscendC* PlatformAscendCManager::GetInstance(const char* /*socVersion*/) {
    static PlatformAscendC platform;
    return &platform;
}

}  // namespace platform_ascendc
