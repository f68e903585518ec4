// SPDX-License-Identifier: Apache-2.0
// What of a captured graph may be changed: groups of kernels, and single tasks that are left out.
#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "runtime/acl/acl_captures.hpp"
#include "runtime/acl/acl_handles.hpp"
#include "runtime/acl/acl_state.hpp"
#include "runtime/acl/include/acl/acl_mdl.h"

namespace ascendsim::program {
namespace {

/// What the handle of a group points to.
struct AclTaskGroup {
    TaskGroup number{};
    GraphNumber graph{};
};

/// What the handle of a task points to.
struct AclTask {
    GraphNumber graph{};
    std::uint32_t place = 0;  // in its graph
    GraphTaskKind kind{};
    std::int32_t stream = 0;
    bool left_out = false;  // from aclmdlRIUpdate on
};

std::set<void*>& task_groups() {
    static std::set<void*> all;
    return all;
}

std::set<void*>& tasks() {
    static std::set<void*> all;
    return all;
}

aclError group_failure(const char* call, const char* why) {
    return acl_failure(ACL_ERROR_STREAM_TASK_GROUP_STATUS, fmt::format("{}: {}", call, why));
}

/// The graph that a stream is captured into; nothing with the failure noted.
std::optional<GraphNumber> captured_into(const char* call, StreamNumber stream, aclError& error) {
    const std::optional<GraphNumber> graph = acl_device(call)->streams().capture_of(stream);
    if (!graph) {
        error = acl_failure(ACL_ERROR_RT_STREAM_NOT_CAPTURED,
                            fmt::format("{}: the stream is not being captured", call));
    }
    return graph;
}

/// Forgets the handles of T for which `of` holds.
template <class T, class Of>
void forget(std::set<void*>& handles, Of of) {
    std::erase_if(handles, [&](void* handle) {
        if (!of(*static_cast<T*>(handle))) {
            return false;
        }
        delete static_cast<T*>(handle);  // NOLINT(cppcoreguidelines-owning-memory)
        return true;
    });
}

/// An array that the caller has made, of `room` entries: gives how many there are, and fills it.
template <class T>
aclError fill_array(const char* call, T* array, std::uint32_t* count, const std::vector<T>& all) {
    const std::uint32_t room = std::exchange(*count, static_cast<std::uint32_t>(all.size()));
    if (array == nullptr) {
        return ACL_SUCCESS;
    }
    if (room < all.size()) {
        return acl_failure(
            ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY,
            fmt::format("{}: there are {}, and the array has room for {}", call, all.size(), room));
    }
    std::ranges::copy(all, array);
    return ACL_SUCCESS;
}

/// The handles of a graph's tasks, in order, made when they are asked for first.
std::vector<void*> handles_of(Device& device, GraphNumber graph) {
    std::map<std::uint32_t, void*> known;
    for (void* handle : tasks()) {
        if (const auto* task = static_cast<AclTask*>(handle); task->graph == graph) {
            known[task->place] = handle;
        }
    }
    std::vector<void*> all;
    const std::vector<GraphTaskInfo> infos = device.streams().tasks_of(graph);
    for (std::uint32_t i = 0; i < infos.size(); ++i) {
        void*& handle = known[i];
        if (handle == nullptr) {
            make(&handle, tasks(), AclTask{graph, i, infos[i].kind, infos[i].stream});
        }
        all.push_back(handle);
    }
    return all;
}

AclTask* task_of(const char* call, aclmdlRITask handle, aclError& error) {
    error = acl_device(call) == nullptr ? no_device() : check_handle(call, handle, tasks());
    return error == ACL_SUCCESS ? static_cast<AclTask*>(handle) : nullptr;
}

aclmdlRITaskType type_of(GraphTaskKind kind) {
    switch (kind) {
        case GraphTaskKind::kernel:
            return ACL_MODEL_RI_TASK_KERNEL;
        case GraphTaskKind::record:
        case GraphTaskKind::flag_record:
            return ACL_MODEL_RI_TASK_EVENT_RECORD;
        case GraphTaskKind::wait:
        case GraphTaskKind::flag_wait:
            return ACL_MODEL_RI_TASK_EVENT_WAIT;
        case GraphTaskKind::flag_reset:
            return ACL_MODEL_RI_TASK_EVENT_RESET;
        case GraphTaskKind::copy:
        case GraphTaskKind::callback:
        case GraphTaskKind::collective:
            break;
    }
    return ACL_MODEL_RI_TASK_DEFAULT;
}

}  // namespace

void forget_tasks(GraphNumber graph) {
    forget<AclTaskGroup>(task_groups(), [&](const AclTaskGroup& group) { return group.graph == graph; });
    forget<AclTask>(tasks(), [&](const AclTask& task) { return task.graph == graph; });
}

aclError check_group(const char* call, Device& device, StreamNumber stream, bool kernel) {
    Streams& streams = device.streams();
    if (streams.update_of(stream)) {
        return kernel ? ACL_SUCCESS
                      : acl_failure(ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT,
                                    fmt::format("{}: a task group is being changed on this stream, and "
                                                "groups hold kernels alone",
                                                call));
    }
    const std::optional<GraphNumber> graph = streams.capture_of(stream);
    const std::optional<TaskGroup> open = graph ? streams.open_group(*graph) : std::nullopt;
    if (!open) {
        return ACL_SUCCESS;
    }
    if (streams.stream_of(*open) != stream) {
        streams.invalidate(*graph);
        return acl_failure(ACL_ERROR_STREAM_TASK_GROUP_INTR,
                           fmt::format("{}: a task group is being recorded on stream {}; other captured "
                                       "streams must wait for its end",
                                       call,
                                       static_cast<std::uint32_t>(streams.stream_of(*open))));
    }
    return kernel
               ? ACL_SUCCESS
               : acl_failure(
                     ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT,
                     fmt::format("{}: a task group is being recorded, and those hold kernels alone", call));
}

}  // namespace ascendsim::program

