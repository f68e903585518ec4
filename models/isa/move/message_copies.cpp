// SPDX-License-Identifier: Apache-2.0
#include "models/isa/move/message_copies.hpp"

#include "models/isa/cube/cube_tables.hpp"
#include "models/isa/sync/synchronise.hpp"
#include "models/port/issue.hpp"
#include "models/port/mailbox.hpp"

namespace ascendsim::isa {
namespace {

constexpr OpInfo make_info{"make_zeros", "Makes zeros in L1, with which messages are cleared."};
constexpr OpInfo copy_info{"copy_message", "Copies messages of the high-level Matmul to global memory."};
constexpr std::uint32_t zeros = 2048;  // B, made in L1 and copied again and again
constexpr std::uint32_t note = 64;     // B, that tells of a vector core's free memory
constexpr std::uint32_t message = 128;

/// The zeros, of which only the time counts.
struct MakeZeros {
    static constexpr const OpInfo& info = make_info;

    void accesses(Accesses&) const {}

    void time(const ChipSpec& chip, TimedOp& op) const {
        FillConstant{.destination = {.memory = Memory::l1}, .repeat = zeros / 32, .run_bytes = 32}.time(chip,
                                                                                                        op);
    }

    void execute(CorePort&) const {}
};

/// A copy of which only the end in global memory is told.
struct MessageCopy {
    static constexpr const OpInfo& info = copy_info;
    std::uint64_t to = 0;  // B, offset in global memory
    std::uint32_t bytes = 0;
    Memory from = Memory::ub;

    void accesses(Accesses& list) const {
        list.write({.memory = Memory::gm, .write = true, .offset = to, .row_bytes = bytes});
    }

    void time(const ChipSpec&, TimedOp& op) const {
        op.kind = OpKind::transfer;
        op.pipe = Pipe::mte3;
        op.bytes = bytes;
        op.memory = from;
    }

    [[nodiscard]] Transfer transfer(const CorePort&) const {
        return {.offset = to,
                .row_bytes = bytes,
                .rows = 1,
                .route = from == Memory::ub ? Route::ub_to_gm : Route::l1_to_gm};
    }

    void execute(CorePort&) const {}
};

std::uint64_t place_of(const std::byte* messages) {
    return CorePort::current().global().offset_of(messages);
}

}  // namespace

Instructions message_copies_instructions() {
    return {&make_info, &copy_info};
}

void clear_messages(Site site) {
    const CoreIdentity& self = CorePort::current().identity();
    issue(MakeZeros{}, site);
    constexpr std::uint32_t event = 0;  // EVENT_ID0, which the kernel has not used by then
    set_flag(Pipe::mte2, Pipe::mte3, event, site);
    wait_flag(Pipe::mte2, Pipe::mte3, event, site);
    static_assert(message_box_bytes % zeros == 0);
    for (std::uint32_t sub = 0; sub < self.task_ratio; ++sub) {
        const std::uint64_t box = place_of(message_box(sub));
        for (std::uint64_t at = 0; at < message_box_bytes; at += zeros) {
            issue(MessageCopy{.to = box + at, .bytes = zeros, .from = Memory::l1}, site);
        }
    }
    const std::uint32_t notes = note * self.task_ratio;
    issue(MessageCopy{.to = place_of(framework_memory("matmul notes", self.core, notes)),
                      .bytes = notes,
                      .from = Memory::l1},
          site);
    barrier_all(site);
}

void copy_message(std::byte* to, Site site) {
    issue(MessageCopy{.to = place_of(to), .bytes = message}, site);
}

}  // namespace ascendsim::isa
