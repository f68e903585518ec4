// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtime/acl/include/op_common/log/error_code.h"
