// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ascendc/tiling/adv_tiling_api.h"
