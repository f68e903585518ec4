// SPDX-License-Identifier: Apache-2.0
// The main of the simulator's side: takes launches of another program over a socket and makes them, one after
// the other, in one session. Compiled as part of a host program together with the kernels; its words are the
// socket and the file behind the memory that both share.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <typeinfo>
#include <vector>

#include "runtime/acl/device.hpp"
#include "runtime/acl/include/acl/acl.h"
#include "runtime/front/packet.hpp"

namespace ascendsim::front {

#ifdef ASCENDSIM_HOST
/// A type known by its name alone, as a launch's closure has one.
class NamedType final : public std::type_info {
public:
    explicit NamedType(const char* mangled) : std::type_info{mangled} {}
};

/// A launch that came over the socket, whole.
class ReceivedLaunch {
public:
    explicit ReceivedLaunch(Packet& packet)
        : text_{packet.get_text()},
          type_name_{packet.get_text()},
          type_{type_name_.c_str()},
          file_{packet.get_text()} {
        request_.site.line = packet.get<std::uint32_t>();
        request_.site.file = file_.c_str();
        request_.text = text_.c_str();
        request_.call = type_name_.empty() ? nullptr : &type_;
        request_.blocks = packet.get<std::uint32_t>();
        request_.tiling_key = packet.get<std::uint64_t>();
        request_.count = packet.get<std::uint32_t>();
        values_.resize(request_.count);
        for (std::vector<std::byte>& value : values_) {
            program::LaunchArgument argument;
            argument.kind = packet.get<program::ArgumentKind>();
            argument.bytes = packet.get<std::uint32_t>();
            value.resize(argument.bytes);
            packet.take(value.data(), value.size());
            argument.value = value.data();
            arguments_.push_back(argument);
        }
        request_.arguments = arguments_.data();
    }

    ReceivedLaunch(const ReceivedLaunch&) = delete;
    ReceivedLaunch& operator=(const ReceivedLaunch&) = delete;

    [[nodiscard]] const program::LaunchRequest& request() const { return request_; }

private:
    std::string text_;
    std::string type_name_;
    NamedType type_;
    std::string file_;
    std::vector<std::vector<std::byte>> values_;
    std::vector<program::LaunchArgument> arguments_;
    program::LaunchRequest request_;
};

/// Learns of allocations and frees of the other program since the last launch.
inline void follow_memory(Packet& packet, program::Device& device) {
    const auto count = packet.get<std::uint64_t>();
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto block = packet.get<SharedBlock>();
        if (block.bytes == 0) {
            device.memory().forget(block.offset);
        } else {
            device.memory().adopt("tensor", block.offset, block.bytes);
            device.host_wrote(block.offset, block.bytes);  // by instructions of the host that nobody follows
        }
    }
}

inline int serve(int argc, char** argv) {
    if (argc < 3) {
        return 0;  // built ahead: nothing to run
    }
    const int socket = std::atoi(argv[1]);
    program::Device& device = *program::current_device();
    device.memory().share(std::atoi(argv[2]));
    Packet hello;
    hello.put<std::uint64_t>(reinterpret_cast<std::uintptr_t>(device.memory().base()));
    if (!hello.send_to(socket)) {
        return 0;
    }
    aclrtEvent before = nullptr;
    aclrtEvent after = nullptr;
    aclrtCreateEvent(&before);
    aclrtCreateEvent(&after);
    std::vector<std::unique_ptr<ReceivedLaunch>> launches;
    Packet packet;
    while (packet.receive_from(socket)) {
        follow_memory(packet, device);
        // Figures name launches to the end.
        launches.push_back(std::make_unique<ReceivedLaunch>(packet));
        aclrtRecordEvent(before, nullptr);
        program::start_kernel(launches.back()->request());
        aclrtRecordEvent(after, nullptr);
        float ms = 0;
        if (aclrtSynchronizeStream(nullptr) != ACL_SUCCESS ||
            aclrtEventElapsedTime(&ms, before, after) != ACL_SUCCESS) {
            return 1;
        }
        Packet answer;
        answer.put<double>(static_cast<double>(ms) * 1000);
        answer.put(device.cores_of(launches.back()->request()));
        if (!answer.send_to(socket)) {
            break;
        }
    }
    return 0;
}
#endif

}  // namespace ascendsim::front
