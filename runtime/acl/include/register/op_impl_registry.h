// SPDX-License-Identifier: Apache-2.0
// What the host functions of an operator are registered with, and everything their sources expect to come
// with it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/acl/host_context.hpp"
#include "runtime/acl/operator_registry.hpp"
#include "securec.h"

// Host code of operators names these without their namespace.
namespace ge {
using std::function;
using std::map;
using std::string;
using std::vector;
}  // namespace ge

namespace optiling {
using std::string;
using std::vector;
}  // namespace optiling
