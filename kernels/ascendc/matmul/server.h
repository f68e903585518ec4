// SPDX-License-Identifier: Apache-2.0
// The cube core's side of Matmul objects in a kernel of both kinds of cores: it does what the vector cores of
// its group ask for, in the order in which they ask, until both have ended.
#pragma once

#include "kernels/ascendc/matmul/client.h"

namespace AscendC::matmul_detail {

/// An object of the kernel, and how it does a request.
struct Served {
    void* object = nullptr;
    void (*serve)(void* object, uint32_t sub, const Message& message) = nullptr;
};

class Server {
public:
    static constexpr uint32_t most = 16;

    void Add(void* object, void (*serve)(void*, uint32_t, const Message&)) {
        if (count_ < most) {
            served_[count_++] = {object, serve};
        }
    }

    [[nodiscard]] uint32_t count() const { return count_; }

    void Run(Site site) {
        using namespace ascendsim::isa;
        uint32_t gone = 0;
        uint64_t received[2]{};
        while (const auto sub = receive_message(gone, site)) {
            const std::byte* from = message_box(*sub) + received[*sub]++ % message_slots * message_slot;
            for (uint32_t line = 0; line < message_lines; ++line) {
                CorePort::current().clean_data_cache(from + line * message_line, false);
                scalar_gm_access(from + line * message_line, message_line, false, site);
            }
            Message message;
            __builtin_memcpy(static_cast<void*>(&message), from, sizeof(message));
            if (message.request.verb == Verb::tiling) {
                MoveTiling(from, false, site);
            }
            scalar_gm_access(from, sizeof(uint64_t), true, site);  // the place is free again
            CorePort::current().clean_data_cache(from, false);
            answer_message(ascendsim::Pipe::scalar, *sub, message_taken, site);
            const uint8_t object = message.request.object;
            if (object >= count_) {
                kernel_fault("Matmul", "a message names an object that this core did not register", site);
            }
            served_[object].serve(served_[object].object, *sub, message);
        }
    }

private:
    Served served_[most];
    uint32_t count_ = 0;
};

}  // namespace AscendC::matmul_detail
