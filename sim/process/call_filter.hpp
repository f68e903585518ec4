// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ascendsim::process {

/// Refuses what no simulation and no compiler needs of the system, such as sockets and other processes'
/// memory, to this process and all that it starts: such calls fail with EPERM. For good.
void refuse_reaching_out();

/// Refuses everything but computing, memory, threads and open files. What a breach is told of, and calls that
/// name a file, raise SIGSYS; other calls fail as on a system that does not have them. For good.
void refuse_all_but_computing();

/// In the last argument of a call that names a file: it comes from the handler of SIGSYS and passes.
inline constexpr std::uint32_t handler_mark = 0x41534E50;

/// What a call that raised SIGSYS tried, as in "open a network connection"; null for one that names a file.
[[nodiscard]] const char* tried_by(long call);

}  // namespace ascendsim::process
