// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opdev/make_op_executor.h"
