// SPDX-License-Identifier: Apache-2.0
// Tensors, scalars and lists, as code around operators looks into them, and codes of failures.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <climits>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "aclnn/aclnn_base.h"
#include "opdev/bfloat16.h"
#include "opdev/fp16_t.h"
#include "opdev/op_errno.h"
#include "runtime/acl/op_api/call_objects.hpp"

namespace op {

// Code that uses this namespace counts on them.
using std::array;
using std::bitset;
using std::map;
using std::pair;
using std::set;
using std::string;
using std::unordered_map;
using std::vector;

}  // namespace op
