// SPDX-License-Identifier: Apache-2.0
// The Ascend C umbrella header: everything a kernel includes.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/ascendc/ascendc/adv.h"
#include "kernels/ascendc/ascendc/block_turns.h"
#include "kernels/ascendc/ascendc/cce.h"
#include "kernels/ascendc/ascendc/common.h"
#include "kernels/ascendc/ascendc/data_copy.h"
#include "kernels/ascendc/ascendc/data_slice.h"
#include "kernels/ascendc/ascendc/debug.h"
#include "kernels/ascendc/ascendc/function_forms.h"
#include "kernels/ascendc/ascendc/group_barrier.h"
#include "kernels/ascendc/ascendc/hccl.h"
#include "kernels/ascendc/ascendc/kernel_macros.h"
#include "kernels/ascendc/ascendc/layout.h"
#include "kernels/ascendc/ascendc/list_tensor.h"
#include "kernels/ascendc/ascendc/memory_init.h"
#include "kernels/ascendc/ascendc/tensor_operators.h"
#include "kernels/ascendc/ascendc/tiling_data.h"
#include "kernels/ascendc/ascendc/unavailable.h"
#include "kernels/ascendc/ascendc/vector/reduce_tensor.h"
#include "kernels/ascendc/ascendc/vector/vector_binary.h"
#include "kernels/ascendc/ascendc/vector/vector_cast.h"
#include "kernels/ascendc/ascendc/vector/vector_compare.h"
#include "kernels/ascendc/ascendc/vector/vector_deq.h"
#include "kernels/ascendc/ascendc/vector/vector_gather.h"
#include "kernels/ascendc/ascendc/vector/vector_progression.h"
#include "kernels/ascendc/ascendc/vector/vector_reduce.h"
#include "kernels/ascendc/ascendc/vector/vector_reduce_types.h"
#include "kernels/ascendc/ascendc/vector/vector_relu_cast.h"
#include "kernels/ascendc/ascendc/vector/vector_scalar.h"
#include "kernels/ascendc/ascendc/vector/vector_sort.h"
#include "kernels/ascendc/ascendc/vector/vector_ternary.h"
#include "kernels/ascendc/ascendc/vector/vector_unary.h"
#if __has_include("kernels/ascendc/ascendc/cube.h")
#include "kernels/ascendc/ascendc/cube.h"
#endif

// The chip compiler's name of half.
#define __fp16 half
