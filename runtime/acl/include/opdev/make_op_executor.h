// SPDX-License-Identifier: Apache-2.0
// Launches, as functions of single operators record them. `executor` is the name that these have for it.
#pragma once

#include "opdev/op_executor.h"
#include "runtime/acl/op_api/launches.hpp"

#define OP_INPUT(...) ::ascendsim::op_api::inputs(__VA_ARGS__)
#define OP_OUTPUT(...) ::ascendsim::op_api::outputs(__VA_ARGS__)
#define OP_ATTR(...) ::ascendsim::op_api::attributes(__VA_ARGS__)
#define OP_ATTR_NAMES(...) ::ascendsim::op_api::names(__VA_ARGS__)
#define OP_MODE(...) \
    ::ascendsim::op_api::Pack {}
#define OP_OPTION(...) \
    ::ascendsim::op_api::Pack {}
#define OP_OUTSHAPE(...) \
    ::ascendsim::op_api::Pack {}
#define OP_EMPTY_ARG \
    ::ascendsim::op_api::Pack {}
#define OP_WORKSPACE(...) \
    ::ascendsim::op_api::Pack {}
#define ADD_TO_LAUNCHER_LIST_AICORE(type, ...) ::ascendsim::op_api::launch(executor, #type, {__VA_ARGS__})
#define ADD_TO_LAUNCHER_LIST_AICPU(type, ...) ::ascendsim::op_api::launch(executor, #type, {__VA_ARGS__})
#define ADD_TO_LAUNCHER_LIST_DSA(type, ...) ::ascendsim::op_api::launch(executor, #type, {__VA_ARGS__})
#define INFER_SHAPE(type, ...) ::ascendsim::op_api::infer_shapes(executor, #type, {__VA_ARGS__})
