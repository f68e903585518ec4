// SPDX-License-Identifier: Apache-2.0
// The host's tiling functions of the high-level vector API.
#pragma once

#include "kernels/ascendc/tiling/adv_tiling_rows.h"
#include "kernels/ascendc/tiling/adv_tiling_shapes.h"
#include "kernels/ascendc/tiling/adv_tiling_size.h"
