// SPDX-License-Identifier: Apache-2.0
// Captured streams and their graphs.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runtime/acl/acl_captures.hpp"
#include "runtime/acl/acl_handles.hpp"
#include "runtime/acl/acl_state.hpp"
#include "runtime/acl/include/acl/acl_mdl.h"
#include "sim/base/error.hpp"
#include "sim/process/whole_file.hpp"

namespace ascendsim::program {
namespace {

aclmdlRI handle_of(GraphNumber number) {
    const auto known = std::ranges::find_if(
        graphs(), [&](void* handle) { return static_cast<AclGraph*>(handle)->number == number; });
    return known == graphs().end() ? nullptr : *known;
}

aclError begin(const char* call, StreamNumber stream, aclmdlRICaptureMode mode) {
    Streams& streams = acl_device(call)->streams();
    if (streams.capture_of(stream)) {
        return acl_failure(ACL_ERROR_RT_STREAM_CAPTURED,
                           fmt::format("{}: the stream is being captured already", call));
    }
    if (mode < ACL_MODEL_RI_CAPTURE_MODE_GLOBAL || mode > ACL_MODEL_RI_CAPTURE_MODE_RELAXED) {
        return acl_failure(ACL_ERROR_RT_PARAM_INVALID,
                           fmt::format("{}: mode {}: there are 0 (global), 1 (thread local), 2 (relaxed)",
                                       call,
                                       static_cast<int>(mode)));
    }
    const GraphNumber number = streams.begin_capture(stream);
    void* handle = nullptr;
    make(&handle, graphs(), AclGraph{number});
    captures()[number] = {mode, acl_device(call)->threads().current().value()};
    return ACL_SUCCESS;
}

aclError end(const char* call, StreamNumber stream, aclmdlRI* modelRI) {
    *modelRI = nullptr;
    Device* device = acl_device(call);
    Streams& streams = device->streams();
    const std::optional<GraphNumber> number = streams.capture_of(stream);
    if (!number) {
        return acl_failure(ACL_ERROR_RT_STREAM_NOT_CAPTURED,
                           fmt::format("{}: the stream is not being captured", call));
    }
    if (streams.origin_of(*number) != stream) {
        return acl_failure(ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED,
                           fmt::format("{}: the capture began on stream {}, and ends on it",
                                       call,
                                       static_cast<std::uint32_t>(streams.origin_of(*number))));
    }
    const Capture capture = captures().at(*number);
    if (capture.mode != ACL_MODEL_RI_CAPTURE_MODE_RELAXED && device->threads().current() != capture.thread) {
        return acl_failure(ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD,
                           fmt::format("{}: unless its mode is relaxed, a capture ends on the thread that "
                                       "began it",
                                       call));
    }
    captures().erase(*number);
    const std::optional<TaskGroup> open = streams.open_group(*number);
    if (open) {
        streams.end_group(*open);
    }
    const bool invalid = open || streams.state_of(*number) == CaptureState::invalid;
    const std::string wrong = streams.end_capture(*number);
    if (invalid || !wrong.empty()) {  // what aclmdlRICaptureGetInfo may have given is no graph any more
        static_cast<void>(destroy<AclGraph>(call, handle_of(*number), graphs()));
    }
    if (open) {
        return acl_failure(ACL_ERROR_STREAM_TASK_GROUP_STATUS,
                           fmt::format("{}: a task group is still open; end it with "
                                       "aclmdlRICaptureTaskGrpEnd",
                                       call));
    }
    if (invalid) {
        return acl_failure(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED,
                           fmt::format("{}: an error before has made the capture invalid", call));
    }
    if (!wrong.empty()) {
        return acl_failure(ACL_ERROR_RT_STREAM_UNJOINED, fmt::format("{}: {}", call, wrong));
    }
    *modelRI = handle_of(*number);
    return ACL_SUCCESS;
}

const char* name(GraphTaskKind kind) {
    constexpr std::array names{"kernel",
                               "copy",
                               "event record",
                               "event wait",
                               "callback",
                               "collective",
                               "event record",
                               "event wait",
                               "event reset"};
    return names.at(static_cast<std::size_t>(kind));
}

/// The tasks as Chrome trace events: one is as long as another, as no time is known before they run.
std::string trace_of(const AclGraph& graph, const std::vector<GraphTaskInfo>& tasks) {
    std::string text{"["};
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        text += fmt::format(
            R"({}{{"ph":"X","pid":"model {}","tid":"stream {}","ts":{},"dur":1,"name":"{}","args":{{"Task Id":{},"Task Type":"{}","source":"{}"}}}})",
            i == 0 ? "\n" : ",\n",
            static_cast<std::uint32_t>(graph.number),
            tasks[i].stream,
            i,
            tasks[i].name,
            i,
            name(tasks[i].kind),
            tasks[i].place);
    }
    return text + "\n]\n";
}

}  // namespace

