// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ascendc/tiling/hccl/hccl_tiling.h"
