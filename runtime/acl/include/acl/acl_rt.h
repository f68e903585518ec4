// SPDX-License-Identifier: Apache-2.0
// The run-time calls of host programs, against the simulated device. A kernel runs to its end where it is
// launched, so streams are always drained and waiting for one or for an event returns at once; times of
// events are simulated. Calls that can fail on a wrong address take the place they are made from, for their
// message.
#pragma once

#include "acl/acl_base.h"

extern "C" {

/// The code of the last call that failed, and forgets it.
aclError aclrtGetLastError(aclrtLastErrLevel level);
aclError aclrtPeekAtLastError(aclrtLastErrLevel level);

aclError aclrtSetDevice(int32_t deviceId);
aclError aclrtResetDevice(int32_t deviceId);
aclError aclrtResetDeviceForce(int32_t deviceId);
aclError aclrtGetDevice(int32_t* deviceId);
aclError aclrtGetDeviceCount(uint32_t* count);
aclError aclrtGetRunMode(aclrtRunMode* runMode);
aclError aclrtSynchronizeDevice();
aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout);
/// Name of the chip, as in "Ascend910B3".
const char* aclrtGetSocName();
/// The older name of aclrtGetDeviceInfo, with numbers of its own; it also knows the bytes of L2.
aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t* value);
aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t* value);

aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId);
aclError aclrtDestroyContext(aclrtContext context);
aclError aclrtSetCurrentContext(aclrtContext context);
aclError aclrtGetCurrentContext(aclrtContext* context);

aclError aclrtCreateStream(aclrtStream* stream);
aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority, uint32_t flag);
aclError aclrtDestroyStream(aclrtStream stream);
aclError aclrtDestroyStreamForce(aclrtStream stream);
aclError aclrtSynchronizeStream(aclrtStream stream);
aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout);
aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status);
aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event);

aclError aclrtCreateEvent(aclrtEvent* event);
aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag);
aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag);
aclError aclrtDestroyEvent(aclrtEvent event);
/// Takes the simulated time.
aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream);
aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream);
aclError aclrtSynchronizeEvent(aclrtEvent event);
aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout);
aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status);
aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status);
/// Simulated time between two records, in ms.
aclError aclrtEventElapsedTime(float* ms, aclrtEvent start, aclrtEvent end);
/// Simulated time of a record, in us.
aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t* timestamp);

aclError aclrtMalloc(void** devPtr,
                     size_t size,
                     aclrtMemMallocPolicy policy = ACL_MEM_MALLOC_HUGE_FIRST,
                     ascendsim::Site site = ascendsim::Site::here());
aclError aclrtMallocAlign32(void** devPtr,
                            size_t size,
                            aclrtMemMallocPolicy policy = ACL_MEM_MALLOC_HUGE_FIRST,
                            ascendsim::Site site = ascendsim::Site::here());
aclError aclrtMallocCached(void** devPtr,
                           size_t size,
                           aclrtMemMallocPolicy policy = ACL_MEM_MALLOC_HUGE_FIRST,
                           ascendsim::Site site = ascendsim::Site::here());
aclError aclrtFree(void* devPtr, ascendsim::Site site = ascendsim::Site::here());
aclError aclrtMallocHost(void** hostPtr, size_t size);
aclError aclrtFreeHost(void* hostPtr);
aclError aclrtMemcpy(void* dst,
                     size_t destMax,
                     const void* src,
                     size_t count,
                     aclrtMemcpyKind kind,
                     ascendsim::Site site = ascendsim::Site::here());
aclError aclrtMemcpyAsync(void* dst,
                          size_t destMax,
                          const void* src,
                          size_t count,
                          aclrtMemcpyKind kind,
                          aclrtStream stream,
                          ascendsim::Site site = ascendsim::Site::here());
aclError aclrtMemcpy2d(void* dst,
                       size_t dpitch,
                       const void* src,
                       size_t spitch,
                       size_t width,
                       size_t height,
                       aclrtMemcpyKind kind,
                       ascendsim::Site site = ascendsim::Site::here());
aclError aclrtMemset(void* devPtr,
                     size_t maxCount,
                     int32_t value,
                     size_t count,
                     ascendsim::Site site = ascendsim::Site::here());
aclError aclrtMemsetAsync(void* devPtr,
                          size_t maxCount,
                          int32_t value,
                          size_t count,
                          aclrtStream stream,
                          ascendsim::Site site = ascendsim::Site::here());
aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t* free, size_t* total);
aclError aclrtMemFlush(void* devPtr, size_t size);
aclError aclrtMemInvalidate(void* devPtr, size_t size);

/// The address kernels pass to SetSyncBaseAddr; the simulated chip needs none.
aclError aclrtGetHardwareSyncAddr(void** addr);
}
