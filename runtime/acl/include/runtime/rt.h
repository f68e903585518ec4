// SPDX-License-Identifier: Apache-2.0
// The run time below ACL, as host programs name it.
#pragma once

#include "acl/acl_rt.h"
#include "runtime/rt_ffts.h"

using rtStream_t = aclrtStream;
using rtEvent_t = aclrtEvent;

inline rtError_t rtSetDevice(int32_t device) {
    return aclrtSetDevice(device);
}

inline rtError_t rtStreamSynchronize(rtStream_t stream) {
    return aclrtSynchronizeStream(stream);
}

inline rtError_t rtDeviceSynchronize() {
    return aclrtSynchronizeDevice();
}
