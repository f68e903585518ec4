// SPDX-License-Identifier: Apache-2.0
// What the host's code of a program calls where it looks at values that threads share, and where it changes
// them. The compiler puts these calls there (toolchain/shared_values/watch_values.cpp).
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "runtime/acl/threads/own_threads.hpp"

namespace ascendsim::program {
namespace {

/// What a value was before this thread's change.
thread_local std::array<std::byte, 16>
    value_before;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

}  // namespace
}  // namespace ascendsim::program

using ascendsim::program::HostThreads;

extern "C" {

void ascendsim_look_at(const void* place, std::uint32_t bytes, std::uint32_t loops) {
    if (HostThreads* threads = ascendsim::program::own_threads()) {
        threads->look_at(place, bytes, loops != 0);
    }
}

void ascendsim_before_change(const void* place, std::uint32_t bytes) {
    if (HostThreads* threads = ascendsim::program::own_threads()) {
        threads->settle();
        std::memcpy(ascendsim::program::value_before.data(), place, bytes);
    }
}

/// A change to the same value is a look, as of a thread that waits for a flag to be taken back.
void ascendsim_after_change(const void* place, std::uint32_t bytes, std::uint32_t loops) {
    HostThreads* threads = ascendsim::program::own_threads();
    if (threads == nullptr) {
        return;
    }
    if (std::memcmp(ascendsim::program::value_before.data(), place, bytes) != 0) {
        threads->changed(place);
    } else {
        threads->look_at(place, bytes, loops != 0);
    }
}

}  // extern "C"