std::set<void*>& graphs() {
    static std::set<void*> all;
    return all;
}

AclGraph* graph_of(const char* call, aclmdlRI handle, aclError& error) {
    error = acl_device(call) == nullptr ? no_device() : check_handle(call, handle, graphs());
    return error == ACL_SUCCESS ? static_cast<AclGraph*>(handle) : nullptr;
}

AclGraph* whole_graph(const char* call, aclmdlRI handle, aclError& error) {
    AclGraph* graph = graph_of(call, handle, error);
    if (graph == nullptr || acl_device(call)->streams().state_of(graph->number) == CaptureState::ended) {
        return graph;
    }
    error = acl_failure(ACL_ERROR_RT_MODEL_CAPTURED,
                        fmt::format("{}: the graph is still being captured; call aclmdlRICaptureEnd", call));
    return nullptr;
}

std::optional<StreamNumber> named_stream(const char* call, aclrtStream stream, aclError& error) {
    if (stream == nullptr) {
        error = acl_failure(ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT,
                            fmt::format("{}: the default stream cannot be captured; create one", call));
        return std::nullopt;
    }
    return stream_of(call, stream, error);
}

std::map<GraphNumber, Capture>& captures() {
    static std::map<GraphNumber, Capture> active;
    return active;
}

/// Documented for aclmdlRICaptureThreadExchangeMode.
bool may_wait_for_copies(Device& device) {
    const aclmdlRICaptureMode own = capture_mode();
    return own == ACL_MODEL_RI_CAPTURE_MODE_RELAXED ||
           std::ranges::none_of(captures(), [&](const auto& entry) {
               const Capture& capture = entry.second;
               const bool mine = capture.thread == device.threads().current();
               return capture.mode == ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL ? mine
                      : capture.mode == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL
                          ? mine || own == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL
                          : false;
           });
}

aclmdlRICaptureMode& capture_mode() {
    thread_local aclmdlRICaptureMode mode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
    return mode;
}

aclError check_copies_allowed(const char* call, Device& device, bool on_stream) {
    if (may_wait_for_copies(device)) {
        return ACL_SUCCESS;
    }
    return acl_failure(
        on_stream ? ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC : ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT,
        fmt::format(
            "{}: {} while a stream is being captured; its mode, and that of this thread, would have to "
            "be relaxed (aclmdlRICaptureThreadExchangeMode)",
            call,
            on_stream ? "a copy of memory that is not of aclrtMallocHost waits, which is not allowed"
                      : "waiting for a copy is not allowed"));
}

aclError check_not_captured(const char* call, Device& device, StreamNumber stream) {
    return !device.streams().capture_of(stream)
               ? ACL_SUCCESS
               : acl_failure(
                     ACL_ERROR_RT_STREAM_CAPTURED,
                     fmt::format("{}: the stream is being captured: nothing of it runs, so that it can "
                                 "be neither waited for nor asked",
                                 call));
}

aclError check_not_captured(const char* call, Device& device, EventNumber event) {
    return !device.streams().capture_of(event)
               ? ACL_SUCCESS
               : acl_failure(
                     ACL_ERROR_RT_EVENT_CAPTURED,
                     fmt::format("{}: the event is recorded by a stream that is being captured: it can "
                                 "be neither waited for nor asked by the host",
                                 call));
}

aclError check_no_capture(const char* call, Device& device, std::uint32_t number) {
    for (const auto& [graph, capture] : captures()) {
        const StreamNumber origin = device.streams().origin_of(graph);
        if (device.streams().device_of(origin) == number) {
            return check_not_captured(call, device, origin);
        }
    }
    return ACL_SUCCESS;
}

aclError check_wait(const char* call, Device& device, StreamNumber stream, EventNumber event, bool recorded) {
    Streams& streams = device.streams();
    const std::optional<GraphNumber> of_stream = streams.capture_of(stream);
    const std::optional<GraphNumber> of_event = streams.capture_of(event);
    if (of_stream && !of_event && recorded) {
        return acl_failure(ACL_ERROR_RT_CAPTURE_DEPENDENCY,
                           fmt::format("{}: the stream is being captured, and the event was recorded outside "
                                       "of the capture; record it on a stream that is captured too",
                                       call));
    }
    if (of_stream && of_event && *of_stream != *of_event) {
        streams.invalidate(*of_stream);
        streams.invalidate(*of_event);
        return acl_failure(
            ACL_ERROR_STREAM_CAPTURE_CONFLICT,
            fmt::format("{}: stream and event are of two captures, which both are invalid now", call));
    }
    return ACL_SUCCESS;
}

}  // namespace ascendsim::program

using namespace ascendsim::program;  // NOLINT(google-build-using-namespace): the functions below are C

