// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "models/port/core_port.hpp"

namespace ascendsim::isa {

/// What the high-level Matmul of a kernel of both kinds of cores moves for itself [kernel_kfc.h and
/// kfc_comm.h of asc-devkit, basic_api/dav_c220]. Only the bytes in global memory are seen by who watches:
/// the core's own end of the copies is a place that the framework keeps for itself.
///
/// On a cube core: clears the boxes of its group's messages. 2 KiB of zeros are made in L1 and copied 8 times
/// for each vector core; one more copy of 64 bytes for each clears what tells of free memory. All of it is
/// done before the core goes on.
void clear_messages(Site site);

/// On a vector core: copies a message of 128 bytes, which the scalar unit has laid in UB, to `to`; MTE3. The
/// contents are stored by the caller.
void copy_message(std::byte* to, Site site);

}  // namespace ascendsim::isa
