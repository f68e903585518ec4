// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtime/acl/include/util/platform_util.h"
