// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "models/core/machine.hpp"
#include "models/node/host_timeline.hpp"
#include "runtime/acl/host_threads.hpp"

namespace ascendsim::runtime {

/// The threads of a host program, on threads of the system. Whoever has its turn runs, and hands the turn on
/// where it has to wait, or where another thread's clock is behind its own. The simulation stays on the
/// system's thread that runs main: others ask it there.
class ProgramThreads final : public program::HostThreads {
public:
    /// `timeline` must outlive the threads. `begin` is called before the second thread is there.
    ProgramThreads(node::HostTimeline& timeline, std::function<void()> begin);

    /// `machine` simulates; `end` ends the program with a code, on the thread of main.
    void run_on(Machine& machine, std::function<void(int)> end);

    [[nodiscard]] bool several() const override { return state_->threads.size() > 1; }

    [[nodiscard]] std::optional<program::ThreadNumber> current() const override;
    program::ThreadNumber create(bool serves) override;
    void enter(program::ThreadNumber thread) override;
    void leave() override;
    bool join(program::ThreadNumber thread, std::optional<double> timeout_us) override;
    bool wait_at(const void* place, const char* what, std::optional<double> timeout_us) override;
    void wake_at(const void* place, bool all) override;
    void sleep(double us) override;
    void yield() override;
    void stir() override;
    void settle() override;
    std::int64_t read_clock() override;
    std::int64_t now_ns() override;
    void look_at(const void* place, std::uint32_t bytes, bool loops) override;
    void changed(const void* place) override;
    [[noreturn]] void fail(std::exception_ptr error) override;
    [[noreturn]] void exit(int code) override;

    /// What ended the program with fail(); null if nothing did.
    [[nodiscard]] const std::exception_ptr& failure() const { return failure_; }

    /// A call of the current thread begins: threads whose clocks are behind have their turn first.
    void take_turn();

    /// What the current thread waits for: the time at which it came, once it has.
    using Come = std::function<std::optional<node::Picoseconds>()>;
    /// Why the current thread waits, for a deadlock: "aclrtSynchronizeStream at main.cpp:12 waits for …".
    using Why = std::function<std::string()>;

    /// The current thread waits in a call until something has come, or until a time, to which its clock goes
    /// on then. Returns whether it has come. Where it never can, the program ends with a deadlock.
    bool wait(Come come, const node::HostCall& call, std::optional<node::Picoseconds> until, Why why);

    /// Does `what`; with several threads an error ends the program where they stand, as their stacks cannot
    /// be unwound.
    template <class What>
    auto guarded(What&& what) {
        try {
            return what();
        } catch (...) {
            if (several()) {
                fail(std::current_exception());
            }
            throw;
        }
    }

    /// How a thread is called in messages: "main", "thread 2".
    [[nodiscard]] static std::string name(program::ThreadNumber thread);

private:
    enum class Doing : std::uint8_t { ready, waits, ended };

    /// What a thread found at a place.
    struct Look {
        const void* place = nullptr;
        std::uint32_t bytes = 0;
        std::uint32_t times = 0;  // since it came to this loop
        std::array<std::byte, 16> value{};

        [[nodiscard]] bool holds() const;
    };

    struct Thread {
        Doing doing = Doing::ready;
        bool serves = false;
        Come come;  // of one that waits
        std::optional<node::Picoseconds> until;
        const void* place = nullptr;  // where others wake it
        node::HostCall call;
        Why why;
        bool came = false;  // what it waited for
        double poll_us = 0;
        double alone_us = 0;  // that it has polled while nothing else could go on
        std::uint32_t stirred = 0;
        std::optional<node::Picoseconds> turned;     // its clock when it had its turn last
        std::vector<Look> looks;                     // in the loop that it is in
        std::array<Look, 8> seen{};                  // latest looks, by place
        const std::vector<Look>* watches = nullptr;  // of one that waits: for a change there
        std::uint64_t looked = 0;                    // at what it had seen, in a row
        std::uint32_t changes = 0;
        double reading_us = 0;  // of its clock, not on the timeline yet
        double read_us = 0;     // goes there at a time
        std::int64_t read_ns = 0;
        std::condition_variable turn;
    };

    /// What the system's threads share. It stays as long as one of them does: threads that have no turn when
    /// the program ends wait on.
    struct State {
        std::mutex mutex;
        std::vector<std::unique_ptr<Thread>> threads;
        std::uint32_t running = 0;
        std::function<void()> request;  // to the thread that simulates
        bool asked = false;
        std::condition_variable answered;
    };

    [[nodiscard]] Thread& at(std::uint32_t thread) const { return *state_->threads[thread]; }

    [[noreturn]] void give_up(const std::string& why);
    void look(const void* place, std::uint32_t bytes, bool loops);
    void poll(const node::HostCall& call, double us);
    void check_polling(Thread& thread, std::uint64_t moves, double us);
    bool wait_alone(const node::HostCall& call, std::optional<node::Picoseconds> until, const Why& why);
    void put_reading(Thread& thread);
    [[nodiscard]] bool is_news(Thread& thread, const Look& look);
    void watch(Thread& thread, const Look& look);
    void wait_for_change(const std::vector<Look>& looks);

    [[nodiscard]] std::uint32_t own() const;
    void hand_turn_to(std::uint32_t thread);
    void serve(std::unique_lock<std::mutex>& lock);
    void on_simulator(std::function<void()> what);
    [[noreturn]] void end_with(std::exception_ptr error);
    [[noreturn]] void end_on_simulator(std::function<void()> what);
    [[nodiscard]] std::uint32_t next();
    [[nodiscard]] std::uint32_t next_in_time();
    [[nodiscard]] std::optional<std::uint32_t> first_ready() const;
    bool notice(std::optional<node::Picoseconds> limit, bool reached);
    void pass_on();
    [[nodiscard]] std::string deadlock() const;

    node::HostTimeline& timeline_;
    std::function<void()> begin_;
    Machine* machine_ = nullptr;
    std::function<void(int)> end_;
    std::exception_ptr failure_;
    std::uint64_t moves_ = 0;           // turns that went to another thread
    node::Picoseconds noticed_at_ = 0;  // what is noticed has come by then
    std::shared_ptr<State> state_;
};

}  // namespace ascendsim::runtime
