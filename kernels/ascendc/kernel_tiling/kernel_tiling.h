// SPDX-License-Identifier: Apache-2.0
// Tiling structs of the high-level API, field by field as kernels and their host sides name them.
#pragma once

#include <cstdint>

#include "kernels/ascendc/kernel_tiling/adv_tiling.h"
#include "kernels/ascendc/kernel_tiling/cube_tiling.h"
#include "kernels/ascendc/kernel_tiling/mc2_tiling.h"
