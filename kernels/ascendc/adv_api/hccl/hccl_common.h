// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel_operator.h"
