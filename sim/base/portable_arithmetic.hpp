// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ascendsim {

/// Makes the C library's `exp`, `log`, `sin`, `pow` and their like give the same bits on every x86-64
/// processor.
///
/// glibc picks one of several builds of these functions when a program starts; those that use fused
/// multiply-add round some results differently (glibc manual, "Errors in Math Functions"). The choice can
/// only be made from outside, by the tunable glibc.cpu.hwcaps. So a program calls this first in main(): where
/// the processor has fused multiply-add and the tunable does not rule it out yet, it sets the tunable, which
/// child processes inherit, and starts itself anew with the same arguments. Returns where nothing is to be
/// done, or where the program cannot be started anew.
void use_portable_arithmetic(char** arguments);

}  // namespace ascendsim
