// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtime/acl/include/op_common/op_host/tiling_base_class.h"
