// SPDX-License-Identifier: Apache-2.0
// What kernel unit tests use: memory that host and kernel both see, and running a kernel as a call.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/acl/launch.hpp"

enum class KernelMode { MIX_MODE = 0, AIC_MODE, AIV_MODE, MIX_AIC_1_1 };

namespace AscendC {

using ::KernelMode;

/// Global memory that the host may read and write directly; zeroed. Null if the chip has no more.
void* GmAlloc(size_t size, ascendsim::Site site = ascendsim::Site::here());
void GmFree(void* pointer, ascendsim::Site site = ascendsim::Site::here());

/// Which cores the kernels run on from here; without it, what the kernel says.
void SetKernelMode(KernelMode mode);

}  // namespace AscendC

namespace ascendsim::program {

void set_tiling_key_of_launches(std::uint64_t key);
[[nodiscard]] std::optional<CoreUse> stated_cores();
[[nodiscard]] std::uint64_t tiling_key_of_launches();

/// A launch with the mode and tiling key set before.
template <class Call>
PendingLaunch<Call> run_kernel([[maybe_unused]] const char* text,
                               [[maybe_unused]] Site site,
                               Call /*call*/,
                               [[maybe_unused]] const void* kernel,
                               [[maybe_unused]] std::uint32_t blocks) {
#ifdef ASCENDSIM_HOST
    return PendingLaunch<Call>{{.text = text,
                                .call = &typeid(Call),
                                .kernel = kernel,
                                .blocks = blocks,
                                .site = site,
                                .cores = stated_cores(),
                                .tiling_key = tiling_key_of_launches(),
                                .host_waits = true}};
#else
    return PendingLaunch<Call>{{}};
#endif
}

}  // namespace ascendsim::program

// The function may be a kernel, one of its instances in brackets, a variable that holds either, or a closure
// without captures.
#define ICPU_RUN_KF(function, blocks, ...)                                      \
    ::ascendsim::program::run_kernel(                                           \
        #function,                                                              \
        ::ascendsim::Site::here(),                                              \
        [&](auto... ascendsim_arguments) { function(ascendsim_arguments...); }, \
        ::ascendsim::program::kernel_in_variable(function),                     \
        static_cast<std::uint32_t>(blocks))(__VA_ARGS__)
#define ICPU_SET_TILING_KEY(key) ::ascendsim::program::set_tiling_key_of_launches(key)
