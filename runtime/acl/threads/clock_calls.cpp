// SPDX-License-Identifier: Apache-2.0
// Clocks and sleep of a host program are those of the simulation: what it measures is what the simulated host
// would, and the same each time. toolchain/build/thread_calls.cpp links them here.
#include <cerrno>
#include <chrono>
#include <ctime>
#include <thread>

#include <poll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <unistd.h>

#include "runtime/acl/threads/thread_waits.hpp"

namespace ascendsim::program {
namespace {

constexpr std::int64_t clock_ns_per_s = 1'000'000'000;

timespec as_timespec(std::int64_t ns) {
    return {.tv_sec = ns / clock_ns_per_s, .tv_nsec = ns % clock_ns_per_s};
}

}  // namespace
}  // namespace ascendsim::program

using ascendsim::program::HostThreads;
using ascendsim::program::own_threads;

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {

int __wrap_clock_gettime(clockid_t clock, timespec* time) {
    HostThreads* threads = own_threads();
    if (threads == nullptr) {
        return clock_gettime(clock, time);
    }
    *time = ascendsim::program::as_timespec(ascendsim::program::time_of(*threads, clock, true));
    return 0;
}

int __wrap_gettimeofday(timeval* time, void* zone) {
    if (own_threads() == nullptr) {
        return gettimeofday(time, zone);
    }
    timespec now{};
    __wrap_clock_gettime(CLOCK_REALTIME, &now);
    *time = {.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return 0;
}

time_t __wrap_time(time_t* out) {
    timespec now{};
    __wrap_clock_gettime(CLOCK_REALTIME, &now);
    if (out != nullptr) {
        *out = now.tv_sec;
    }
    return now.tv_sec;
}

int __wrap_timespec_get(timespec* time, int base) {
    return base == TIME_UTC && __wrap_clock_gettime(CLOCK_REALTIME, time) == 0 ? base : 0;
}

clock_t __wrap_clock() {
    HostThreads* threads = own_threads();
    return threads == nullptr ? clock()
                              : ascendsim::program::time_of(*threads, CLOCK_PROCESS_CPUTIME_ID, true) /
                                    (ascendsim::program::clock_ns_per_s / CLOCKS_PER_SEC);
}

int __wrap_nanosleep(const timespec* time, timespec* left) {
    return ascendsim::program::sleep_us(ascendsim::program::us_of(*time)) ? 0 : nanosleep(time, left);
}

int __wrap_clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
    HostThreads* threads = own_threads();
    if (threads == nullptr) {
        return clock_nanosleep(clock, flags, time, left);
    }
    threads->sleep((flags & TIMER_ABSTIME) != 0
                       ? ascendsim::program::Deadline{*threads, *time, clock}.left_us()
                       : ascendsim::program::us_of(*time));
    return 0;
}

int __wrap_usleep(useconds_t us) {
    return ascendsim::program::sleep_us(us) ? 0 : usleep(us);
}

unsigned __wrap_sleep(unsigned seconds) {
    return ascendsim::program::sleep_us(seconds * ascendsim::program::us_per_s) ? 0 : sleep(seconds);
}

/// Without anything to wait for these sleep.
int __wrap_poll(pollfd* files, nfds_t count, int timeout_ms) {
    return count == 0 && timeout_ms >= 0 && ascendsim::program::sleep_us(timeout_ms * 1e3)
               ? 0
               : poll(files, count, timeout_ms);
}

int __wrap_select(int count, fd_set* reads, fd_set* writes, fd_set* errors, timeval* timeout) {
    if (count == 0 && timeout != nullptr &&
        ascendsim::program::sleep_us(static_cast<double>(timeout->tv_sec) * ascendsim::program::us_per_s +
                                     static_cast<double>(timeout->tv_usec))) {
        return 0;
    }
    return select(count, reads, writes, errors, timeout);
}
}

std::chrono::steady_clock::time_point now_cpp_steady() asm("__wrap__ZNSt6chrono3_V212steady_clock3nowEv");
std::chrono::system_clock::time_point now_cpp_system() asm("__wrap__ZNSt6chrono3_V212system_clock3nowEv");
void sleep_cpp(std::chrono::seconds seconds, std::chrono::nanoseconds more) asm(
    "__wrap__ZNSt11this_thread11__sleep_forENSt6chrono8durationIlSt5ratioILl1ELl1EEEENS1_"
    "IlS2_ILl1ELl1000000000EEEE");

// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

std::chrono::steady_clock::time_point now_cpp_steady() {
    HostThreads* threads = own_threads();
    return threads == nullptr ? std::chrono::steady_clock::now()
                              : std::chrono::steady_clock::time_point{std::chrono::nanoseconds{
                                    ascendsim::program::time_of(*threads, CLOCK_MONOTONIC, true)}};
}

std::chrono::system_clock::time_point now_cpp_system() {
    HostThreads* threads = own_threads();
    return threads == nullptr ? std::chrono::system_clock::now()
                              : std::chrono::system_clock::time_point{std::chrono::nanoseconds{
                                    ascendsim::program::time_of(*threads, CLOCK_REALTIME, true)}};
}

void sleep_cpp(std::chrono::seconds seconds, std::chrono::nanoseconds more) {
    const double us = std::chrono::duration<double, std::micro>{seconds + more}.count();
    if (!ascendsim::program::sleep_us(us)) {
        std::this_thread::sleep_for(seconds + more);
    }
}
