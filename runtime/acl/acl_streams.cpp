// SPDX-License-Identifier: Apache-2.0
// Streams and events.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "runtime/acl/acl_captures.hpp"
#include "runtime/acl/acl_handles.hpp"
#include "runtime/acl/acl_state.hpp"
#include "runtime/acl/include/acl/acl_rt.h"

namespace ascendsim::program {
namespace {

aclError make_stream(const char* call, void** handle, std::uint32_t priority, std::uint32_t flags) {
    Device* device = acl_device(call);
    if (device == nullptr) {
        return no_device();
    }
    if (handle == nullptr) {
        return no_place(call);
    }
    if ((flags & ACL_STREAM_PERSISTENT) != 0) {
        return acl_failure(
            ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
            fmt::format("{}: streams that a model is built on (ACL_STREAM_PERSISTENT) are not simulated; "
                        "capture a stream with aclmdlRICaptureBegin",
                        call));
    }
    const std::uint32_t kept = std::min(priority, static_cast<std::uint32_t>(least_priority));
    if (kept != priority) {
        fmt::print(stderr,
                   "ascendsim: {}: priority {}: there are priorities 0 to {}; the stream has {}\n",
                   call,
                   priority,
                   least_priority,
                   kept);
    }
    return make(handle,
                acl_state().streams,
                AclStream{device->streams().create_stream(acl_thread().device, kept), flags});
}

aclError make_event(const char* call, void** handle, EventMaker maker, std::uint32_t flags) {
    Device* device = acl_device(call);
    if (device == nullptr) {
        return no_device();
    }
    return handle == nullptr ? no_place(call)
                             : make(handle,
                                    acl_state().events,
                                    AclEvent{(flags & ACL_EVENT_EXTERNAL) != 0
                                                 ? device->streams().create_flag()
                                                 : device->streams().create_event(maker == EventMaker::ex),
                                             maker,
                                             flags});
}

/// Documented: what an event is not created for. It has to say that streams wait for it.
aclError check_awaitable(const char* call, const AclEvent& event) {
    return event.maker == EventMaker::plain || (event.flags & (ACL_EVENT_SYNC | ACL_EVENT_EXTERNAL)) != 0
               ? ACL_SUCCESS
               : acl_failure(
                     ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                     fmt::format("{}: the event was created without ACL_EVENT_SYNC, so that no stream "
                                 "can wait for it",
                                 call));
}

/// Documented: events of aclrtCreateEventExWithFlag are not for these calls.
aclError check_old(const char* call, const AclEvent& event) {
    return event.maker != EventMaker::ex
               ? ACL_SUCCESS
               : acl_failure(
                     ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                     fmt::format("{}: events of aclrtCreateEventExWithFlag are not for this call", call));
}

aclError synchronise_stream(const char* call, void* handle, std::optional<double> timeout, Site site) {
    aclError error = ACL_SUCCESS;
    const std::optional<StreamNumber> stream = stream_of(call, handle, error, true);
    if (stream) {
        error = check_not_captured(call, *acl_device(call), *stream);
    }
    return error == ACL_SUCCESS
               ? result_of(call,
                           acl_device(call)->streams().synchronise(*stream, {call, site}, timeout),
                           ACL_ERROR_RT_STREAM_SYNC_TIMEOUT)
               : error;
}

aclError synchronise_event(const char* call, void* handle, std::optional<double> timeout, Site site) {
    aclError error = ACL_SUCCESS;
    const AclEvent* event = event_of(call, handle, error);
    if (event != nullptr) {
        error = check_not_captured(call, *acl_device(call), event->number);
    }
    return error == ACL_SUCCESS
               ? result_of(call,
                           acl_device(call)->streams().synchronise(event->number, {call, site}, timeout),
                           ACL_ERROR_RT_EVENT_SYNC_TIMEOUT)
               : error;
}

/// Documented: waits for what the stream has; by force it does not.
aclError destroy_stream(const char* call, void* handle, bool waits) {
    if (!acl_state().streams.contains(handle)) {
        return destroy<AclStream>(call, handle, acl_state().streams);  // says so
    }
    if (Device* device = acl_process(call)) {
        const StreamNumber number = static_cast<AclStream*>(handle)->number;
        if (const aclError captured = check_not_captured(call, *device, number); captured != ACL_SUCCESS) {
            return captured;
        }
        if (waits) {
            device->streams().retire(number, {call, {}});
        }
    }
    return destroy<AclStream>(call, handle, acl_state().streams);
}

/// The stream of a handle that a query names, and where its answer goes.
template <class Answer>
std::optional<StreamNumber> asked_stream(const char* call, void* stream, Answer* answer, aclError& error) {
    const std::optional<StreamNumber> number = stream_of(call, stream, error, true);
    if (number && answer == nullptr) {
        error = no_place(call);
        return std::nullopt;
    }
    return number;
}

}  // namespace
}  // namespace ascendsim::program

