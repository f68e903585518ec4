// SPDX-License-Identifier: Apache-2.0
// The host side of an operator project (API reference, Tiling and prototype registration): its definition,
// and the contexts that its functions read. They really run: ascendsim op, and scenarios whose tiling names
// them.
#pragma once

// Libraries count on headers of the standard library that the vendor's bring along.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <sstream>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "graph/operator.h"
#include "register/op_impl_registry.h"
#include "register/tilingdata_base.h"
#include "runtime/acl/operator_definition.hpp"
#include "runtime/acl/tiling_answer.hpp"
#include "tiling/platform/platform_ascendc.h"
