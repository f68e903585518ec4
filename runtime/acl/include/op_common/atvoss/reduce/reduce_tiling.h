// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtime/acl/include/atvoss/reduce/reduce_tiling.h"
