// SPDX-License-Identifier: Apache-2.0
#include "runtime/acl/threads/own_threads.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <memory>

#include <cxxabi.h>
#include <pthread.h>

#include "runtime/acl/device.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::program {
namespace {

constexpr std::int64_t ns_per_s = 1'000'000'000;

/// A thread's end, however it comes.
class Turn {
public:
    Turn(HostThreads& threads, ThreadNumber number) : threads_{threads} { threads_.enter(number); }

    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    ~Turn() { threads_.leave(); }

private:
    HostThreads& threads_;
};

/// Signals that end a run tell their thread from that of main on a stack of their own; those of timers are
/// main's.
class SignalStack {
public:
    SignalStack() : memory_{std::make_unique<Memory>()} {
        const stack_t stack{.ss_sp = memory_->data(), .ss_flags = 0, .ss_size = memory_->size()};
        sigaltstack(&stack, nullptr);
        sigset_t timer;
        sigemptyset(&timer);
        sigaddset(&timer, SIGALRM);
        pthread_sigmask(SIG_BLOCK, &timer, nullptr);
    }

    SignalStack(const SignalStack&) = delete;
    SignalStack& operator=(const SignalStack&) = delete;

    ~SignalStack() {
        const stack_t none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
        sigaltstack(&none, nullptr);
    }

private:
    using Memory = std::array<char, 1U << 16U>;
    std::unique_ptr<Memory> memory_;
};

std::exception_ptr with_thread(std::exception_ptr error, ThreadNumber number) {
    try {
        std::rethrow_exception(std::move(error));
    } catch (const UserError&) {
        return std::current_exception();
    } catch (const ProgramError&) {
        return std::current_exception();
    } catch (const std::exception& thrown) {
        return std::make_exception_ptr(
            ProgramError{"thread {} of the host program ended with an exception: {}",
                         static_cast<std::uint32_t>(number),
                         thrown.what()});
    } catch (...) {
        return std::make_exception_ptr(ProgramError{"thread {} of the host program ended with an exception",
                                                    static_cast<std::uint32_t>(number)});
    }
}

/// What a clock shows when the program begins: the same each time it runs.
std::int64_t beginning_ns(clockid_t clock) {
    switch (clock) {
        case CLOCK_REALTIME:
        case CLOCK_REALTIME_COARSE:
        case CLOCK_TAI:
            return 1'767'225'600 * ns_per_s;  // 2026-01-01, 00:00 UTC
        case CLOCK_PROCESS_CPUTIME_ID:
        case CLOCK_THREAD_CPUTIME_ID:
            return 0;
        default:
            return 1000 * ns_per_s;  // since the machine has started
    }
}

}  // namespace

HostThreads* own_threads() {
    Device* device = current_device();
    return device != nullptr && device->on_host_thread() ? &device->threads() : nullptr;
}

void* run_as_thread(HostThreads& threads, ThreadNumber number, const std::function<void*()>& body) {
    const SignalStack signals;
    const Turn turn{threads, number};
    try {
        return body();
    } catch (const abi::__forced_unwind&) {  // pthread_exit
        throw;
    } catch (...) {
        threads.fail(with_thread(std::current_exception(), number));
    }
    return nullptr;
}

double us_of(const timespec& time) {
    return static_cast<double>(time.tv_sec) * us_per_s + static_cast<double>(time.tv_nsec) / ns_per_us;
}

std::int64_t time_of(HostThreads& threads, clockid_t clock, bool reads) {
    return beginning_ns(clock) + (reads ? threads.read_clock() : threads.now_ns());
}

Deadline::Deadline(HostThreads& threads, const timespec& at, clockid_t clock)
    : threads_{&threads}, at_ns_{at.tv_sec * ns_per_s + at.tv_nsec}, clock_{clock} {}

double Deadline::left_us() const {
    const std::int64_t left = at_ns_ - time_of(*threads_, clock_, false);
    return static_cast<double>(std::max<std::int64_t>(left, 0)) / ns_per_us;
}

std::optional<double> left_us(const std::optional<Deadline>& deadline) {
    return deadline ? std::optional{deadline->left_us()} : std::nullopt;
}

}  // namespace ascendsim::program
