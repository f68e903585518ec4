// SPDX-License-Identifier: Apache-2.0
// Functions of the host that streams come to: on threads that the program subscribes, or on one of the
// runtime's own.
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <pthread.h>

#include "runtime/acl/acl_captures.hpp"
#include "runtime/acl/acl_handles.hpp"
#include "runtime/acl/acl_state.hpp"
#include "runtime/acl/include/acl/acl_rt.h"
#include "runtime/acl/threads/own_threads.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::program {
namespace {

/// Documented: so many threads of a process may be subscribed.
constexpr std::size_t most_threads = 1024;

/// Queues of threads of the runtime's own are numbered from here on, beyond the ids of threads.
constexpr std::uint64_t own_queues = std::uint64_t{1} << 63U;

/// Who processes the callbacks of which streams.
struct Subscriptions {
    struct Thread {
        std::uint32_t device = 0;
        std::uint32_t streams = 0;
    };

    std::map<StreamNumber, std::uint64_t> streams;  // the id of the thread, or a queue of the runtime's own
    std::map<std::uint64_t, Thread> threads;
};

Subscriptions& subscriptions() {
    static Subscriptions all;
    return all;
}

aclError check_free(const char* call, StreamNumber stream) {
    const auto known = subscriptions().streams.find(stream);
    if (known == subscriptions().streams.end()) {
        return ACL_SUCCESS;
    }
    return acl_failure(
        ACL_ERROR_RT_STREAM_SUBSCRIBE,
        known->second >= own_queues
            ? fmt::format(
                  "{}: the stream runs functions of aclrtLaunchHostFunc; a stream has one of both ways", call)
            : fmt::format("{}: the stream has a thread already, {}", call, known->second));
}

aclError subscribe(const char* call, std::uint64_t thread, StreamNumber stream) {
    Subscriptions& all = subscriptions();
    if (const aclError error = check_free(call, stream); error != ACL_SUCCESS) {
        return error;
    }
    const std::uint32_t device = acl_device(call)->streams().device_of(stream);
    const auto known = all.threads.find(thread);
    if (known != all.threads.end() && known->second.device != device) {
        return acl_failure(
            ACL_ERROR_RT_THREAD_SUBSCRIBE,
            fmt::format("{}: thread {} serves streams of device {}, and this one is of device {}",
                        call,
                        thread,
                        known->second.device,
                        device));
    }
    if (known == all.threads.end() && all.threads.size() >= most_threads) {
        return acl_failure(
            ACL_ERROR_RT_THREAD_SUBSCRIBE,
            fmt::format("{}: {} threads are subscribed, and no more can be", call, most_threads));
    }
    all.streams[stream] = thread;
    Subscriptions::Thread& entry = all.threads[thread];
    entry.device = device;
    ++entry.streams;
    return ACL_SUCCESS;
}

aclError unsubscribe(const char* call, std::uint64_t thread, StreamNumber stream) {
    Subscriptions& all = subscriptions();
    const auto known = all.streams.find(stream);
    if (known == all.streams.end() || known->second >= own_queues) {
        return acl_failure(ACL_ERROR_RT_STREAM_SUBSCRIBE,
                           fmt::format("{}: no thread is subscribed to the stream", call));
    }
    if (known->second != thread) {
        return acl_failure(ACL_ERROR_RT_THREAD_SUBSCRIBE,
                           fmt::format("{}: the stream's thread is {}, not {}", call, known->second, thread));
    }
    all.streams.erase(known);
    if (--all.threads[thread].streams == 0) {
        all.threads.erase(thread);
    }
    return ACL_SUCCESS;
}

/// Calls a program's function, and knows that it does.
std::function<void()> called(void (*function)(void*), void* data) {
    return [function, data] {
        acl_thread().in_callback = true;
        function(data);
        acl_thread().in_callback = false;
    };
}

/// A thread of the runtime's own that serves one stream.
struct Server {
    Device* device;
    ThreadNumber number;
    ReportQueue queue;
};

extern "C" void* ascendsim_serve(void* opaque) {
    const std::unique_ptr<Server> server{static_cast<Server*>(opaque)};
    return run_as_thread(server->device->threads(), server->number, [&]() -> void* {
        acl_thread().bound = true;
        for (;;) {
            server->device->streams().process_report(server->queue, {"aclrtLaunchHostFunc", {}}, {});
        }
    });
}

/// The queue behind a stream's host functions, whose thread starts with the first.
aclError server_of(const char* call, StreamNumber stream, ReportQueue& queue) {
    Subscriptions& all = subscriptions();
    const std::uint64_t own = own_queues + static_cast<std::uint64_t>(stream);
    queue = ReportQueue{own};
    const auto known = all.streams.find(stream);
    if (known != all.streams.end()) {
        return known->second == own
                   ? ACL_SUCCESS
                   : acl_failure(ACL_ERROR_RT_STREAM_SUBSCRIBE,
                                 fmt::format("{}: a thread is subscribed to the stream with "
                                             "aclrtSubscribeReport; a stream has one of both ways",
                                             call));
    }
    Device* device = acl_device(call);
    auto server = std::make_unique<Server>(Server{device, device->threads().create(true), queue});
    pthread_t thread{};
    if (pthread_create(&thread, nullptr, &ascendsim_serve, server.get()) != 0) {
        // The turn would go to a thread that does not exist.
        device->threads().fail(
            std::make_exception_ptr(UserError{"{}: no thread can be created for the stream", call}));
    }
    pthread_detach(thread);
    static_cast<void>(server.release());  // the thread's own
    all.streams[stream] = own;
    return ACL_SUCCESS;
}

}  // namespace
}  // namespace ascendsim::program

