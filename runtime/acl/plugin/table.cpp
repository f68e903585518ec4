// SPDX-License-Identifier: Apache-2.0
// Linked into each core's plug-in of a program: exports the records that its sections hold.
#include "runtime/acl/launch.hpp"

extern "C" {

// Made by the linker, where the section exists.
[[gnu::weak,
  gnu::visibility("hidden")]] extern const ascendsim::program::KernelCall __start_ascendsim_calls[];
[[gnu::weak, gnu::visibility("hidden")]] extern const ascendsim::program::KernelCall __stop_ascendsim_calls[];
[[gnu::weak, gnu::visibility("hidden")]] extern const ascendsim::program::KernelUse __start_ascendsim_uses[];
[[gnu::weak, gnu::visibility("hidden")]] extern const ascendsim::program::KernelUse __stop_ascendsim_uses[];
[[gnu::weak,
  gnu::visibility("hidden")]] extern const ascendsim::program::KernelUnits __start_ascendsim_units[];
[[gnu::weak,
  gnu::visibility("hidden")]] extern const ascendsim::program::KernelUnits __stop_ascendsim_units[];

ascendsim::program::ProgramTable ascendsim_program() {
    return {__start_ascendsim_calls,
            __stop_ascendsim_calls,
            __start_ascendsim_uses,
            __stop_ascendsim_uses,
            __start_ascendsim_units,
            __stop_ascendsim_units};
}
}
