// SPDX-License-Identifier: Apache-2.0
// Sizes of the chip, by the context of a tiling function.
#pragma once

#include "runtime/acl/host_context.hpp"

namespace Ops {
namespace Base {

template <class Context>
uint32_t GetAivCoreNum(const Context*) {
    return platform_ascendc::PlatformAscendC{}.GetCoreNumAiv();
}

template <class Context>
uint32_t GetAicCoreNum(const Context*) {
    return platform_ascendc::PlatformAscendC{}.GetCoreNumAic();
}

template <class Context>
uint32_t GetUbSize(const Context*) {
    uint64_t bytes = 0;
    platform_ascendc::PlatformAscendC{}.GetCoreMemSize(platform_ascendc::CoreMemType::UB, bytes);
    return static_cast<uint32_t>(bytes);
}

/// Bytes of a block of the unified buffer.
template <class Context>
uint32_t GetUbBlockSize(const Context*) {
    return 32U;
}

/// Bytes that a vector instruction works on at a time.
template <class Context>
uint32_t GetVRegSize(const Context*) {
    return 256U;
}

/// Bytes of a line of the data cache.
template <class Context>
uint32_t GetCacheLineSize(const Context*) {
    return 256U;
}

template <class Context>
uint32_t GetWorkspaceSize(const Context*) {
    return platform_ascendc::PlatformAscendC{}.GetLibApiWorkSpaceSize();
}

}  // namespace Base
}  // namespace Ops
