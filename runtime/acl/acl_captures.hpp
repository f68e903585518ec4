// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/acl/acl_state.hpp"
#include "runtime/acl/include/acl/acl_mdl.h"

namespace ascendsim::program {

/// A capture under way: its mode, and the thread that began it.
struct Capture {
    aclmdlRICaptureMode mode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
    ThreadNumber thread{};
};

[[nodiscard]] std::map<GraphNumber, Capture>& captures();

/// What the handle of a graph points to.
struct AclGraph {
    GraphNumber number{};
    std::string name{};
    std::vector<std::pair<void (*)(void*), void*>> at_end{};
};

[[nodiscard]] std::set<void*>& graphs();
/// The graph of a handle, which may still be captured; null with the failure noted.
[[nodiscard]] AclGraph* graph_of(const char* call, aclmdlRI handle, aclError& error);
/// A graph whose capture has ended well.
[[nodiscard]] AclGraph* whole_graph(const char* call, aclmdlRI handle, aclError& error);
/// A stream that may be captured, which the default one may not.
[[nodiscard]] std::optional<StreamNumber> named_stream(const char* call, aclrtStream stream, aclError& error);
/// The handles of tasks and of groups are gone with their graph.
void forget_tasks(GraphNumber graph);
/// Of the calling thread, as aclmdlRICaptureThreadExchangeMode sets it.
[[nodiscard]] aclmdlRICaptureMode& capture_mode();

/// What a call must not do while streams are captured; ACL_SUCCESS if it may, else with the failure noted.
/// `on_stream`: a copy of pageable memory, which waits on the chip.
[[nodiscard]] aclError check_copies_allowed(const char* call, Device& device, bool on_stream);
[[nodiscard]] aclError check_not_captured(const char* call, Device& device, StreamNumber stream);
[[nodiscard]] aclError check_not_captured(const char* call, Device& device, EventNumber event);
/// The same of all streams of a device.
[[nodiscard]] aclError check_no_capture(const char* call, Device& device, std::uint32_t number);
/// What a task group forbids: other work than kernels in it, work on other captured streams while it is
/// recorded, other work than kernels while it is changed.
[[nodiscard]] aclError check_group(const char* call, Device& device, StreamNumber stream, bool kernel);
[[nodiscard]] aclError check_wait(
    const char* call, Device& device, StreamNumber stream, EventNumber event, bool recorded);

}  // namespace ascendsim::program
