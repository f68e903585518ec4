// SPDX-License-Identifier: Apache-2.0
// How an operator would be found in a bank of tuned tilings. There is none here.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "exe_graph/runtime/tiling_context.h"
#include "graph/ascend_string.h"
#include "register/tuning_tiling_registry.h"

#define DECLARE_STRUCT_RELATE_WITH_OP(...)
#define DECLARE_STRUCT_RELATE_WITH_OP_V2(...)
#define REGISTER_OP_BANK_KEY_CONVERT_FUN(...)
#define REGISTER_OP_BANK_KEY_CONVERT_FUN_V2(...)
#define REGISTER_OP_BANK_KEY_PARSE_FUN(...)
#define REGISTER_OP_BANK_KEY_PARSE_FUN_V2(...)
