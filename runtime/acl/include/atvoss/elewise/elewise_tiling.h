// SPDX-License-Identifier: Apache-2.0
// What sources for this generation name of the next one's operators by element, whose tiling is not here.
#pragma once

#include "log/log.h"
#include "register/op_impl_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "util/math_util.h"
#include "util/platform_util.h"

namespace Ops {
namespace Base {

struct EleBaseTilingDataV2;
class ElewiseBaseTiling;

}  // namespace Base
}  // namespace Ops
