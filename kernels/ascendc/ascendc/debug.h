// SPDX-License-Identifier: Apache-2.0
// Printing and assertions of kernels. Text goes to the error stream: standard output belongs to reports.
#pragma once

#include <cstdio>

#include "kernels/ascendc/ascendc/system.h"

namespace AscendC {

template <class... Args>
inline void printf(const char* format, Args&&... args) {
    if constexpr (sizeof...(Args) == 0) {
        std::fputs(format, stderr);
    } else {
        std::fprintf(stderr, format, args...);
    }
}

template <class... Args>
inline void PRINTF(const char* format, Args&&... args) {
    AscendC::printf(format, args...);
}

template <typename T>
inline void PrintValue(T value) {
    if constexpr (std::is_same_v<T, int4b_t>) {
        std::fprintf(stderr, "(%d %d) ", value.low(), value.high());
    } else if constexpr (std::is_integral_v<T>) {
        std::fprintf(stderr, "%lld ", static_cast<long long>(value));
    } else {
        std::fprintf(stderr, "%g ", static_cast<double>(static_cast<float>(value)));
    }
}

/// Prints the first `elements` of a tensor with the number that names the call.
template <typename T>
inline void DumpTensor(const LocalTensor<T>& tensor, uint32_t id, uint32_t elements) {
    std::fprintf(stderr, "DumpTensor %u, block %lld: ", id, static_cast<long long>(GetBlockIdx()));
    for (uint32_t i = 0; i < elements; ++i) {
        PrintValue(reinterpret_cast<const T*>(tensor.GetPhyAddr())[i]);
    }
    std::fputc('\n', stderr);
}

template <typename T>
inline void DumpTensor(const GlobalTensor<T>& tensor, uint32_t id, uint32_t elements) {
    std::fprintf(stderr, "DumpTensor %u, block %lld: ", id, static_cast<long long>(GetBlockIdx()));
    for (uint32_t i = 0; i < elements; ++i) {
        PrintValue(tensor.GetPhyAddr()[i]);
    }
    std::fputc('\n', stderr);
}

template <typename T>
inline void DumpTensor(const LocalTensor<T>& tensor, uint32_t id, uint32_t elements, const ShapeInfo&) {
    DumpTensor(tensor, id, elements);
}

template <typename T>
inline void DumpTensor(const GlobalTensor<T>& tensor, uint32_t id, uint32_t elements, const ShapeInfo&) {
    DumpTensor(tensor, id, elements);
}

template <typename T>
inline void DumpAccChkPoint(const LocalTensor<T>& tensor, uint32_t id, uint32_t offset, uint32_t elements) {
    DumpTensor(tensor[offset], id, elements);
}

template <typename T>
inline void DumpAccChkPoint(const GlobalTensor<T>& tensor, uint32_t id, uint32_t offset, uint32_t elements) {
    DumpTensor(tensor[offset], id, elements);
}

inline void PrintTimeStamp(uint32_t) {}

/// Where dumps go; here they go to the error stream at once, and need no memory.
inline void InitDump(bool, uint32_t) {}

inline void InitDump(bool, GM_ADDR, uint32_t) {}

/// Stops the kernel unless `holds`. A zero, so that ASSERT may also stand behind a value, see below.
inline int StopUnless(bool holds, const char* condition, Site site = Site::here()) {
    if (!holds) {
        ascendsim::isa::kernel_fault("assertion failed", condition, site);
    }
    return 0;
}

}  // namespace AscendC

#define ascendc_assert(condition, ...)                                                           \
    do {                                                                                         \
        if (!(condition)) {                                                                      \
            ascendsim::isa::kernel_fault("assertion failed", #condition, AscendC::Site::here()); \
        }                                                                                        \
    } while (false)
// The vendor checks it in the CPU debug build, and so do we: what it finds would be wrong on the chip as
// well. What is to be done about it, in braces, is no condition, and left out.
#define ASCENDC_ASSERT(condition, ...) ascendc_assert(condition)
#define KERNEL_LOG(level, format, ...) static_cast<void>(0)
#define ASCENDC_REPORT_NOT_SUPPORT(condition, api) ascendc_assert(condition)
#ifndef assert
#define assert(...) ascendc_assert((__VA_ARGS__))
#endif
// Nothing at all in the chip's compiler unless it is asked to debug, so kernels have it in odd places:
// published ones write `tiles = n ASSERT(n != 0);`, with a line break before it. With its sign it is a
// statement, and adds nothing to a value.
#ifndef ASSERT
#define ASSERT(...) +AscendC::StopUnless(static_cast<bool>((__VA_ARGS__)), #__VA_ARGS__)
#endif
