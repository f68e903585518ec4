// SPDX-License-Identifier: Apache-2.0
// What a host program includes: start, end and run-time calls.
#pragma once

#include "acl/acl_base.h"
#include "acl/acl_mdl.h"
#include "acl/acl_rt.h"
#include "runtime/acl/launch.hpp"
#include "securec.h"

extern "C" {

/// `configPath` is accepted and not read.
aclError aclInit(const char* configPath);
aclError aclFinalize();
/// What was wrong with the last call that failed; null if none has since it was last asked for.
const char* aclGetRecentErrMsg();
aclError aclrtGetVersion(int32_t* majorVersion, int32_t* minorVersion, int32_t* patchVersion);
}
