// SPDX-License-Identifier: Apache-2.0
// Marks of a call's phases and of the functions that it goes through.
#pragma once

#include "opdev/op_log.h"
#include "runtime/acl/op_api/recording.hpp"

#define DFX_IN(...)
#define DFX_OUT(...)
#define L0_DFX(...)
#define L2_DFX_PHASE_1(function, ...) ::ascendsim::op_api::begin(#function)
#define L2_DFX_PHASE_2(function) ::ascendsim::op_api::begin(#function)
#define L2_DFX_PHASE_1_WITHOUT_CACHE(function, ...) L2_DFX_PHASE_1(function)
