// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <systemc>
#include <vector>

#include "models/core/machine.hpp"
#include "models/memory/memory_system.hpp"

namespace ascendsim {

/// The SystemC modules, the thread that is the host program, and the one that starts what it submits.
struct Machine::Top : sc_core::sc_module {
    Top(const sc_core::sc_module_name& module_name, const ChipSpec& chip)
        : sc_module{module_name}, memory{"memory", chip} {
        SC_HAS_PROCESS(Top);
        SC_THREAD(run);
        set_stack_size(stack_bytes);
        SC_THREAD(dispatch);
    }

    void run() {
        try {
            host();
            machine->drain();
        } catch (...) {
            machine->fail(std::current_exception());
        }
        finished = true;
    }

    void dispatch() { machine->dispatch(); }

    // A program's own main may run there. Pages that nobody touches cost nothing.
    static constexpr std::size_t stack_bytes = 64 * 1024 * 1024;

    MemorySystem memory;
    std::vector<std::unique_ptr<AiCore>> cores;
    sc_core::sc_event launch_submitted;
    sc_core::sc_event launch_done;   // the cores are through
    sc_core::sc_event launch_ended;  // its outcome is known
    std::function<void()> host;
    Machine* machine = nullptr;
    bool finished = false;
};

/// The blocks a core runs in this launch, in order.
struct Machine::Assignment {
    std::deque<isa::CoreIdentity> blocks;
    Program program;
    std::uint32_t argument_bytes = 0;
    std::uint64_t end = 0;
    bool used = false;
};

}  // namespace ascendsim
