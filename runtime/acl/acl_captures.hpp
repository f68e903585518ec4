// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "runtime/acl/acl_state.hpp"
#include "runtime/acl/include/acl/acl_mdl.h"

namespace ascendsim::program {

/// A capture under way: its mode, and the thread that began it.
struct Capture {
    aclmdlRICaptureMode mode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
    ThreadNumber thread{};
};

[[nodiscard]] std::map<GraphNumber, Capture>& captures();
/// Of the calling thread, as aclmdlRICaptureThreadExchangeMode sets it.
[[nodiscard]] aclmdlRICaptureMode& capture_mode();

/// What a call must not do while streams are captured; ACL_SUCCESS if it may, else with the failure noted.
/// `on_stream`: a copy of pageable memory, which waits on the chip.
[[nodiscard]] aclError check_copies_allowed(const char* call, Device& device, bool on_stream);
[[nodiscard]] aclError check_not_captured(const char* call, Device& device, StreamNumber stream);
[[nodiscard]] aclError check_not_captured(const char* call, Device& device, EventNumber event);
/// The same of all streams of a device.
[[nodiscard]] aclError check_no_capture(const char* call, Device& device, std::uint32_t number);
[[nodiscard]] aclError check_wait(
    const char* call, Device& device, StreamNumber stream, EventNumber event, bool recorded);

}  // namespace ascendsim::program
