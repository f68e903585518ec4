// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "acl/acl.h"
#include "aclnn/acl_meta.h"

#ifndef ACLNN_API
#define ACLNN_API __attribute__((visibility("default")))
#endif
