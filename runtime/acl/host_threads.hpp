// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>

namespace ascendsim::program {

/// A thread of a host program; that of main is 0.
enum class ThreadNumber : std::uint32_t {};

/// The threads of a host program. One of them runs at a time. The others wait for their turn, which their
/// simulated time and, where it is the same, their numbers decide: a program with threads does the same each
/// time it runs.
class HostThreads {
public:
    virtual ~HostThreads() = default;

    /// True once there is another thread besides that of main.
    [[nodiscard]] virtual bool several() const = 0;
    /// The thread that asks; nothing for one that the program did not create.
    [[nodiscard]] virtual std::optional<ThreadNumber> current() const = 0;

    /// The current thread creates another one, which begins when it has its turn in enter(). A thread that
    /// `serves` does work for others and may wait for ever.
    virtual ThreadNumber create(bool serves = false) = 0;
    virtual void enter(ThreadNumber thread) = 0;
    /// The current thread has come to its end, and others have their turn.
    virtual void leave() = 0;
    /// The current thread waits for another one's end, at most `timeout_us` of simulated time. Returns false
    /// if it has not come by then.
    virtual bool join(ThreadNumber thread, std::optional<double> timeout_us) = 0;

    /// The current thread waits until another one wakes those that wait at `place`, at most `timeout_us` of
    /// simulated time. Returns false if nobody has by then. `what` is for a deadlock: "to lock a mutex".
    virtual bool wait_at(const void* place, const char* what, std::optional<double> timeout_us) = 0;
    virtual void wake_at(const void* place, bool all) = 0;

    /// Lets simulated time pass for the current thread.
    virtual void sleep(double us) = 0;
    /// Lets others have their turn. A thread that asks again and again waits longer each time.
    virtual void yield() = 0;
    /// The current thread has done something that takes no time and that it may do for ever.
    virtual void stir() = 0;
    /// Threads whose clocks are behind have their turn, if the current one's has gone on since it had its: in
    /// front of whatever others can see.
    virtual void settle() = 0;

    /// Simulated time of the current thread since the program began, ns. Reading it takes some, so that a
    /// thread that reads until a time has come gets there.
    virtual std::int64_t read_clock() = 0;
    /// The same without reading.
    virtual std::int64_t now_ns() = 0;

    /// The current thread looks at a value of at most 16 bytes that others may change. A thread that finds
    /// the same again and again lets others have their turn; one in a loop that does nothing else (`loops`)
    /// waits until what it looks at has changed. If nobody can change it, the program ends with a deadlock.
    virtual void look_at(const void* place, std::uint32_t bytes, bool loops) = 0;
    /// The current thread has changed one.
    virtual void changed(const void* place) = 0;

    /// Ends the program with an error, where all threads stand.
    [[noreturn]] virtual void fail(std::exception_ptr error) = 0;
    /// Ends it as exit() does.
    [[noreturn]] virtual void exit(int code) = 0;
};

}  // namespace ascendsim::program
