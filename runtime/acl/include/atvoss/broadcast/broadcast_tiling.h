// SPDX-License-Identifier: Apache-2.0
// What sources for this generation include of the next one's broadcasts, whose tiling is not here.
#pragma once

#include "log/log.h"
#include "register/op_impl_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "util/math_util.h"
#include "util/platform_util.h"
