// SPDX-License-Identifier: Apache-2.0
// Settings that programs make and ask for. Nothing simulated depends on them.
#include <fmt/format.h>

#include "runtime/acl/acl_state.hpp"
#include "runtime/acl/include/acl/acl_rt.h"

using namespace ascendsim::program;  // NOLINT(google-build-using-namespace): the functions below are C

extern "C" {

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
    acl_state().settings[opt] = value;
    return ACL_SUCCESS;
}

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
    if (value == nullptr) {
        return acl_failure(
            ACL_ERROR_RT_PARAM_INVALID,
            fmt::format("aclrtGetSysParamOpt({}): no place for the value", static_cast<int>(opt)));
    }
    const auto known = acl_state().settings.find(opt);
    *value = known == acl_state().settings.end() ? 0 : known->second;
    return ACL_SUCCESS;
}

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
    return aclrtSetSysParamOpt(opt, value);
}

aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
    return aclrtGetSysParamOpt(opt, value);
}

}  // extern "C"
