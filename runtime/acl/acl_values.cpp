// SPDX-License-Identifier: Apache-2.0
// Values in device memory that streams write and wait for.
#include <array>
#include <cstring>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "runtime/acl/acl_captures.hpp"
#include "runtime/acl/acl_state.hpp"
#include "runtime/acl/include/acl/acl_rt.h"

namespace ascendsim::program {
namespace {

/// A call about a value, and where it stands.
struct ValueCall {
    const char* name;
    void* at;
    std::uint64_t value;
    std::uint32_t flag;
    Site site;
};

/// Documented: Atlas A2 and A3 alone have the calls.
bool has_values(std::string_view chip) {
    return chip.starts_with("910b") || chip.starts_with("910c");
}

aclError check_value(Device& device, const ValueCall& call, std::uint32_t most_flag) {
    std::string wrong;
    if (!has_values(device.chip().name)) {
        return acl_failure(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                           fmt::format("{}: the {} does not have it; 910B and 910C do",
                                       at_line(call.name, call.site),
                                       device.chip().name));
    }
    if (call.at == nullptr || !device.memory().owns(call.at)) {
        wrong = call.at == nullptr ? "the address is null" : "this is host memory";
    } else if (!on_device(device, call.at, sizeof call.value)) {
        wrong = "8 bytes reach beyond the allocation, or it was freed";
    } else if (device.memory().offset_of(call.at) % sizeof call.value != 0) {
        wrong = "the address is no multiple of 8 bytes";
    } else if (call.flag > most_flag) {
        wrong = fmt::format(
            "flag {}: 0{} is known", call.flag, most_flag == 0 ? "" : fmt::format(" to {}", most_flag));
    }
    return wrong.empty() ? ACL_SUCCESS
                         : acl_failure(ACL_ERROR_RT_PARAM_INVALID,
                                       fmt::format("{}: {}", at_line(call.name, call.site), wrong));
}

std::uint64_t value_at(const void* place) {
    std::uint64_t value = 0;
    std::memcpy(&value, place, sizeof value);
    return value;
}

/// Documented, by the numbers of ACL_STREAM_WAIT_VALUE_….
bool compares(std::uint32_t flag, std::uint64_t there, std::uint64_t value) {
    switch (flag) {
        case ACL_STREAM_WAIT_VALUE_GEQ:
            return static_cast<std::int64_t>(there - value) >= 0;
        case ACL_STREAM_WAIT_VALUE_EQ:
            return there == value;
        case ACL_STREAM_WAIT_VALUE_AND:
            return (there & value) != 0;
        default:
            return ~(there | value) != 0;
    }
}

}  // namespace
}  // namespace ascendsim::program

using namespace ascendsim::program;  // NOLINT(google-build-using-namespace): the functions below are C

extern "C" {

aclError aclrtValueWrite(
    void* devAddr, uint64_t value, uint32_t flag, aclrtStream stream, ascendsim::Site site) {
    const ValueCall call{"aclrtValueWrite", devAddr, value, flag, site};
    aclError error = ACL_SUCCESS;
    const std::optional<StreamNumber> number = stream_of(call.name, stream, error, true);
    if (!number) {
        return error;
    }
    Device& device = *acl_device(call.name);
    error = check_value(device, call, 0);
    if (error == ACL_SUCCESS) {
        error = check_group(call.name, device, *number, false);
    }
    if (error == ACL_SUCCESS) {
        const std::uint32_t where = device_of_memory(device, devAddr);
        const std::uint64_t at = device.memory().offset_of(devAddr);
        device.streams().copy(
            *number,
            {call.name, site},
            {.from = where, .to = where, .bytes = sizeof value, .written_at = at, .length = sizeof value},
            [&device, devAddr, value, at] {
                std::memcpy(devAddr, &value, sizeof value);
                device.host_wrote(at, sizeof value);
            });
    }
    return error;
}

aclError aclrtValueWait(
    void* devAddr, uint64_t value, uint32_t flag, aclrtStream stream, ascendsim::Site site) {
    const ValueCall call{"aclrtValueWait", devAddr, value, flag, site};
    aclError error = ACL_SUCCESS;
    const std::optional<StreamNumber> number = stream_of(call.name, stream, error, true);
    if (!number) {
        return error;
    }
    Device& device = *acl_device(call.name);
    error = check_value(device, call, ACL_STREAM_WAIT_VALUE_NOR);
    if (error == ACL_SUCCESS && device.streams().capture_of(*number)) {
        error = acl_failure(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                            fmt::format("{}: waits for values are not captured here; an event of "
                                        "ACL_EVENT_EXTERNAL is",
                                        at_line(call.name, site)));
    }
    if (error == ACL_SUCCESS) {
        constexpr std::array<const char*, 4> words{
            "to be at least", "to be", "to have one of the bits", "to have a bit unset that is not of"};
        device.streams().wait_for_value(
            *number,
            {call.name, site},
            {.holds = [devAddr, value, flag] { return compares(flag, value_at(devAddr), value); },
             .words = fmt::format("the 8 bytes at {:#x} of device memory {} {:#x}",
                                  device.memory().offset_of(devAddr),
                                  words.at(flag),
                                  value)});
    }
    return error;
}

}  // extern "C"
