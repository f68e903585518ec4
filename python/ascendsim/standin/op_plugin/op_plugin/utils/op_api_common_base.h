// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <op_plugin/utils/op_api_common.h>
