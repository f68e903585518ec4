// SPDX-License-Identifier: Apache-2.0
// Streams whose work is captured into a graph, and graphs that are executed again and again. A captured call
// is not done; an execution costs the host one call, and does all of it with the data of its own time.
#pragma once

#include "acl/acl_base.h"

using aclmdlRI = void*;
using aclrtTaskGrp = void*;
using aclmdlRITask = void*;

enum aclmdlRITaskType {
    ACL_MODEL_RI_TASK_DEFAULT,
    ACL_MODEL_RI_TASK_KERNEL,
    ACL_MODEL_RI_TASK_EVENT_RECORD,
    ACL_MODEL_RI_TASK_EVENT_WAIT,
    ACL_MODEL_RI_TASK_EVENT_RESET,
    ACL_MODEL_RI_TASK_VALUE_WRITE,
    ACL_MODEL_RI_TASK_VALUE_WAIT,
};

enum aclmdlRICaptureMode {
    ACL_MODEL_RI_CAPTURE_MODE_GLOBAL = 0,
    ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL,
    ACL_MODEL_RI_CAPTURE_MODE_RELAXED,
};

enum aclmdlRICaptureStatus {
    ACL_MODEL_RI_CAPTURE_STATUS_NONE = 0,
    ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE,
    ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED,
};

inline constexpr uint32_t ACL_MDLRI_DEBUG_JSON_PRINT_SUMMARY = 0x0U;
inline constexpr uint32_t ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE = 0x1U;

extern "C" {

/// What is put on the stream from here on is captured. `mode` says which threads may not make calls that wait
/// for copies meanwhile.
aclError aclmdlRICaptureBegin(aclrtStream stream,
                              aclmdlRICaptureMode mode,
                              ascendsim::Site site = ascendsim::Site::here());
aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus* status, aclmdlRI* modelRI);
/// Sets the mode of the calling thread, and gives back the one before.
aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode* mode);
aclError aclmdlRICaptureEnd(aclrtStream stream,
                            aclmdlRI* modelRI,
                            ascendsim::Site site = ascendsim::Site::here());
/// Does all that was captured, and waits for it, at most `timeout` ms; -1 waits for ever.
aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout, ascendsim::Site site = ascendsim::Site::here());
aclError aclmdlRIExecuteAsync(aclmdlRI modelRI,
                              aclrtStream stream,
                              ascendsim::Site site = ascendsim::Site::here());
aclError aclmdlRIDestroy(aclmdlRI modelRI);
/// Called when the graph is destroyed.
aclError aclmdlRIDestroyRegisterCallback(aclmdlRI modelRI, void (*func)(void*), void* userData);
aclError aclmdlRIDestroyUnregisterCallback(aclmdlRI modelRI, void (*func)(void*));
aclError aclmdlRISetName(aclmdlRI modelRI, const char* name);
aclError aclmdlRIGetName(aclmdlRI modelRI, uint32_t maxLen, char* name);
aclError aclmdlRIGetId(aclmdlRI modelRI, uint32_t* modelRIId);
/// Prints the tasks, on the error stream.
aclError aclmdlRIDebugPrint(aclmdlRI modelRI);
/// Writes the tasks as a trace, whose times count them.
aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char* path, uint32_t flags);

/// Kernels that are put on a captured stream in between are a group. Nothing else may be put on captured
/// streams meanwhile.
aclError aclmdlRICaptureTaskGrpBegin(aclrtStream stream);
aclError aclmdlRICaptureTaskGrpEnd(aclrtStream stream, aclrtTaskGrp* handle);
/// Kernels that are put on `stream` in between are not done: as many as the group has come in their place,
/// when the stream has come to the end; with none all stays as it is. An execution whose stream waits for an
/// event of ACL_EVENT_EXTERNAL in front of the group takes them up.
aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream stream, aclrtTaskGrp handle);
aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream stream, ascendsim::Site site = ascendsim::Site::here());

/// Asked with a null pointer, how many there are; else fills the array.
aclError aclmdlRIGetStreams(aclmdlRI modelRI, aclrtStream* streams, uint32_t* numStreams);
aclError aclmdlRIGetTasksByStream(aclrtStream stream, aclmdlRITask* tasks, uint32_t* numTasks);
aclError aclmdlRITaskGetType(aclmdlRITask task, aclmdlRITaskType* type);
/// The place of a task in its graph.
aclError aclmdlRITaskGetSeqId(aclmdlRITask task, uint32_t* id);
/// Executions leave the task out, from aclmdlRIUpdate on, which needs a graph that is not being executed.
aclError aclmdlRITaskDisable(aclmdlRITask task);
aclError aclmdlRIUpdate(aclmdlRI modelRI);

/// Not simulated: these say so.
aclError aclmdlRIBuildBegin(aclmdlRI* modelRI, uint32_t flag);
aclError aclmdlRIAbort(aclmdlRI modelRI);
}
