// SPDX-License-Identifier: Apache-2.0
// The host side of an operator project (API reference, Tiling and prototype registration): its definition,
// and the context its tiling function reads. The tiling function really runs, for scenarios whose tiling
// names it; functions that infer shapes and types are compiled and never called.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "register/op_impl_registry.h"
#include "register/tilingdata_base.h"
#include "runtime/acl/host_context.hpp"
#include "runtime/acl/operator_definition.hpp"
#include "runtime/acl/tiling_answer.hpp"
#include "tiling/platform/platform_ascendc.h"
