// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ascendsim::toolchain {

/// Words for the linker of a host program: its calls for threads, locks and waiting go to
/// runtime/acl/thread_calls.cpp, which lets one thread run at a time. Those that the C++ library makes from
/// its own code are not the program's, so its functions for threads are among them.
[[nodiscard]] std::vector<std::string> thread_call_words();

}  // namespace ascendsim::toolchain
