// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "log/log.h"

// Of libraries whose own header of errors is not always included.
#ifndef OPS_REPORT_VECTOR_INNER_ERR
#define OPS_REPORT_VECTOR_INNER_ERR(name, ...) OP_LOGE(name, __VA_ARGS__)
#define OPS_REPORT_CUBE_INNER_ERR(name, ...) OP_LOGE(name, __VA_ARGS__)
#endif
