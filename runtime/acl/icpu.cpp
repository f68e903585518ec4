// SPDX-License-Identifier: Apache-2.0
// Memory and modes of kernel unit tests.
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "runtime/acl/acl_state.hpp"
#include "runtime/acl/include/tikicpulib.h"
#include "sim/base/error.hpp"

namespace ascendsim::program {
namespace {

struct IcpuState {
    std::optional<CoreUse> cores;
    std::uint64_t tiling_key = 0;
};

IcpuState& state() {
    static IcpuState modes;
    return modes;
}

}  // namespace

void set_tiling_key_of_launches(std::uint64_t key) {
    state().tiling_key = key;
}

std::optional<CoreUse> stated_cores() {
    return state().cores;
}

std::uint64_t tiling_key_of_launches() {
    return state().tiling_key;
}

}  // namespace ascendsim::program

namespace AscendC {

using ascendsim::CoreUse;
using ascendsim::program::acl_device;
using ascendsim::program::acl_failure;

void* GmAlloc(size_t size, ascendsim::Site site) {
    ascendsim::program::Device* device = acl_device("GmAlloc");
    if (device == nullptr) {
        return nullptr;
    }
    try {
        const std::string_view file{site.file};
        std::byte* memory = device->memory().allocate(
            fmt::format("GmAlloc of {}:{}", file.substr(file.find_last_of('/') + 1), site.line), size);
        // The host writes there without a call: what it leaves cannot be told from what it meant to write.
        device->host_wrote(device->memory().offset_of(memory), size);
        return memory;
    } catch (const ascendsim::UserError& error) {
        acl_failure(ACL_ERROR_RT_MEMORY_ALLOCATION, fmt::format("GmAlloc: {}", error.what()));
        return nullptr;
    }
}

void GmFree(void* pointer, ascendsim::Site site) {
    ascendsim::program::Device* device = acl_device("GmFree");
    if (device == nullptr) {
        return;
    }
    if (!ascendsim::program::on_device(*device, pointer, 0)) {
        acl_failure(ACL_ERROR_RT_PARAM_INVALID,
                    fmt::format("GmFree at {}:{}: not from GmAlloc, or freed before", site.file, site.line));
        return;
    }
    device->memory().release(static_cast<std::byte*>(pointer));
}

void SetKernelMode(KernelMode mode) {
    switch (mode) {
        case KernelMode::MIX_MODE:
            ascendsim::program::state().cores = CoreUse::mix_1_2;
            break;
        case KernelMode::AIC_MODE:
            ascendsim::program::state().cores = CoreUse::aic;
            break;
        case KernelMode::AIV_MODE:
            ascendsim::program::state().cores = CoreUse::aiv;
            break;
        case KernelMode::MIX_AIC_1_1:
            ascendsim::program::state().cores = CoreUse::mix_1_1;
            break;
    }
}

}  // namespace AscendC