using namespace ascendsim::program;  // NOLINT(google-build-using-namespace): the functions below are C

extern "C" {

aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream) {
    aclError error = ACL_SUCCESS;
    const std::optional<StreamNumber> number = stream_of("aclrtSubscribeReport", stream, error);
    return number ? subscribe("aclrtSubscribeReport", threadId, *number) : error;
}

aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream) {
    aclError error = ACL_SUCCESS;
    const std::optional<StreamNumber> number = stream_of("aclrtUnSubscribeReport", stream, error);
    return number ? unsubscribe("aclrtUnSubscribeReport", threadId, *number) : error;
}

aclError aclrtLaunchCallback(aclrtCallback fn,
                             void* userData,
                             aclrtCallbackBlockType blockType,
                             aclrtStream stream,
                             ascendsim::Site site) {
    const char* call = "aclrtLaunchCallback";
    aclError error = ACL_SUCCESS;
    const std::optional<StreamNumber> number = stream_of(call, stream, error);
    if (!number) {
        return error;
    }
    if (blockType != ACL_CALLBACK_BLOCK && blockType != ACL_CALLBACK_NO_BLOCK) {
        return acl_failure(ACL_ERROR_INVALID_PARAM,
                           fmt::format("{}: {} is neither ACL_CALLBACK_NO_BLOCK nor ACL_CALLBACK_BLOCK",
                                       at_line(call, site),
                                       static_cast<int>(blockType)));
    }
    if (fn == nullptr) {
        return acl_failure(ACL_ERROR_RT_PARAM_INVALID,
                           fmt::format("{}: the function is null", at_line(call, site)));
    }
    const auto known = subscriptions().streams.find(*number);
    if (known == subscriptions().streams.end()) {
        return acl_failure(ACL_ERROR_RT_STREAM_NO_CB_REG,
                           fmt::format("{}: no thread is subscribed to the stream; call aclrtSubscribeReport",
                                       at_line(call, site)));
    }
    if (known->second >= own_queues) {
        return check_free(call, *number);
    }
    if (error = check_group(call, *acl_device(call), *number, false); error != ACL_SUCCESS) {
        return error;
    }
    acl_device(call)->streams().call_back(*number,
                                          {call, site},
                                          ReportQueue{known->second},
                                          called(fn, userData),
                                          blockType == ACL_CALLBACK_BLOCK);
    return ACL_SUCCESS;
}

aclError aclrtProcessReport(int32_t timeout, ascendsim::Site site) {
    const char* call = "aclrtProcessReport";
    Device* device = acl_process(call);
    if (device == nullptr) {
        return no_device();
    }
    if (timeout < -1 || timeout == 0) {
        return acl_failure(
            ACL_ERROR_INVALID_PARAM,
            fmt::format(
                "{}: {} ms: -1 waits for ever, and else it is more than 0", at_line(call, site), timeout));
    }
    const auto self = static_cast<std::uint64_t>(pthread_self());
    if (!subscriptions().threads.contains(self)) {
        // A loop asks again until the thread is subscribed: no message, and time passes.
        device->threads().yield();
        acl_thread().last_error = ACL_ERROR_RT_THREAD_SUBSCRIBE;
        return ACL_ERROR_RT_THREAD_SUBSCRIBE;
    }
    if (device->streams().process_report(ReportQueue{self}, {call, site}, timeout_us(timeout))) {
        return ACL_SUCCESS;
    }
    acl_thread().last_error = ACL_ERROR_RT_REPORT_TIMEOUT;
    return ACL_ERROR_RT_REPORT_TIMEOUT;
}

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void* args, ascendsim::Site site) {
    const char* call = "aclrtLaunchHostFunc";
    aclError error = ACL_SUCCESS;
    const std::optional<StreamNumber> number = stream_of(call, stream, error);
    if (!number) {
        return error;
    }
    if (fn == nullptr) {
        return acl_failure(ACL_ERROR_RT_PARAM_INVALID,
                           fmt::format("{}: the function is null", at_line(call, site)));
    }
    if (error = check_group(call, *acl_device(call), *number, false); error != ACL_SUCCESS) {
        return error;
    }
    ReportQueue queue{};
    error = server_of(call, *number, queue);
    if (error == ACL_SUCCESS) {
        acl_device(call)->streams().call_back(*number, {call, site}, queue, called(fn, args), true);
    }
    return error;
}

}  // extern "C"
