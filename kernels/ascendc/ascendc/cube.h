// SPDX-License-Identifier: Apache-2.0
// The cube's part of the Ascend C API.
#pragma once

#include "kernels/ascendc/ascendc/cce_cube.h"
#include "kernels/ascendc/ascendc/cube/cube_load.h"
#include "kernels/ascendc/ascendc/cube/cube_mmad.h"
#include "kernels/ascendc/ascendc/cube/cube_params.h"
#include "kernels/ascendc/ascendc/cube/cube_result.h"
