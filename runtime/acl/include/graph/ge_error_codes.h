// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ascendc/register/op_impl_registry.h"
