// SPDX-License-Identifier: Apache-2.0
// The run-time calls of host programs, against simulated devices. Work on a stream changes data as early as
// the stream and its events allow, mostly where it is submitted; when it begins and ends is simulated, beside
// the host's thread and other streams. Calls take the place they are made from, for messages and figures.
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
aclError aclrtSynchronizeDevice(ascendsim::Site site = ascendsim::Site::here());
aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout, ascendsim::Site site = ascendsim::Site::here());
/// Copies between two devices need access, given by one of them.
aclError aclrtDeviceCanAccessPeer(int32_t* canAccessPeer, int32_t deviceId, int32_t peerDeviceId);
aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags);
aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId);
aclError aclrtDeviceGetStreamPriorityRange(int32_t* leastPriority, int32_t* greatestPriority);
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
/// Priorities are 0, which gets free cores first, to 7.
aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority, uint32_t flag);
/// Waits for what the stream has.
aclError aclrtDestroyStream(aclrtStream stream);
aclError aclrtDestroyStreamForce(aclrtStream stream);
aclError aclrtSynchronizeStream(aclrtStream stream, ascendsim::Site site = ascendsim::Site::here());
/// Milliseconds of simulated time; -1 waits for ever.
aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream,
                                           int32_t timeout,
                                           ascendsim::Site site = ascendsim::Site::here());
/// Asking again and again takes the host longer each time, so that polling comes to an end.
aclError aclrtStreamQuery(aclrtStream stream,
                          aclrtStreamStatus* status,
                          ascendsim::Site site = ascendsim::Site::here());
/// Takes away what the stream has not begun; what the device has been given goes on to its end.
aclError aclrtStreamAbort(aclrtStream stream, ascendsim::Site site = ascendsim::Site::here());
aclError aclrtStreamGetId(aclrtStream stream, int32_t* streamId);
aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t* priority);
aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t* flags);
/// Whether a stream goes on behind a kernel that fails; a failing kernel ends the run here.
aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode);
aclError aclrtSetStreamAttribute(aclrtStream stream,
                                 aclrtStreamAttr stmAttrType,
                                 aclrtStreamAttrValue* value);
aclError aclrtGetStreamAttribute(aclrtStream stream,
                                 aclrtStreamAttr stmAttrType,
                                 aclrtStreamAttrValue* value);
aclError aclrtStreamWaitEvent(aclrtStream stream,
                              aclrtEvent event,
                              ascendsim::Site site = ascendsim::Site::here());

/// A stream that waits for it before it is recorded waits for the record to come.
aclError aclrtCreateEvent(aclrtEvent* event);
/// One of ACL_EVENT_EXTERNAL lets a graph wait for what is recorded outside of it, until it is reset.
aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag);
/// Complete until it is recorded first.
aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag);
aclError aclrtDestroyEvent(aclrtEvent event);
/// Takes the simulated time at which the stream comes to it.
aclError aclrtRecordEvent(aclrtEvent event,
                          aclrtStream stream,
                          ascendsim::Site site = ascendsim::Site::here());
/// Of an event of ACL_EVENT_EXTERNAL when the stream comes to it.
aclError aclrtResetEvent(aclrtEvent event,
                         aclrtStream stream,
                         ascendsim::Site site = ascendsim::Site::here());
aclError aclrtSynchronizeEvent(aclrtEvent event, ascendsim::Site site = ascendsim::Site::here());
aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event,
                                          int32_t timeout,
                                          ascendsim::Site site = ascendsim::Site::here());
aclError aclrtQueryEventStatus(aclrtEvent event,
                               aclrtEventRecordedStatus* status,
                               ascendsim::Site site = ascendsim::Site::here());
aclError aclrtQueryEvent(aclrtEvent event,
                         aclrtEventStatus* status,
                         ascendsim::Site site = ascendsim::Site::here());
/// Simulated time between two records, in ms.
aclError aclrtEventElapsedTime(float* ms, aclrtEvent start, aclrtEvent end);
/// Simulated time of a record, in us.
aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t* timestamp);

/// A notify is 0 or 1. A record makes it 1 when its stream comes to it, and streams that wait for it make it
/// 0 again when they go on. Both count in the order of the calls, as far as no stream is held up: of two
/// records that are called for before the first wait, one is lost. `flag`: ACL_NOTIFY_DEFAULT.
aclError aclrtCreateNotify(aclrtNotify* notify, uint64_t flag);
aclError aclrtDestroyNotify(aclrtNotify notify);
/// The stream may be one of another device that has access to the notify's.
aclError aclrtRecordNotify(aclrtNotify notify,
                           aclrtStream stream,
                           ascendsim::Site site = ascendsim::Site::here());
/// The stream is one of the notify's device. Waits for ever, whatever `timeout` says.
aclError aclrtWaitAndResetNotify(aclrtNotify notify,
                                 aclrtStream stream,
                                 uint32_t timeout,
                                 ascendsim::Site site = ascendsim::Site::here());
aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t* notifyId);

/// The stream writes 8 bytes of device memory. `flag`: 0.
aclError aclrtValueWrite(void* devAddr,
                         uint64_t value,
                         uint32_t flag,
                         aclrtStream stream,
                         ascendsim::Site site = ascendsim::Site::here());
/// The stream waits for 8 bytes of device memory; `flag`: ACL_STREAM_WAIT_VALUE_… says how they compare. What
/// a kernel writes counts at its end.
aclError aclrtValueWait(void* devAddr,
                        uint64_t value,
                        uint32_t flag,
                        aclrtStream stream,
                        ascendsim::Site site = ascendsim::Site::here());

using aclrtCallback = void (*)(void* userData);
using aclrtHostFunc = void (*)(void* args);

/// The thread that processes the callbacks of a stream. One thread may serve several streams of a device.
aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream);
aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream);
/// Lets `fn` run on the stream's thread when the stream comes to it.
aclError aclrtLaunchCallback(aclrtCallback fn,
                             void* userData,
                             aclrtCallbackBlockType blockType,
                             aclrtStream stream,
                             ascendsim::Site site = ascendsim::Site::here());
/// The calling thread waits for a callback of its streams and runs it; ms of simulated time, -1 for ever.
aclError aclrtProcessReport(int32_t timeout, ascendsim::Site site = ascendsim::Site::here());
/// The same on a thread of the runtime's own; the stream waits for its end.
aclError aclrtLaunchHostFunc(aclrtStream stream,
                             aclrtHostFunc fn,
                             void* args,
                             ascendsim::Site site = ascendsim::Site::here());

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
/// Frees memory of the device. A function of its one parameter: programs hand it to std::unique_ptr and the
/// like.
aclError aclrtFree(void* devPtr);
/// The same, called at a line that is known.
aclError ascendsim_free_at(void* devPtr, ascendsim::Site site);
#define aclrtFree(...) ascendsim_free_at(__VA_ARGS__, ascendsim::Site::here())
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

/// Settings of a context or of the process, 0 until they are set. They are kept and not followed.
aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value);
aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t* value);
aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value);
aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t* value);

/// The address kernels pass to SetSyncBaseAddr; the simulated chip needs none.
aclError aclrtGetHardwareSyncAddr(void** addr);
}

/// The number of an installed package of the vendor's; 0, for none is.
inline aclError aclsysGetVersionNum(char* /*package*/, int32_t* version) {
    *version = 0;
    return ACL_SUCCESS;
}
