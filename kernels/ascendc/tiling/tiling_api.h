// SPDX-License-Identifier: Apache-2.0
// The host's tiling functions of the high-level API.
#pragma once

#include <iostream>  // published hosts print without including it

#include "kernels/ascendc/kernel_tiling/kernel_tiling.h"
#include "kernels/ascendc/tiling/adv_tiling_api.h"
// A kernel's build that defines the graph engine's type names as macros has no use for the host's classes.
#ifndef DT_FLOAT16
#include "kernels/ascendc/tiling/matmul_tiling.h"
#endif
