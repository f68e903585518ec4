// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ascendc/ascendc/tiling_data.h"
