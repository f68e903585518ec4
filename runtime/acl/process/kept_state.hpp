// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace ascendsim::program {

/// Told that code at `caller` calls `function` of the C library, which takes an open file, a variable that
/// the simulator reads, or the current folder from the process. Does not return if that is a kernel's: the
/// process is the simulator's.
using StateKeeper = void (*)(const char* function, const void* caller);

/// Sets it for the time a session runs, with the files that are open now and are the simulator's; null lets
/// everybody do as they like.
void set_state_keeper(StateKeeper keeper);

}  // namespace ascendsim::program