using namespace ascendsim::program;  // NOLINT(google-build-using-namespace): the functions below are C

extern "C" {

aclError aclrtCreateStream(aclrtStream* stream) {
    return make_stream("aclrtCreateStream", stream, 0, 0);
}

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority, uint32_t flag) {
    return make_stream("aclrtCreateStreamWithConfig", stream, priority, flag);
}

aclError aclrtDestroyStream(aclrtStream stream) {
    return destroy_stream("aclrtDestroyStream", stream, true);
}

aclError aclrtDestroyStreamForce(aclrtStream stream) {
    return destroy_stream("aclrtDestroyStreamForce", stream, false);
}

aclError aclrtSynchronizeStream(aclrtStream stream, ascendsim::Site site) {
    return synchronise_stream("aclrtSynchronizeStream", stream, std::nullopt, site);
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout, ascendsim::Site site) {
    return synchronise_stream("aclrtSynchronizeStreamWithTimeout", stream, timeout_us(timeout), site);
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status, ascendsim::Site site) {
    const char* call = "aclrtStreamQuery";
    aclError error = ACL_SUCCESS;
    const std::optional<StreamNumber> number = asked_stream(call, stream, status, error);
    if (number) {
        error = check_not_captured(call, *acl_device(call), *number);
    }
    if (error == ACL_SUCCESS) {
        *status = acl_device(call)->streams().done(*number, {call, site}) ? ACL_STREAM_STATUS_COMPLETE
                                                                          : ACL_STREAM_STATUS_NOT_READY;
    }
    return error;
}

aclError aclrtStreamAbort(aclrtStream stream, ascendsim::Site site) {
    const char* call = "aclrtStreamAbort";
    aclError error = ACL_SUCCESS;
    if (const std::optional<StreamNumber> number = stream_of(call, stream, error, true)) {
        acl_device(call)->streams().abort(*number, {call, site});
    }
    return error;
}

aclError aclrtStreamGetId(aclrtStream stream, int32_t* streamId) {
    aclError error = ACL_SUCCESS;
    if (const std::optional<StreamNumber> number =
            asked_stream("aclrtStreamGetId", stream, streamId, error)) {
        *streamId = static_cast<int32_t>(*number);
    }
    return error;
}

aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t* priority) {
    const char* call = "aclrtStreamGetPriority";
    aclError error = ACL_SUCCESS;
    if (const std::optional<StreamNumber> number = asked_stream(call, stream, priority, error)) {
        *priority = acl_device(call)->streams().priority_of(*number);
    }
    return error;
}

aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t* flags) {
    aclError error = ACL_SUCCESS;
    if (asked_stream("aclrtStreamGetFlags", stream, flags, error)) {
        *flags = stream == nullptr ? 0 : static_cast<AclStream*>(stream)->flags;
    }
    return error;
}

