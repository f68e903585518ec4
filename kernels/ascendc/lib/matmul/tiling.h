// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ascendc/kernel_tiling/kernel_tiling.h"
#include "kernels/ascendc/matmul/types.h"
