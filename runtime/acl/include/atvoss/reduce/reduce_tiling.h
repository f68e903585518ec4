// SPDX-License-Identifier: Apache-2.0
// What sources for this generation name of the next one's reductions, whose tiling is not here.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/ascendc/graph/types.h"
#include "log/log.h"
#include "register/op_impl_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "util/math_util.h"
#include "util/platform_util.h"

namespace Ops {
namespace Base {

constexpr uint64_t CACHE_BUF_SIZE = 16 * 1024UL;

struct ReduceOpCompileInfo {
    uint64_t vectorCoreNum = 0;
    uint64_t ubSize = 0;
    uint64_t cacheLineSize = 0;
    uint64_t ubBlockSize = 0;
    uint64_t vRegSize = 0;
};

struct ReduceOpInputParam {
    ge::DataType inputDtype = ge::DT_UNDEFINED;
    std::vector<int64_t> axes;
    std::vector<int64_t> shape;
};

struct ReduceTilingKey {
    uint32_t patternID = 0;
    uint32_t loopARCount = 0;
    uint32_t loopInnerARCount = 0;
};

}  // namespace Base
}  // namespace Ops
