// SPDX-License-Identifier: Apache-2.0
// In place of op-plugin's header of this name: calls of aclnn functions go to ascendsim.aclnn().
#pragma once

#include <op_plugin/utils/KernelNpuNewParams.h>
#include <op_plugin/utils/KernelNpuOutputDtype.h>
#include <op_plugin/utils/KernelNpuOutputSize.h>
#include <op_plugin/utils/NamedTensorCompat.h>
#include <op_plugin/utils/OpConstants.h>
#include <op_plugin/utils/OpUtils.h>
#include <op_plugin/utils/StdVarCorrectionUtils.h>
#include <op_plugin_npu.hpp>
