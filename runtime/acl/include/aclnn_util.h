// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "aclnn/aclnn_base.h"