using namespace ascendsim::program;  // NOLINT(google-build-using-namespace): the functions below are C

extern "C" {

aclError aclmdlRICaptureTaskGrpBegin(aclrtStream stream) {
    const char* call = "aclmdlRICaptureTaskGrpBegin";
    aclError error = ACL_SUCCESS;
    const std::optional<StreamNumber> number = named_stream(call, stream, error);
    const std::optional<GraphNumber> graph = number ? captured_into(call, *number, error) : std::nullopt;
    if (!graph) {
        return error;
    }
    if (acl_device(call)->streams().open_group(*graph)) {
        return group_failure(call, "a group is open already; end it with aclmdlRICaptureTaskGrpEnd");
    }
    static_cast<void>(acl_device(call)->streams().begin_group(*number));
    return ACL_SUCCESS;
}

aclError aclmdlRICaptureTaskGrpEnd(aclrtStream stream, aclrtTaskGrp* handle) {
    const char* call = "aclmdlRICaptureTaskGrpEnd";
    if (handle == nullptr) {
        return no_place(call);
    }
    aclError error = ACL_SUCCESS;
    const std::optional<StreamNumber> number = named_stream(call, stream, error);
    const std::optional<GraphNumber> graph = number ? captured_into(call, *number, error) : std::nullopt;
    if (!graph) {
        return error;
    }
    Streams& streams = acl_device(call)->streams();
    const std::optional<TaskGroup> open = streams.open_group(*graph);
    if (!open || streams.stream_of(*open) != *number) {
        return group_failure(call,
                             "no group is open on this stream; begin one with "
                             "aclmdlRICaptureTaskGrpBegin");
    }
    streams.end_group(*open);
    return make(handle, task_groups(), AclTaskGroup{*open, *graph});
}

aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream stream, aclrtTaskGrp handle) {
    const char* call = "aclmdlRICaptureTaskUpdateBegin";
    aclError error = ACL_SUCCESS;
    const std::optional<StreamNumber> number = stream_of(call, stream, error);
    if (!number) {
        return error;
    }
    if (error = check_handle(call, handle, task_groups()); error != ACL_SUCCESS) {
        return error;
    }
    if (error = check_not_captured(call, *acl_device(call), *number); error != ACL_SUCCESS) {
        return error;
    }
    Streams& streams = acl_device(call)->streams();
    const AclTaskGroup& group = *static_cast<AclTaskGroup*>(handle);
    if (streams.state_of(group.graph) != CaptureState::ended) {
        return acl_failure(
            ACL_ERROR_RT_MODEL_CAPTURED,
            fmt::format("{}: the graph is still being captured; call aclmdlRICaptureEnd", call));
    }
    if (streams.updating(group.number) || streams.update_of(*number)) {
        return group_failure(call,
                             "a group is being changed already; end that with "
                             "aclmdlRICaptureTaskUpdateEnd");
    }
    streams.begin_update(group.number, *number);
    return ACL_SUCCESS;
}

aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream stream, ascendsim::Site site) {
    const char* call = "aclmdlRICaptureTaskUpdateEnd";
    aclError error = ACL_SUCCESS;
    const std::optional<StreamNumber> number = stream_of(call, stream, error);
    if (!number) {
        return error;
    }
    if (!acl_device(call)->streams().update_of(*number)) {
        return group_failure(call,
                             "no group is being changed on this stream; begin with "
                             "aclmdlRICaptureTaskUpdateBegin");
    }
    const std::string wrong = acl_device(call)->streams().end_update(*number, {call, site});
    return wrong.empty()
               ? ACL_SUCCESS
               : acl_failure(ACL_ERROR_RT_MODEL_UPDATE_FAILED,
                             fmt::format("{}: {}; the group stays as it was", at_line(call, site), wrong));
}

aclError aclmdlRIGetStreams(aclmdlRI modelRI, aclrtStream* streams, uint32_t* numStreams) {
    const char* call = "aclmdlRIGetStreams";
    aclError error = ACL_SUCCESS;
    const AclGraph* graph = whole_graph(call, modelRI, error);
    if (graph == nullptr) {
        return error;
    }
    if (numStreams == nullptr) {
        return no_place(call);
    }
    std::vector<aclrtStream> all;
    for (const StreamNumber number : acl_device(call)->streams().streams_of(graph->number)) {
        const auto handle = std::ranges::find_if(
            acl_state().streams, [&](void* one) { return static_cast<AclStream*>(one)->number == number; });
        if (handle != acl_state().streams.end()) {
            all.push_back(*handle);
        }
    }
    return fill_array(call, streams, numStreams, all);
}

aclError aclmdlRIGetTasksByStream(aclrtStream stream, aclmdlRITask* tasks, uint32_t* numTasks) {
    const char* call = "aclmdlRIGetTasksByStream";
    aclError error = ACL_SUCCESS;
    const std::optional<StreamNumber> number = stream_of(call, stream, error, true);
    if (!number) {
        return error;
    }
    if (numTasks == nullptr) {
        return no_place(call);
    }
    Device& device = *acl_device(call);
    std::vector<aclmdlRITask> all;
    for (void* handle : graphs()) {
        const GraphNumber graph = static_cast<AclGraph*>(handle)->number;
        if (device.streams().state_of(graph) != CaptureState::ended) {
            continue;
        }
        std::ranges::copy_if(handles_of(device, graph), std::back_inserter(all), [&](void* one) {
            return static_cast<AclTask*>(one)->stream == static_cast<std::int32_t>(*number);
        });
    }
    std::ranges::sort(all, {}, [](void* one) {
        const auto* task = static_cast<AclTask*>(one);
        return std::pair{task->graph, task->place};
    });
    return fill_array(call, tasks, numTasks, all);
}

aclError aclmdlRITaskGetType(aclmdlRITask task, aclmdlRITaskType* type) {
    const char* call = "aclmdlRITaskGetType";
    aclError error = ACL_SUCCESS;
    const AclTask* of = task_of(call, task, error);
    if (of == nullptr || type == nullptr) {
        return of == nullptr ? error : no_place(call);
    }
    *type = type_of(of->kind);
    return ACL_SUCCESS;
}

aclError aclmdlRITaskGetSeqId(aclmdlRITask task, uint32_t* id) {
    const char* call = "aclmdlRITaskGetSeqId";
    aclError error = ACL_SUCCESS;
    const AclTask* of = task_of(call, task, error);
    if (of == nullptr || id == nullptr) {
        return of == nullptr ? error : no_place(call);
    }
    *id = of->place;
    return ACL_SUCCESS;
}

aclError aclmdlRITaskDisable(aclmdlRITask task) {
    aclError error = ACL_SUCCESS;
    if (AclTask* of = task_of("aclmdlRITaskDisable", task, error)) {
        of->left_out = true;
    }
    return error;
}

aclError aclmdlRIUpdate(aclmdlRI modelRI) {
    const char* call = "aclmdlRIUpdate";
    aclError error = ACL_SUCCESS;
    const AclGraph* graph = whole_graph(call, modelRI, error);
    if (graph == nullptr) {
        return error;
    }
    Streams& streams = acl_device(call)->streams();
    if (streams.running(graph->number)) {
        return acl_failure(ACL_ERROR_RT_MODEL_UPDATE_FAILED,
                           fmt::format("{}: the graph is being executed; wait for its stream before", call));
    }
    for (void* handle : tasks()) {
        const auto* task = static_cast<AclTask*>(handle);
        if (task->graph == graph->number && task->left_out) {
            streams.leave_out(graph->number, task->place);
        }
    }
    return ACL_SUCCESS;
}

}  // extern "C"