/// What a kernel that fails leaves of its stream: here it ends the run in either mode.
aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode) {
    const char* call = "aclrtSetStreamFailureMode";
    aclError error = ACL_SUCCESS;
    if (!stream_of(call, stream, error, true)) {
        return error;
    }
    return mode <= ACL_STOP_ON_FAILURE
               ? ACL_SUCCESS
               : acl_failure(ACL_ERROR_RT_PARAM_INVALID,
                             fmt::format("{}: mode {}: there are ACL_CONTINUE_ON_FAILURE (0) and "
                                         "ACL_STOP_ON_FAILURE (1)",
                                         call,
                                         mode));
}

aclError aclrtSetStreamAttribute(aclrtStream stream,
                                 aclrtStreamAttr stmAttrType,
                                 aclrtStreamAttrValue* value) {
    const char* call = "aclrtSetStreamAttribute";
    aclError error = ACL_SUCCESS;
    const std::optional<StreamNumber> number = asked_stream(call, stream, value, error);
    if (!number) {
        return error;
    }
    if (stmAttrType != ACL_STREAM_ATTR_PRIORITY) {
        return acl_failure(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                           fmt::format("{}: attribute {}: of streams, the priority alone can be set here",
                                       call,
                                       static_cast<int>(stmAttrType)));
    }
    if (value->streamPriority > static_cast<std::uint32_t>(least_priority)) {
        return acl_failure(ACL_ERROR_RT_PARAM_INVALID,
                           fmt::format("{}: priority {}: there are priorities 0 to {}",
                                       call,
                                       value->streamPriority,
                                       least_priority));
    }
    acl_device(call)->streams().set_priority(*number, value->streamPriority);
    return ACL_SUCCESS;
}

aclError aclrtGetStreamAttribute(aclrtStream stream,
                                 aclrtStreamAttr stmAttrType,
                                 aclrtStreamAttrValue* value) {
    const char* call = "aclrtGetStreamAttribute";
    aclError error = ACL_SUCCESS;
    if (const std::optional<StreamNumber> number = asked_stream(call, stream, value, error)) {
        *value = {};
        if (stmAttrType == ACL_STREAM_ATTR_PRIORITY) {
            value->streamPriority = acl_device(call)->streams().priority_of(*number);
        }
    }
    return error;
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event, ascendsim::Site site) {
    const char* call = "aclrtStreamWaitEvent";
    aclError error = ACL_SUCCESS;
    const std::optional<StreamNumber> number = stream_of(call, stream, error);
    if (!number) {
        return error;
    }
    const AclEvent* awaited = event_of(call, event, error);
    if (awaited == nullptr) {
        return error;
    }
    error = check_awaitable(call, *awaited);
    if (error == ACL_SUCCESS) {
        error = check_group(call, *acl_device(call), *number, false);
    }
    if (error == ACL_SUCCESS && !acl_device(call)->streams().is_flag(awaited->number)) {
        Device& device = *acl_device(call);
        error =
            check_wait(call, device, *number, awaited->number, device.streams().recorded(awaited->number));
    }
    if (error == ACL_SUCCESS) {
        acl_device(call)->streams().wait(*number, awaited->number, {call, site});
    }
    return error;
}

aclError aclrtCreateEvent(aclrtEvent* event) {
    return make_event("aclrtCreateEvent", event, EventMaker::plain, 0);
}

aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag) {
    return make_event("aclrtCreateEventWithFlag", event, EventMaker::flag, flag);
}

aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag) {
    return make_event("aclrtCreateEventExWithFlag", event, EventMaker::ex, flag);
}

aclError aclrtDestroyEvent(aclrtEvent event) {
    return destroy<AclEvent>("aclrtDestroyEvent", event, acl_state().events);
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream, ascendsim::Site site) {
    const char* call = "aclrtRecordEvent";
    aclError error = ACL_SUCCESS;
    const AclEvent* recorded = event_of(call, event, error);
    if (recorded == nullptr) {
        return error;
    }
    const std::optional<StreamNumber> of = stream_of(call, stream, error);
    if (of) {
        error = check_group(call, *acl_device(call), *of, false);
    }
    if (error == ACL_SUCCESS) {
        acl_device(call)->streams().record(recorded->number, *of, {call, site});
    }
    return error;
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream, ascendsim::Site site) {
    const char* call = "aclrtResetEvent";
    aclError error = ACL_SUCCESS;
    const AclEvent* reset = event_of(call, event, error);
    if (reset == nullptr) {
        return error;
    }
    const std::optional<StreamNumber> number = stream_of(call, stream, error);
    if (number) {
        error = check_old(call, *reset);
    }
    if (error == ACL_SUCCESS) {
        error = check_group(call, *acl_device(call), *number, false);
    }
    if (error == ACL_SUCCESS) {
        acl_device(call)->streams().reset(reset->number, *number, {call, site});
    }
    return error;
}

