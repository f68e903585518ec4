// SPDX-License-Identifier: Apache-2.0
#include "models/port/mailbox.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "models/port/polled_flag.hpp"

namespace ascendsim::isa {
namespace {

constexpr OpInfo post_info{"post_message", "Tells the cube core of a message in global memory."};
constexpr OpInfo receive_info{"receive_message", "Waits for a message of a vector core."};
constexpr OpInfo answer_info{"answer_message", "Tells a vector core that its request is done."};
constexpr OpInfo await_info{"await_answer", "Waits for the cube core's answer."};
constexpr std::uint8_t mode_message = 5;  // CrossFlags::mode_message, which the machine knows

void push_flag(const OpInfo& info, OpKind kind, Pipe pipe, std::uint32_t id, Site site, bool observed) {
    CorePort& core = CorePort::current();
    const TimedOp op{.info = &info,
                     .site = site,
                     .kind = kind,
                     .pipe = pipe,
                     .a = mode_message,
                     .b = &info == &receive_info ? polled_flag : std::uint8_t{0},
                     .id = id,
                     .scalar = core.chip().scalar.issue_cycles};
    if (AccessObserver* observer = core.observer(); observer != nullptr && observed) {
        observer->on_issue(op, {});
    }
    core.push(op);
}

std::uint32_t group_of(const CorePort& core) {
    const CoreIdentity& identity = core.identity();
    return identity.kind == CoreKind::aiv ? identity.core / std::max(1U, core.chip().cores.aiv_per_aic)
                                          : identity.core;
}

}  // namespace

Instructions mailbox_instructions() {
    return {&post_info, &receive_info, &answer_info, &await_info};
}

std::uint32_t message_id(const CoreIdentity& core, std::uint32_t sub, std::uint32_t channel) {
    const std::uint32_t block = core.kind == CoreKind::aiv ? core.block / core.task_ratio : core.block;
    return (block * message_channels + channel) * 2 + sub;
}

std::byte* framework_memory(const char* name, std::uint32_t core, std::uint64_t bytes) {
    GlobalMemory& memory = CorePort::current().global();
    const std::string title = fmt::format("{} {}", name, core);
    for (const GlobalBuffer& buffer : memory.buffers()) {
        if (buffer.name == title && buffer.bytes >= bytes) {
            return memory.base() + buffer.offset;
        }
    }
    return memory.allocate(title, bytes);
}

std::byte* message_box(std::uint32_t sub) {
    return framework_memory("matmul messages", group_of(CorePort::current()) * 2 + sub, message_box_bytes);
}

void post_message(Site site) {
    const CoreIdentity& self = CorePort::current().identity();
    push_flag(post_info,
              OpKind::cross_set,
              Pipe::mte3,
              message_id(self, self.sub_block, message_request),
              site,
              true);
    CorePort::current().note_message();
}

void await_answer(Pipe pipe, std::uint32_t channel, Site site) {
    CorePort& core = CorePort::current();
    const std::uint32_t id = message_id(core.identity(), core.identity().sub_block, channel);
    push_flag(await_info, OpKind::cross_wait, pipe, id, site, true);
    core.await_answer(id, site);
}

std::optional<std::uint32_t> receive_message(std::uint32_t& gone, Site site) {
    CorePort& core = CorePort::current();
    const CoreIdentity& self = core.identity();
    for (;;) {
        std::vector<std::uint32_t> ids;
        for (std::uint32_t sub = 0; sub < self.task_ratio; ++sub) {
            if ((gone >> sub & 1U) == 0) {
                ids.push_back(message_id(self, sub, message_request));
                ids.push_back(message_id(self, sub, message_goodbye));
            }
        }
        if (ids.empty()) {
            return std::nullopt;
        }
        const std::uint32_t id = core.await_message(ids, site);
        const std::uint32_t sub = id % 2;
        const bool goodbye = id == message_id(self, sub, message_goodbye);
        push_flag(receive_info, OpKind::cross_wait, Pipe::scalar, id, site, !goodbye);
        if (!goodbye) {
            return sub;
        }
        gone |= 1U << sub;
    }
}

void answer_message(Pipe pipe, std::uint32_t sub, std::uint32_t channel, Site site) {
    CorePort& core = CorePort::current();
    const std::uint32_t id = message_id(core.identity(), sub, channel);
    push_flag(answer_info, OpKind::cross_set, pipe, id, site, true);
    core.raise_answer(id, site);
}

}  // namespace ascendsim::isa
