// SPDX-License-Identifier: Apache-2.0
#include "runtime/acl/nn/nn_call.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/acl/acl_state.hpp"
#include "runtime/acl/host_log.hpp"
#include "runtime/acl/nn/nn_objects.hpp"
#include "runtime/acl/op_api/recording.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::nn {
namespace {

using program::CallArgument;
using program::CallKind;
using program::Device;
using program::OperatorAsk;

thread_local Site call_site;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): of at()

tiling::AttributeValue value_of(const aclScalar& scalar) {
    return scalar.is_whole ? tiling::AttributeValue{scalar.whole} : tiling::AttributeValue{scalar.real};
}

/// False for a handle that was destroyed, or never made; so for the members of a list.
bool is_alive(const Argument& from) {
    const program::LiveHandles& handles = program::live_handles();
    if (from.object == nullptr || from.kind >= Kind::whole) {
        return true;
    }
    const auto alive = [&](const void* one) { return one == nullptr || handles.holds(one); };
    if (!alive(from.object)) {
        return false;
    }
    if (from.kind == Kind::tensors) {
        return std::ranges::all_of(static_cast<const aclTensorList*>(from.object)->tensors, alive);
    }
    return from.kind != Kind::scalars ||
           std::ranges::all_of(static_cast<const aclScalarList*>(from.object)->scalars, alive);
}

/// Follows a handle to what it stands for.
void take_object(const Argument& from, CallArgument& to) {
    switch (from.kind) {
        case Kind::tensor:
            to.tensors = {static_cast<const aclTensor*>(from.object)->value};
            break;
        case Kind::tensors:
            for (const aclTensor* tensor : static_cast<const aclTensorList*>(from.object)->tensors) {
                to.tensors.push_back(tensor == nullptr ? program::CallTensor{} : tensor->value);
            }
            break;
        case Kind::scalar: {
            const auto& scalar = *static_cast<const aclScalar*>(from.object);
            to.type = scalar.type;
            to.value = value_of(scalar);
            break;
        }
        case Kind::scalars: {
            std::vector<double> values;
            for (const aclScalar* scalar : static_cast<const aclScalarList*>(from.object)->scalars) {
                to.type = scalar->type;
                values.push_back(scalar->real);
            }
            to.value = std::move(values);
            break;
        }
        case Kind::wholes:
            to.value = static_cast<const aclIntArray*>(from.object)->values;
            break;
        case Kind::reals: {
            const auto& values = static_cast<const aclFloatArray*>(from.object)->values;
            to.value = std::vector<double>(values.begin(), values.end());
            break;
        }
        case Kind::truths:
            to.value = static_cast<const aclBoolArray*>(from.object)->values;
            break;
        case Kind::text:
            to.value = std::string{static_cast<const char*>(from.object)};
            break;
        default:
            break;
    }
}

CallArgument taken(const Argument& from) {
    CallArgument to{.name = from.name, .kind = static_cast<CallKind>(from.kind), .written = from.written};
    switch (from.kind) {
        case Kind::whole:
            to.value = from.whole;
            break;
        case Kind::real:
            to.value = from.real;
            break;
        case Kind::truth:
            to.value = from.whole != 0;
            break;
        default:
            to.given = from.object != nullptr;
            if (to.given) {
                take_object(from, to);
            }
            break;
    }
    return to;
}

/// With several threads nobody could catch what is wrong: the program ends where they stand.
template <class Work>
auto guarded(Device& device, Work&& work) {
    try {
        return work();
    } catch (...) {
        if (device.on_host_thread() && device.threads().several()) {
            device.threads().fail(std::current_exception());
        }
        throw;
    }
}

}  // namespace

void at(Site site) {
    call_site = site;
}

Site call_place() {
    return call_site;
}

void* own_first_phase(const char* function, const Argument* arguments, std::size_t count) {
    Device* device = program::current_device();
    if (device == nullptr || !std::all_of(arguments, arguments + count, is_alive)) {
        return nullptr;  // prepare() says what is wrong
    }
    return guarded(*device, [&] {
        const program::OwnCode own = device->own_code(function);
        if (!own.obstacle.empty() && program::acl_state().warned.insert(function).second) {
            std::fprintf(stderr,
                         "note: %s: its arguments go to the operator by their names: %s\n",
                         function,
                         own.obstacle.c_str());
        }
        return own.first;
    });
}

void* own_second_phase(const char* function, const aclOpExecutor* executor) {
    Device* device = program::current_device();
    if (device == nullptr || !program::live_handles().holds(executor) || executor->recording == nullptr) {
        return nullptr;  // start() says what is wrong
    }
    return device->own_code(function).second;
}

