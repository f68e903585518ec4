// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opdev/common_types.h"
