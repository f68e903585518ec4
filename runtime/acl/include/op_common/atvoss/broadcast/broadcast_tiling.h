// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtime/acl/include/atvoss/broadcast/broadcast_tiling.h"
