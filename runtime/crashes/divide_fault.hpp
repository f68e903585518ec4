// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ucontext.h>

namespace ascendsim::runtime {

/// Completes the integer division that faulted at the context's place as the chip would: by zero the quotient
/// is 0 and the remainder the dividend; the one overflow wraps. Returns false, leaving the context alone, if
/// the place holds no division it understands. Safe in a signal handler.
[[nodiscard]] bool complete_division(ucontext_t& context);

}  // namespace ascendsim::runtime
