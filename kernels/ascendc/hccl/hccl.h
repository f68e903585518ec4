// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel_operator.h"

// A host program gets the collective library's calls under this name, too.
#if defined(ASCENDSIM_PROGRAM) && __has_include_next("hccl/hccl.h")
#include_next "hccl/hccl.h"
#endif
