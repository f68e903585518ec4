// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <systemc>
#include <vector>

#include "models/core/launch_crew.hpp"
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
        if (!host) {
            return;  // another machine's
        }
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
    sc_core::sc_event changed;       // the dispatcher looks again: a launch came, a core became free
    sc_core::sc_event launch_ended;  // its outcome is known
    std::function<void()> host;
    Machine* machine = nullptr;
    bool finished = false;
};

/// A launch under way. It has as many seats as blocks of it may run at a time; a seat takes the first free
/// place of the chip and runs its blocks there, one after the other. Its cores are the launch's members.
struct Machine::Running {
    struct Member {
        AiCore::Place as{};  // on an idle chip
        std::deque<isa::CoreIdentity> blocks{};
        std::optional<std::uint32_t> core{};  // once it has its seat
        std::uint64_t end = 0;
        std::uint64_t arithmetic_before = 0;  // cycles, of the core
        bool done = false;
    };

    Running(const ChipSpec& chip, Launch what, std::uint64_t its_number);

    Launch launch;
    std::uint64_t number;  // its ticket
    LaunchCrew crew;
    std::uint32_t seats;
    std::uint32_t seated = 0;          // of these, in order
    std::vector<std::uint32_t> first;  // member of each seat, and behind the last
    std::uint32_t open = 0;            // members that are not done
    bool any_time = false;             // its start is not the end of the one before
    bool beside = false;               // others were under way when it started
    std::vector<Member> members;
    std::optional<CrossFlags> times;     // cross-core flags as timed
    std::optional<CrossFlags> programs;  // and as executed
    LaunchOutcome outcome;
};

/// What a core works at.
struct Machine::Binding {
    Running* launch = nullptr;  // null: nothing
    std::uint32_t member = 0;
    std::uint64_t free_at = 0;  // cycle; of a core whose member is done

    [[nodiscard]] Running::Member& of() const { return launch->members[member]; }
};

}  // namespace ascendsim
