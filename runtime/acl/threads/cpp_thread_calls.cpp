// SPDX-License-Identifier: Apache-2.0
// The C++ library's own functions for threads. It calls the system's from within, where the program's linker
// does not reach (toolchain/build/thread_calls.cpp).
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/acl/threads/thread_waits.hpp"

using ascendsim::program::Deadline;
using ascendsim::program::HostThreads;
using ascendsim::program::own_threads;

extern "C" {

extern void start_cpp_thread(std::thread* thread, std::unique_ptr<std::thread::_State> state, void (*)()) asm(
    "__wrap__ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE");
extern void join_cpp_thread(std::thread* thread) asm("__wrap__ZNSt6thread4joinEv");
extern void wait_cpp_condition(std::condition_variable* condition, std::unique_lock<std::mutex>& held) asm(
    "__wrap__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE");
extern void notify_one_cpp(std::condition_variable* condition) asm(
    "__wrap__ZNSt18condition_variable10notify_oneEv");
extern void notify_all_cpp(std::condition_variable* condition) asm(
    "__wrap__ZNSt18condition_variable10notify_allEv");
extern bool
wait_cpp_future(void* futex, unsigned* word, unsigned value, bool has_timeout, std::chrono::seconds seconds, std::chrono::nanoseconds more) asm(
    "__wrap__ZNSt28__atomic_futex_unsigned_base19_M_futex_"
    "wait_untilEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EE"
    "EENS2_IlS3_ILl1ELl1000000000EEEE");
extern bool
wait_cpp_future_steady(void* futex, unsigned* word, unsigned value, bool has_timeout, std::chrono::seconds seconds, std::chrono::nanoseconds more) asm(
    "__wrap__ZNSt28__atomic_futex_unsigned_base26_M_"
    "futex_wait_until_steadyEPjjbNSt6chrono8duration"
    "IlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl100000000"
    "0EEEE");
extern void notify_cpp_future(unsigned* word) asm(
    "__wrap__ZNSt28__atomic_futex_unsigned_base19_M_futex_notify_allEPj");
}

namespace {

extern "C" void* ascendsim_run_cpp_thread(void* state) {
    const std::unique_ptr<std::thread::_State> owned{static_cast<std::thread::_State*>(state)};
    owned->_M_run();
    return nullptr;
}

/// Waits at a future's word; futures wait until a time of one of two clocks.
bool wait_at_future(
    unsigned* word, unsigned value, bool has_timeout, std::chrono::nanoseconds deadline, clockid_t clock) {
    constexpr std::int64_t ns_per_s = 1'000'000'000;
    const timespec at{.tv_sec = deadline.count() / ns_per_s, .tv_nsec = deadline.count() % ns_per_s};
    if (HostThreads* threads = own_threads()) {
        const std::optional<Deadline> until =
            has_timeout ? std::optional{Deadline{*threads, at, clock}} : std::nullopt;
        return ascendsim::program::wait_at_word(*threads, word, value, left_us(until));
    }
    const int flags = FUTEX_WAIT_BITSET_PRIVATE | (clock == CLOCK_REALTIME ? FUTEX_CLOCK_REALTIME : 0);
    const long error =
        syscall(SYS_futex, word, flags, value, has_timeout ? &at : nullptr, nullptr, FUTEX_BITSET_MATCH_ANY);
    return error == 0 || errno != ETIMEDOUT;
}

}  // namespace

void start_cpp_thread(std::thread* thread,
                      std::unique_ptr<std::thread::_State> state,
                      void (* /*depends*/)()) {
    pthread_t handle{};
    ascendsim::program::create_thread(&handle, nullptr, &ascendsim_run_cpp_thread, state.release());
    // A std::thread is its handle, and nothing else.
    static_assert(sizeof(std::thread) == sizeof handle);
    std::memcpy(static_cast<void*>(thread), &handle, sizeof handle);
}

void join_cpp_thread(std::thread* thread) {
    if (!thread->joinable()) {
        thread->join();  // says what is wrong
    }
    ascendsim::program::join_thread(thread->native_handle(), nullptr);
    const std::thread::native_handle_type none{};
    std::memcpy(static_cast<void*>(thread), &none, sizeof none);
}

void wait_cpp_condition(std::condition_variable* condition, std::unique_lock<std::mutex>& held) {
    if (own_threads() == nullptr) {
        condition->wait(held);
    } else {
        ascendsim::program::wait_condition(condition->native_handle(), held.mutex()->native_handle());
    }
}

void notify_one_cpp(std::condition_variable* condition) {
    ascendsim::program::wake(condition->native_handle(), false);
    condition->notify_one();
}

void notify_all_cpp(std::condition_variable* condition) {
    ascendsim::program::wake(condition->native_handle(), true);
    condition->notify_all();
}

bool wait_cpp_future(void* /*futex*/,
                     unsigned* word,
                     unsigned value,
                     bool has_timeout,
                     std::chrono::seconds seconds,
                     std::chrono::nanoseconds more) {
    return wait_at_future(word, value, has_timeout, seconds + more, CLOCK_REALTIME);
}

bool wait_cpp_future_steady(void* /*futex*/,
                            unsigned* word,
                            unsigned value,
                            bool has_timeout,
                            std::chrono::seconds seconds,
                            std::chrono::nanoseconds more) {
    return wait_at_future(word, value, has_timeout, seconds + more, CLOCK_MONOTONIC);
}

void notify_cpp_future(unsigned* word) {
    ascendsim::program::wake(word, true);
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 0x7fffffff);
}
