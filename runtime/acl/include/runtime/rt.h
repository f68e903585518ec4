// SPDX-License-Identifier: Apache-2.0
// The run time below ACL, as host programs name it.
#pragma once

#include <string>

#include "acl/acl_rt.h"
#include "platform/platform_infos_def.h"
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

/// What the platform's configuration says of a chip.
inline rtError_t rtGetSocSpec(const char* section, const char* key, char* value, uint32_t room) {
    std::string text;
    if (!fe::PlatFormInfos{}.GetPlatformRes(section, key, text) || text.size() >= room) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    value[text.copy(value, text.size())] = 0;
    return ACL_SUCCESS;
}

inline rtError_t rtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
    return aclrtCtxGetSysParamOpt(opt, value);
}