extern "C" {

aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode, ascendsim::Site /*site*/) {
    aclError error = ACL_SUCCESS;
    const std::optional<StreamNumber> number = named_stream("aclmdlRICaptureBegin", stream, error);
    return number ? begin("aclmdlRICaptureBegin", *number, mode) : error;
}

aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI* modelRI, ascendsim::Site /*site*/) {
    if (modelRI == nullptr) {
        return no_place("aclmdlRICaptureEnd");
    }
    aclError error = ACL_SUCCESS;
    const std::optional<StreamNumber> number = named_stream("aclmdlRICaptureEnd", stream, error);
    return number ? end("aclmdlRICaptureEnd", *number, modelRI) : error;
}

aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus* status, aclmdlRI* modelRI) {
    const char* call = "aclmdlRICaptureGetInfo";
    if (status == nullptr && modelRI == nullptr) {
        return no_place(call);
    }
    aclError error = ACL_SUCCESS;
    const std::optional<StreamNumber> number = named_stream(call, stream, error);
    if (!number) {
        return error;
    }
    const std::optional<GraphNumber> graph = acl_device(call)->streams().capture_of(*number);
    const bool invalid = graph && acl_device(call)->streams().state_of(*graph) == CaptureState::invalid;
    if (status != nullptr) {
        *status = !graph    ? ACL_MODEL_RI_CAPTURE_STATUS_NONE
                  : invalid ? ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED
                            : ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
    }
    if (modelRI != nullptr) {
        *modelRI = graph ? handle_of(*graph) : nullptr;
    }
    return ACL_SUCCESS;
}

aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode* mode) {
    if (mode == nullptr || *mode < ACL_MODEL_RI_CAPTURE_MODE_GLOBAL ||
        *mode > ACL_MODEL_RI_CAPTURE_MODE_RELAXED) {
        return acl_failure(
            ACL_ERROR_RT_PARAM_INVALID,
            "aclmdlRICaptureThreadExchangeMode: no mode; there are 0 (global), 1 (thread local), "
            "2 (relaxed)");
    }
    std::swap(*mode, capture_mode());
    return ACL_SUCCESS;
}

aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream, ascendsim::Site site) {
    const char* call = "aclmdlRIExecuteAsync";
    aclError error = ACL_SUCCESS;
    const AclGraph* graph = whole_graph(call, modelRI, error);
    const std::optional<StreamNumber> number =
        graph != nullptr ? stream_of(call, stream, error) : std::nullopt;
    if (!number) {
        return error;
    }
    error = check_not_captured(call, *acl_device(call), *number);
    if (error == ACL_SUCCESS) {
        error = check_group(call, *acl_device(call), *number, false);
    }
    if (error == ACL_SUCCESS) {
        acl_device(call)->streams().execute(graph->number, *number, {call, site});
    }
    return error;
}

aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout, ascendsim::Site site) {
    const char* call = "aclmdlRIExecute";
    aclError error = ACL_SUCCESS;
    const AclGraph* graph = whole_graph(call, modelRI, error);
    const std::optional<StreamNumber> number =
        graph != nullptr ? stream_of(call, nullptr, error) : std::nullopt;
    if (!number) {
        return error;
    }
    Streams& streams = acl_device(call)->streams();
    streams.execute(graph->number, *number, {call, site});
    return result_of(call,
                     streams.synchronise(*number, {call, site}, timeout_us(timeout)),
                     ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
}

aclError aclmdlRIDestroy(aclmdlRI modelRI) {
    const char* call = "aclmdlRIDestroy";
    aclError error = ACL_SUCCESS;
    const AclGraph* graph = whole_graph(call, modelRI, error);
    if (graph == nullptr) {
        return error;
    }
    if (acl_device(call)->streams().running(graph->number)) {
        return acl_failure(ACL_ERROR_RT_MODEL_RUNNING,
                           fmt::format("{}: the graph is being executed; wait for its stream before", call));
    }
    for (const auto& [function, data] : graph->at_end) {
        function(data);
    }
    forget_tasks(graph->number);
    return destroy<AclGraph>(call, modelRI, graphs());
}

aclError aclmdlRIDestroyRegisterCallback(aclmdlRI modelRI, void (*func)(void*), void* userData) {
    const char* call = "aclmdlRIDestroyRegisterCallback";
    aclError error = ACL_SUCCESS;
    AclGraph* graph = graph_of(call, modelRI, error);
    if (graph != nullptr && func == nullptr) {
        return acl_failure(ACL_ERROR_RT_PARAM_INVALID, fmt::format("{}: the function is null", call));
    }
    if (graph != nullptr) {
        graph->at_end.emplace_back(func, userData);
    }
    return error;
}

aclError aclmdlRIDestroyUnregisterCallback(aclmdlRI modelRI, void (*func)(void*)) {
    const char* call = "aclmdlRIDestroyUnregisterCallback";
    aclError error = ACL_SUCCESS;
    AclGraph* graph = graph_of(call, modelRI, error);
    if (graph != nullptr &&
        std::erase_if(graph->at_end, [&](const auto& one) { return one.first == func; }) == 0) {
        return acl_failure(ACL_ERROR_RT_PARAM_INVALID,
                           fmt::format("{}: the function is not registered", call));
    }
    return error;
}

aclError aclmdlRISetName(aclmdlRI modelRI, const char* name) {
    const char* call = "aclmdlRISetName";
    aclError error = ACL_SUCCESS;
    AclGraph* graph = graph_of(call, modelRI, error);
    if (graph != nullptr && name == nullptr) {
        return acl_failure(ACL_ERROR_RT_PARAM_INVALID, fmt::format("{}: the name is null", call));
    }
    if (graph != nullptr) {
        graph->name = name;
    }
    return error;
}

aclError aclmdlRIGetName(aclmdlRI modelRI, uint32_t maxLen, char* name) {
    const char* call = "aclmdlRIGetName";
    aclError error = ACL_SUCCESS;
    const AclGraph* graph = graph_of(call, modelRI, error);
    if (graph == nullptr) {
        return error;
    }
    if (name == nullptr || graph->name.size() >= maxLen) {
        return acl_failure(
            ACL_ERROR_RT_PARAM_INVALID,
            fmt::format("{}: the name needs room for {} characters", call, graph->name.size() + 1));
    }
    std::memcpy(name, graph->name.c_str(), graph->name.size() + 1);
    return ACL_SUCCESS;
}

aclError aclmdlRIGetId(aclmdlRI modelRI, uint32_t* modelRIId) {
    const char* call = "aclmdlRIGetId";
    aclError error = ACL_SUCCESS;
    const AclGraph* graph = graph_of(call, modelRI, error);
    if (graph != nullptr && modelRIId == nullptr) {
        return no_place(call);
    }
    if (graph != nullptr) {
        *modelRIId = static_cast<std::uint32_t>(graph->number);
    }
    return error;
}

aclError aclmdlRIDebugPrint(aclmdlRI modelRI) {
    const char* call = "aclmdlRIDebugPrint";
    aclError error = ACL_SUCCESS;
    const AclGraph* graph = whole_graph(call, modelRI, error);
    if (graph == nullptr) {
        return error;
    }
    Streams& streams = acl_device(call)->streams();
    const std::vector<GraphTaskInfo> tasks = streams.tasks_of(graph->number);
    std::fflush(stdout);
    fmt::print(stderr,
               "ascendsim: graph {}{}{}: device {}, {} tasks\n",
               static_cast<std::uint32_t>(graph->number),
               graph->name.empty() ? "" : " ",
               graph->name,
               streams.device_of(streams.origin_of(graph->number)),
               tasks.size());
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        fmt::print(stderr,
                   "  task {}: stream {}, {} {} ({})\n",
                   i,
                   tasks[i].stream,
                   name(tasks[i].kind),
                   tasks[i].name,
                   tasks[i].place);
    }
    return ACL_SUCCESS;
}

aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char* path, uint32_t flags) {
    const char* call = "aclmdlRIDebugJsonPrint";
    aclError error = ACL_SUCCESS;
    const AclGraph* graph = whole_graph(call, modelRI, error);
    if (graph == nullptr) {
        return error;
    }
    if (path == nullptr || flags > ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE) {
        return acl_failure(
            ACL_ERROR_RT_PARAM_INVALID,
            fmt::format("{}: {}", call, path == nullptr ? "the path is null" : "flags are 0 or 1"));
    }
    try {
        ascendsim::process::write_whole(
            path, trace_of(*graph, acl_device(call)->streams().tasks_of(graph->number)));
    } catch (const ascendsim::UserError& wrong) {
        return acl_failure(ACL_ERROR_RT_FILE_WRITE, fmt::format("{}: {}", call, wrong.what()));
    }
    return ACL_SUCCESS;
}

aclError aclmdlRIBuildBegin(aclmdlRI* /*modelRI*/, uint32_t /*flag*/) {
    return acl_failure(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                       "aclmdlRIBuildBegin: graphs are not built stream by stream here; capture them with "
                       "aclmdlRICaptureBegin");
}

/// Documented: not for graphs that were captured, and there are no others.
aclError aclmdlRIAbort(aclmdlRI modelRI) {
    const char* call = "aclmdlRIAbort";
    aclError error = ACL_SUCCESS;
    return graph_of(call, modelRI, error) == nullptr
               ? error
               : acl_failure(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                             fmt::format("{}: captured graphs cannot be stopped; aclrtStreamAbort takes away "
                                         "what their stream has not begun",
                                         call));
}

}  // extern "C"
