// SPDX-License-Identifier: Apache-2.0
// Names of the host's tiling framework, for headers that declare functions of it beside a kernel's structs.
// There is nothing behind them: an operator's own tiling function does not run here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/ascendc/ascendc/tiling_data.h"
#include "kernels/ascendc/graph/types.h"

namespace ge {
using graphStatus = uint32_t;
inline constexpr graphStatus GRAPH_SUCCESS = 0;
inline constexpr graphStatus GRAPH_FAILED = 0xFFFFFFFF;
inline constexpr graphStatus GRAPH_NOT_CHANGED = 1343242304;
inline constexpr graphStatus GRAPH_PARAM_INVALID = 50331649;
inline constexpr graphStatus GRAPH_PARAM_OUT_OF_RANGE = 50331644;
inline constexpr graphStatus GRAPH_ADD_OVERFLOW = 50331428;
inline constexpr graphStatus GRAPH_MUL_OVERFLOW = 50331427;
using Status = uint32_t;
inline constexpr Status SUCCESS = 0;
inline constexpr Status FAILED = 0xFFFFFFFF;
}  // namespace ge

namespace gert {
class TilingContext;
class TilingParseContext;
class InferShapeContext;
class Shape;
class StorageShape;
}  // namespace gert
