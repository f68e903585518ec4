// SPDX-License-Identifier: Apache-2.0
// The profiler's calls. A run is recorded whole; these mark nothing in it, and succeed.
#pragma once

#include "acl/acl_base.h"

enum aclprofAicoreMetrics {
    ACL_AICORE_ARITHMETIC_UTILIZATION = 0,
    ACL_AICORE_PIPE_UTILIZATION = 1,
    ACL_AICORE_MEMORY_BANDWIDTH = 2,
    ACL_AICORE_L0B_AND_WIDTH = 3,
    ACL_AICORE_RESOURCE_CONFLICT_RATIO = 4,
    ACL_AICORE_MEMORY_UB = 5,
    ACL_AICORE_L2_CACHE = 6,
    ACL_AICORE_NONE = 0xff,
};

inline constexpr uint64_t ACL_PROF_ACL_API = 0x1;
inline constexpr uint64_t ACL_PROF_TASK_TIME = 0x2;
inline constexpr uint64_t ACL_PROF_AICORE_METRICS = 0x4;
inline constexpr uint64_t ACL_PROF_AICPU = 0x8;

struct aclprofAicoreEvents;

struct aclprofConfig {};

inline aclError aclprofInit(const char* /*resultPath*/, size_t /*length*/) {
    return ACL_SUCCESS;
}

inline aclError aclprofFinalize() {
    return ACL_SUCCESS;
}

inline aclprofConfig* aclprofCreateConfig(uint32_t* /*devices*/,
                                          uint32_t /*count*/,
                                          aclprofAicoreMetrics /*metrics*/,
                                          const aclprofAicoreEvents* /*events*/,
                                          uint64_t /*types*/) {
    static aclprofConfig config;
    return &config;
}

inline aclError aclprofDestroyConfig(const aclprofConfig* /*config*/) {
    return ACL_SUCCESS;
}

inline aclError aclprofStart(const aclprofConfig* /*config*/) {
    return ACL_SUCCESS;
}

inline aclError aclprofStop(const aclprofConfig* /*config*/) {
    return ACL_SUCCESS;
}