aclnnStatus run_own_code(const char* function, aclnnStatus (*run)(void* call), void* call) {
    const std::string place =
        program::at_line(fmt::format("{}GetWorkspaceSize", function).c_str(), call_site);
    static_cast<void>(tiling::taken_errors());
    op_api::begin(function);
    return guarded(*program::current_device(), [&] {
        try {
            const aclnnStatus status = run(call);
            const std::vector<std::string> said = tiling::taken_errors();
            return status == ACLNN_SUCCESS
                       ? status
                       : program::acl_failure(status,
                                              fmt::format("{}: {}", place, fmt::join(said, "\n    ")));
        } catch (const op_api::Refused& error) {
            return program::acl_failure(ACLNN_ERR_PARAM_INVALID, fmt::format("{}: {}", place, error.what()));
        } catch (const UserError& error) {
            throw UserError{"{}: the library's own code behind it: {}", place, error.what()};
        } catch (const std::out_of_range& error) {  // of a list or a shape
            throw UserError{"{}: the library's own code behind it asks for an element that is not there ({})",
                            place,
                            error.what()};
        }
    });
}

aclnnStatus prepare(const char* function,
                    const Argument* arguments,
                    std::size_t count,
                    std::uint64_t* workspace,
                    aclOpExecutor** executor) {
    const std::string call = fmt::format("{}GetWorkspaceSize", function);
    if (workspace == nullptr || executor == nullptr) {
        return program::acl_failure(ACLNN_ERR_PARAM_NULLPTR,
                                    fmt::format("{}: no place for the result", call));
    }
    Device* device = program::acl_device(call.c_str());
    if (device == nullptr) {
        return program::no_device();
    }
    OperatorAsk ask{.function = function, .arguments = {}, .site = call_site};
    for (std::size_t i = 0; i < count; ++i) {
        if (!is_alive(arguments[i])) {
            return program::acl_failure(
                ACLNN_ERR_PARAM_INVALID,
                fmt::format("{}: `{}` is no handle that is alive; was it destroyed before?",
                            program::at_line(call.c_str(), call_site),
                            arguments[i].name));
        }
        ask.arguments.push_back(taken(arguments[i]));
    }
    return guarded(*device, [&] {
        std::string refusal;
        auto prepared = device->prepare(ask, refusal);
        if (!refusal.empty()) {
            return program::acl_failure(
                ACLNN_ERR_PARAM_INVALID,
                fmt::format("{}: {}", program::at_line(call.c_str(), call_site), refusal));
        }
        *workspace = prepared->workspace();
        // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): the program may destroy it, or leave it
        *executor = program::live_handles().made(
            new aclOpExecutor{.function = function, .prepared = std::move(prepared)});
        return ACLNN_SUCCESS;
    });
}

aclnnStatus start(
    const char* function, void* workspace, std::uint64_t bytes, aclOpExecutor* executor, aclrtStream stream) {
    if (executor == nullptr) {
        return program::acl_failure(
            ACLNN_ERR_PARAM_NULLPTR,
            fmt::format("{}: no executor; {}GetWorkspaceSize makes one", function, function));
    }
    if (!program::live_handles().holds(executor)) {
        return program::acl_failure(ACLNN_ERR_PARAM_INVALID,
                                    fmt::format("{}: no such executor; was it destroyed before?",
                                                program::at_line(function, call_site)));
    }
    if (executor->used && !executor->repeatable) {
        return program::acl_failure(ACLNN_ERR_PARAM_INVALID,
                                    fmt::format("{}: its executor has served a call; "
                                                "aclSetAclOpExecutorRepeatable would let it serve more",
                                                function));
    }
    Device* device = program::acl_device(function);
    if (device == nullptr) {
        return program::no_device();
    }
    aclError error = ACL_SUCCESS;
    const std::optional<program::StreamNumber> number = program::stream_of(function, stream, error);
    if (!number) {
        return error;
    }
    if (workspace != nullptr && !program::on_device(*device, workspace, bytes)) {
        return program::acl_failure(
            ACLNN_ERR_PARAM_INVALID,
            fmt::format("{}: the workspace's {} bytes are no device memory that is allocated",
                        program::at_line(function, call_site),
                        bytes));
    }
    executor->used = true;
    if (executor->prepared == nullptr) {
        return program::acl_failure(
            ACLNN_ERR_PARAM_INVALID,
            fmt::format("{}: its executor has nothing to run", program::at_line(function, call_site)));
    }
    const bool enough = workspace != nullptr && bytes >= executor->prepared->workspace();
    return guarded(*device, [&] {
        const bool for_good = executor->repeatable || device->streams().capture_of(*number).has_value();
        if (executor->recording != nullptr) {
            executor->prepared = executor->recording->prepared_for(*number, for_good);
        }
        executor->prepared->launch(*number,
                                   {executor->function.c_str(), call_site},
                                   enough ? static_cast<std::byte*>(workspace) : nullptr);
        if (executor->recording != nullptr && !for_good) {
            executor->recording->give_back(*number);
        }
        return ACLNN_SUCCESS;
    });
}

}  // namespace ascendsim::nn
