// SPDX-License-Identifier: Apache-2.0
// The same by its path below base/.
#pragma once

#include "../alog_pub.h"
