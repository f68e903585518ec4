// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <ascendsim_npu.hpp>
