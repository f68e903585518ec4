// SPDX-License-Identifier: Apache-2.0
// The vector core's side of a Matmul object: it sends requests to the cube core of its group and waits for
// answers. Operands and results in the unified buffer go through global memory, as a split chip has no other
// way.
#pragma once

#include "kernels/ascendc/ascendc/data_copy.h"
#include "kernels/ascendc/matmul/arguments.h"
#include "models/isa/move/message_copies.hpp"
#include "models/port/mailbox.hpp"

namespace AscendC::matmul_detail {

inline constexpr uint32_t message_slot = 1024;  // B
inline constexpr uint32_t message_slots = ascendsim::isa::message_box_bytes / message_slot;
inline constexpr uint32_t message_line = 64;
// What a request costs on its way: the lines of the chip's own messages that the cube core reads, and the
// words of 8 bytes that the vector core lays in UB for a copy to take.
inline constexpr uint32_t message_lines = 2;
inline constexpr uint32_t message_words = 16;

struct Message {
    Request request;
    TCubeTiling tiling;
    Site asked{};  // the vector core's line: faults of the cube core's work for it name it
};

static_assert(sizeof(Message) <= message_slot);

/// A tiling that the cube core is to have lies behind its message and goes through global memory word by
/// word.
inline void MoveTiling(const std::byte* message, bool write, Site site) {
    using namespace ascendsim::isa;
    constexpr uint32_t lines = (sizeof(TCubeTiling) + message_line - 1) / message_line;
    static_assert((message_lines + lines) * message_line <= message_slot);
    const std::byte* at = message + message_lines * message_line;
    const auto invalidate = [at] {
        for (uint32_t line = 0; line < lines; ++line) {
            CorePort::current().clean_data_cache(at + line * message_line, false);
        }
    };
    if (!write) {
        invalidate();
    }
    for (uint32_t word = 0; word < sizeof(TCubeTiling) / sizeof(uint32_t); ++word) {
        scalar_gm_access(at + word * sizeof(uint32_t), sizeof(uint32_t), write, site);
    }
    if (write) {
        invalidate();
    }
}

/// How many messages this vector core has sent in its block; kept in a register of the core.
inline uint64_t& MessagesSent() {
    constexpr std::size_t slot = 3;  // of Registers::user; cube cores keep something else there
    return ascendsim::isa::CorePort::current().registers().user[slot];
}

inline void Send(Message& message, Site site) {
    using namespace ascendsim::isa;
    uint64_t& sent = MessagesSent();
    if (sent >= message_slots) {
        await_answer(ascendsim::Pipe::scalar, message_taken, site);
    }
    std::byte* to =
        message_box(static_cast<uint32_t>(GetSubBlockIdx())) + sent % message_slots * message_slot;
    ++sent;
    message.asked = CorePort::current().kernel_line(site);
    if (message.request.verb == Verb::tiling) {
        MoveTiling(to, true, site);
    }
    // Is the place free? The cube core clears the first word of a message that it has taken.
    CorePort::current().clean_data_cache(to, false);
    scalar_gm_access(to, sizeof(uint64_t), false, site);
    __builtin_memcpy(to, static_cast<const void*>(&message), sizeof(message));
    scalar_work(message_words * CorePort::current().chip().scalar.buffer_access_cycles, site);
    const TEventID id = GetTPipePtr()->FetchEventID<HardEvent::S_MTE3>();
    SetFlag<HardEvent::S_MTE3>(id, site);
    WaitFlag<HardEvent::S_MTE3>(id, site);
    copy_message(to, site);
    post_message(site);
}

/// The client's state: what was asked for and not yet waited for.
class Client {
public:
    void Register(uint8_t object) {
        object_ = object;
        registered_ = true;
    }

    void Require(const char* call, Site site) const {
        if (!registered_) {
            ascendsim::isa::kernel_fault(
                call, "the Matmul object is not registered; REGIST_MATMUL_OBJ comes first", site);
        }
    }

    void SendTiling(const TCubeTiling& tiling, Site site) {
        Message message;
        message.request.verb = Verb::tiling;
        message.request.object = object_;
        message.tiling = tiling;
        Send(message, site);
    }

    void Ask(Request request, Site site) {
        request.object = object_;
        if (staged_) {
            Synchronise<HardEvent::MTE3_S>(site);
            staged_ = false;
        }
        outstanding_ += request.notify ? 1 : 0;
        Message message;
        message.request = request;
        Send(message, site);
    }

    /// Expects `count` answers more: one for each block of a request.
    void Expect(uint64_t count) { outstanding_ += count; }

    /// Waits for the oldest answer that was not waited for.
    void AwaitOne(Site site) {
        if (outstanding_ > 0) {
            --outstanding_;
            ascendsim::isa::await_answer(
                ascendsim::Pipe::scalar, ascendsim::isa::first_answer + object_, site);
        }
    }

    void AwaitAll(Site site) {
        while (outstanding_ > 0) {
            AwaitOne(site);
        }
    }

    /// Copies `elements` of a tensor in the unified buffer to global memory, for the cube core to read;
    /// `which` names the operand. Two areas alternate, so that the next operand may be written while the last
    /// is read.
    template <typename T>
    uint64_t Stage(const LocalTensor<T>& from, uint64_t elements, uint32_t which, Site site) {
        const uint64_t bytes = (BytesOf<T>(elements) + 31) / 32 * 32;
        turn_[which] ^= 1U;
        T* to = Area<T>(which * 2 + turn_[which], bytes);
        GlobalTensor<T> gm;
        gm.SetGlobalBuffer(to);
        Synchronise<HardEvent::V_MTE3>(Site::here());  // no flag of the kernel's, which could be left out
        constexpr uint64_t longest = 65535ULL * 32;
        for (uint64_t at = 0; at < bytes; at += longest) {
            const uint64_t part = bytes - at < longest ? bytes - at : longest;
            DataCopy(gm[ElementsIn<T>(at)],
                     from[ElementsIn<T>(at)],
                     DataCopyParams(1, static_cast<uint16_t>(part / 32), 0, 0),
                     site);
        }
        staged_ = true;
        return reinterpret_cast<uint64_t>(to);
    }

    /// Memory for a result on its way to the unified buffer.
    template <typename T>
    T* ResultArea(uint64_t bytes) {
        turn_[3] ^= 1U;
        return Area<T>(6 + turn_[3], bytes);
    }

    template <HardEvent event>
    static void Synchronise(Site site) {
        if constexpr (HasEvent(event)) {
            const TEventID id = GetTPipePtr()->FetchEventID<event>();
            SetFlag<event>(id, site);
            WaitFlag<event>(id, site);
        }
    }

private:
    template <typename T>
    T* Area(uint32_t which, uint64_t bytes) const {
        const uint32_t core = ascendsim::isa::CorePort::current().identity().core;
        return reinterpret_cast<T*>(
            ascendsim::isa::framework_memory("matmul operands", (core * 8 + object_) * 8 + which, bytes));
    }

    uint64_t outstanding_ = 0;
    uint32_t turn_[4]{};
    uint8_t object_ = 0;
    bool registered_ = false;
    bool staged_ = false;
};

}  // namespace AscendC::matmul_detail
