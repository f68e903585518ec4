// SPDX-License-Identifier: Apache-2.0
// A node of a graph, for functions that are declared with one.
#pragma once

#include "runtime/acl/host_context.hpp"

namespace ge {
class Operator;
}
