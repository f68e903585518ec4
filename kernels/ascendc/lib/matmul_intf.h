// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ascendc/kernel_operator.h"
#include "kernels/ascendc/matmul/registration.h"