aclError aclrtSynchronizeEvent(aclrtEvent event, ascendsim::Site site) {
    return synchronise_event("aclrtSynchronizeEvent", event, std::nullopt, site);
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout, ascendsim::Site site) {
    return synchronise_event("aclrtSynchronizeEventWithTimeout", event, timeout_us(timeout), site);
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status, ascendsim::Site site) {
    const char* call = "aclrtQueryEventStatus";
    if (status == nullptr) {
        return no_place(call);
    }
    aclError error = ACL_SUCCESS;
    const AclEvent* asked = event_of(call, event, error);
    if (asked != nullptr) {
        error = check_not_captured(call, *acl_device(call), asked->number);
    }
    *status = error == ACL_SUCCESS && acl_device(call)->streams().done(asked->number, {call, site})
                  ? ACL_EVENT_RECORDED_STATUS_COMPLETE
                  : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    return error;
}

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status, ascendsim::Site site) {
    const char* call = "aclrtQueryEvent";
    if (status == nullptr) {
        return no_place(call);
    }
    aclError error = ACL_SUCCESS;
    const AclEvent* asked = event_of(call, event, error);
    if (asked != nullptr) {
        error = check_old(call, *asked);
    }
    if (error == ACL_SUCCESS) {
        error = check_not_captured(call, *acl_device(call), asked->number);
    }
    *status = error == ACL_SUCCESS && acl_device(call)->streams().done(asked->number, {call, site})
                  ? ACL_EVENT_STATUS_COMPLETE
                  : ACL_EVENT_STATUS_NOT_READY;
    return error;
}

aclError aclrtEventElapsedTime(float* ms, aclrtEvent start, aclrtEvent end) {
    const char* call = "aclrtEventElapsedTime";
    if (ms == nullptr) {
        return no_place(call);
    }
    aclError error = ACL_SUCCESS;
    const AclEvent* first = event_of(call, start, error);
    const AclEvent* last = first != nullptr ? event_of(call, end, error) : nullptr;
    if (last == nullptr) {
        return error;
    }
    for (const AclEvent* one : {first, last}) {
        error = check_not_captured(call, *acl_device(call), one->number);
        if (error != ACL_SUCCESS) {
            return error;
        }
    }
    const std::optional<double> from = acl_device(call)->streams().time_us(first->number);
    const std::optional<double> to = acl_device(call)->streams().time_us(last->number);
    if (!from || !to) {
        return acl_failure(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
                           "aclrtEventElapsedTime: an event has not been recorded, or its stream has not "
                           "come to it; wait for the stream before");
    }
    constexpr double us_per_ms = 1000;
    *ms = static_cast<float>((*to - *from) / us_per_ms);
    return ACL_SUCCESS;
}

aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t* timestamp) {
    const char* call = "aclrtEventGetTimestamp";
    if (timestamp == nullptr) {
        return no_place(call);
    }
    aclError error = ACL_SUCCESS;
    const AclEvent* asked = event_of(call, event, error);
    if (asked == nullptr) {
        return error;
    }
    const std::optional<double> time = acl_device(call)->streams().time_us(asked->number);
    if (!time) {
        return acl_failure(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
                           "aclrtEventGetTimestamp: the event has not been recorded, or its stream has not "
                           "come to it");
    }
    *timestamp = static_cast<uint64_t>(*time);
    return ACL_SUCCESS;
}

}  // extern "C"
