// SPDX-License-Identifier: Apache-2.0
// What a host program's calls for threads, locks and waiting come to: the program is linked so that they end
// here (toolchain/build/thread_calls.cpp). Threads are the system's own, but one of them runs at a time;
// whoever has to wait hands its turn on. The program's locks are taken as they are: only waiting for them is
// ours.
#include <array>
#include <cerrno>
#include <cmath>
#include <condition_variable>
#include <csignal>
#include <cstdarg>
#include <cstring>
#include <ctime>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include <cxxabi.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/acl/device.hpp"
#include "runtime/acl/host_threads.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::program {
namespace {

constexpr double us_per_s = 1e6;
constexpr double ns_per_us = 1e3;

/// The threads of the program that runs, for one of them; null on others.
HostThreads* own_threads() {
    Device* device = current_device();
    return device != nullptr && device->on_host_thread() ? &device->threads() : nullptr;
}

/// The same once there are several: with one thread nobody waits for another.
HostThreads* shared_threads() {
    HostThreads* threads = own_threads();
    return threads != nullptr && threads->several() ? threads : nullptr;
}

/// Which thread of the program a thread of the system is.
std::map<pthread_t, ThreadNumber>& numbers() {
    static std::map<pthread_t, ThreadNumber> known;
    return known;
}

/// What a new thread begins with.
struct Start {
    HostThreads* threads;
    ThreadNumber number;
    void* (*routine)(void*);
    void* argument;
};

/// A thread's end, however it comes.
class Turn {
public:
    explicit Turn(const Start& start) : threads_{*start.threads} { threads_.enter(start.number); }

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

extern "C" void* ascendsim_run_thread(void* opaque) {
    const std::unique_ptr<Start> start{static_cast<Start*>(opaque)};
    const SignalStack signals;
    const Turn turn{*start};
    try {
        return start->routine(start->argument);
    } catch (const abi::__forced_unwind&) {  // pthread_exit
        throw;
    } catch (...) {
        start->threads->fail(with_thread(std::current_exception(), start->number));
    }
    return nullptr;
}

int create(pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*), void* argument) {
    HostThreads* threads = own_threads();
    if (threads == nullptr) {
        return pthread_create(thread, attributes, routine, argument);
    }
    auto start = std::make_unique<Start>(Start{threads, threads->create(), routine, argument});
    const ThreadNumber number = start->number;
    const int error = pthread_create(thread, attributes, &ascendsim_run_thread, start.get());
    if (error != 0) {
        threads->fail(std::make_exception_ptr(
            UserError{"a thread of the host program cannot be created: {}", std::strerror(error)}));
    }
    static_cast<void>(start.release());  // the thread's own
    numbers()[*thread] = number;
    return 0;
}

int join(pthread_t thread, void** result) {
    HostThreads* threads = shared_threads();
    const auto known = numbers().find(thread);
    if (threads != nullptr && known != numbers().end()) {
        threads->join(known->second);
        numbers().erase(known);
    }
    return pthread_join(thread, result);
}

int lock(pthread_mutex_t* mutex, std::optional<double> timeout_us = {}) {
    HostThreads* threads = shared_threads();
    if (threads == nullptr) {
        return pthread_mutex_lock(mutex);
    }
    threads->stir();
    for (;;) {
        const int error = pthread_mutex_trylock(mutex);
        if (error != EBUSY) {
            return error;
        }
        if (!threads->wait_at(mutex, "to lock a mutex", timeout_us)) {
            return ETIMEDOUT;
        }
    }
}

int unlock(pthread_mutex_t* mutex) {
    const int error = pthread_mutex_unlock(mutex);
    if (HostThreads* threads = shared_threads(); threads != nullptr && error == 0) {
        threads->wake_at(mutex, false);
    }
    return error;
}

/// From now to a deadline. The program took it from the clock of the machine that simulates, a moment ago:
/// what it meant is the round time that is a little longer.
double us_until(const timespec& deadline, clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    const double us = (static_cast<double>(deadline.tv_sec) - static_cast<double>(now.tv_sec)) * us_per_s +
                      static_cast<double>(deadline.tv_nsec - now.tv_nsec) / ns_per_us;
    const double step = us > 1000 ? 1000 : 100;
    return us <= 0 ? 0 : std::ceil(us / step) * step;
}

/// Until when the program waits.
struct Deadline {
    timespec at;
    clockid_t clock;
};

int wait(pthread_cond_t* condition, pthread_mutex_t* mutex, const std::optional<Deadline>& deadline) {
    HostThreads& threads = *shared_threads();
    unlock(mutex);
    const bool woken =
        threads.wait_at(condition,
                        "for a condition that another thread signals",
                        deadline ? std::optional{us_until(deadline->at, deadline->clock)} : std::nullopt);
    if (!woken && deadline) {
        // The C++ library asks its clock, not us, whether the time is up.
        clock_nanosleep(deadline->clock, TIMER_ABSTIME, &deadline->at, nullptr);
    }
    const int error = lock(mutex);
    return error != 0 ? error : woken ? 0 : ETIMEDOUT;
}

void wake(const void* place, bool all) {
    if (HostThreads* threads = shared_threads()) {
        threads->wake_at(place, all);
    }
}

/// Sleeps, if the thread is the program's.
bool sleep(double us) {
    HostThreads* threads = own_threads();
    if (threads != nullptr) {
        threads->sleep(us);
    }
    return threads != nullptr;
}

double us_of(const timespec& time) {
    return static_cast<double>(time.tv_sec) * us_per_s + static_cast<double>(time.tv_nsec) / ns_per_us;
}

/// A word that threads wait at while it keeps its value; true if it may have changed.
bool wait_at_word(HostThreads& threads,
                  const std::uint32_t* word,
                  std::uint32_t value,
                  std::optional<double> timeout_us) {
    return __atomic_load_n(word, __ATOMIC_SEQ_CST) != value ||
           threads.wait_at(word, "for a value that another thread changes", timeout_us);
}

/// The threads that a barrier holds.
struct Barrier {
    std::uint32_t size = 0;
    std::uint32_t arrived = 0;
    std::uint64_t round = 0;
};

std::map<const void*, Barrier>& barriers() {
    static std::map<const void*, Barrier> known;
    return known;
}

}  // namespace
}  // namespace ascendsim::program

using ascendsim::program::HostThreads;
using ascendsim::program::shared_threads;

// Names that the linker makes: each is called in place of the function behind `__wrap_`.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {

int __wrap_pthread_create(pthread_t* thread,
                          const pthread_attr_t* attributes,
                          void* (*routine)(void*),
                          void* argument) {
    return ascendsim::program::create(thread, attributes, routine, argument);
}

int __wrap_pthread_join(pthread_t thread, void** result) {
    return ascendsim::program::join(thread, result);
}

int __wrap_pthread_mutex_lock(pthread_mutex_t* mutex) {
    return ascendsim::program::lock(mutex);
}

int __wrap_pthread_mutex_trylock(pthread_mutex_t* mutex) {
    if (HostThreads* threads = shared_threads()) {
        threads->stir();
    }
    return pthread_mutex_trylock(mutex);
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t* mutex) {
    return ascendsim::program::unlock(mutex);
}

int __wrap_pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* deadline) {
    return shared_threads() == nullptr
               ? pthread_mutex_timedlock(mutex, deadline)
               : ascendsim::program::lock(mutex, ascendsim::program::us_until(*deadline, CLOCK_REALTIME));
}

int __wrap_pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* deadline) {
    return shared_threads() == nullptr
               ? pthread_mutex_clocklock(mutex, clock, deadline)
               : ascendsim::program::lock(mutex, ascendsim::program::us_until(*deadline, clock));
}

int __wrap_pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
    return shared_threads() == nullptr ? pthread_cond_wait(condition, mutex)
                                       : ascendsim::program::wait(condition, mutex, std::nullopt);
}

int __wrap_pthread_cond_timedwait(pthread_cond_t* condition,
                                  pthread_mutex_t* mutex,
                                  const timespec* deadline) {
    return shared_threads() == nullptr
               ? pthread_cond_timedwait(condition, mutex, deadline)
               : ascendsim::program::wait(
                     condition, mutex, ascendsim::program::Deadline{*deadline, CLOCK_REALTIME});
}

int __wrap_pthread_cond_clockwait(pthread_cond_t* condition,
                                  pthread_mutex_t* mutex,
                                  clockid_t clock,
                                  const timespec* deadline) {
    return shared_threads() == nullptr
               ? pthread_cond_clockwait(condition, mutex, clock, deadline)
               : ascendsim::program::wait(condition, mutex, ascendsim::program::Deadline{*deadline, clock});
}

int __wrap_pthread_cond_signal(pthread_cond_t* condition) {
    ascendsim::program::wake(condition, false);
    return pthread_cond_signal(condition);
}

int __wrap_pthread_cond_broadcast(pthread_cond_t* condition) {
    ascendsim::program::wake(condition, true);
    return pthread_cond_broadcast(condition);
}

int __wrap_pthread_rwlock_rdlock(pthread_rwlock_t* held) {
    HostThreads* threads = shared_threads();
    int error = threads == nullptr ? pthread_rwlock_rdlock(held) : pthread_rwlock_tryrdlock(held);
    while (threads != nullptr && error == EBUSY) {
        threads->wait_at(held, "to lock a shared mutex", std::nullopt);
        error = pthread_rwlock_tryrdlock(held);
    }
    return error;
}

int __wrap_pthread_rwlock_wrlock(pthread_rwlock_t* held) {
    HostThreads* threads = shared_threads();
    int error = threads == nullptr ? pthread_rwlock_wrlock(held) : pthread_rwlock_trywrlock(held);
    while (threads != nullptr && error == EBUSY) {
        threads->wait_at(held, "to lock a shared mutex", std::nullopt);
        error = pthread_rwlock_trywrlock(held);
    }
    return error;
}

int __wrap_pthread_rwlock_unlock(pthread_rwlock_t* held) {
    const int error = pthread_rwlock_unlock(held);
    ascendsim::program::wake(held, true);
    return error;
}

int __wrap_sem_wait(sem_t* semaphore) {
    HostThreads* threads = shared_threads();
    if (threads == nullptr) {
        return sem_wait(semaphore);
    }
    while (sem_trywait(semaphore) != 0) {
        threads->wait_at(semaphore, "for a semaphore", std::nullopt);
    }
    return 0;
}

int __wrap_sem_post(sem_t* semaphore) {
    const int error = sem_post(semaphore);
    ascendsim::program::wake(semaphore, false);
    return error;
}

int __wrap_pthread_barrier_init(pthread_barrier_t* barrier,
                                const pthread_barrierattr_t* attributes,
                                unsigned count) {
    ascendsim::program::barriers()[barrier] = {.size = count};
    return pthread_barrier_init(barrier, attributes, count);
}

int __wrap_pthread_barrier_wait(pthread_barrier_t* barrier) {
    HostThreads* threads = shared_threads();
    const auto known = ascendsim::program::barriers().find(barrier);
    if (threads == nullptr || known == ascendsim::program::barriers().end()) {
        return pthread_barrier_wait(barrier);
    }
    ascendsim::program::Barrier& of = known->second;
    const std::uint64_t round = of.round;
    if (++of.arrived == of.size) {
        of.arrived = 0;
        ++of.round;
        threads->wake_at(barrier, true);
        return PTHREAD_BARRIER_SERIAL_THREAD;
    }
    while (of.round == round) {
        threads->wait_at(barrier, "for others at a barrier", std::nullopt);
    }
    return 0;
}

int __wrap_sched_yield() {
    HostThreads* threads = shared_threads();
    if (threads == nullptr) {
        return sched_yield();
    }
    threads->yield();
    return 0;
}

int __wrap_nanosleep(const timespec* time, timespec* left) {
    return ascendsim::program::sleep(ascendsim::program::us_of(*time)) ? 0 : nanosleep(time, left);
}

int __wrap_clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
    const double us = (flags & TIMER_ABSTIME) != 0 ? ascendsim::program::us_until(*time, clock)
                                                   : ascendsim::program::us_of(*time);
    return ascendsim::program::sleep(us) ? 0 : clock_nanosleep(clock, flags, time, left);
}

int __wrap_usleep(useconds_t us) {
    return ascendsim::program::sleep(us) ? 0 : usleep(us);
}

unsigned __wrap_sleep(unsigned seconds) {
    return ascendsim::program::sleep(seconds * ascendsim::program::us_per_s) ? 0 : sleep(seconds);
}

/// Atomic values are waited for by the system's call for that.
long __wrap_syscall(long number, ...) {
    std::array<long, 6> a{};
    std::va_list arguments;
    va_start(arguments, number);
    for (long& argument : a) {
        argument = va_arg(arguments, long);
    }
    va_end(arguments);
    HostThreads* threads = number == SYS_futex ? shared_threads() : nullptr;
    const auto what = static_cast<int>(a[1]) & FUTEX_CMD_MASK;
    if (threads == nullptr || (what != FUTEX_WAIT && what != FUTEX_WAKE && what != FUTEX_WAIT_BITSET)) {
        return syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    }
    const auto* word = reinterpret_cast<const std::uint32_t*>(a[0]);
    if (what == FUTEX_WAKE) {
        threads->wake_at(word, a[2] != 1);
        return 0;
    }
    const auto* time = reinterpret_cast<const timespec*>(a[3]);
    const bool relative = what == FUTEX_WAIT;
    const std::optional<double> us =
        time == nullptr ? std::nullopt
        : relative      ? std::optional{ascendsim::program::us_of(*time)}
                        : std::optional{ascendsim::program::us_until(
                         *time, (a[1] & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC)};
    if (!ascendsim::program::wait_at_word(*threads, word, static_cast<std::uint32_t>(a[2]), us)) {
        errno = ETIMEDOUT;
        return -1;
    }
    return 0;
}

// The C++ library's own, which call the functions above from within it.

extern void start_cpp_thread(std::thread* thread, std::unique_ptr<std::thread::_State> state, void (*)()) asm(
    "__wrap__ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE");
extern void join_cpp_thread(std::thread* thread) asm("__wrap__ZNSt6thread4joinEv");
extern void wait_cpp_condition(std::condition_variable* condition, std::unique_lock<std::mutex>& held) asm(
    "__wrap__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE");
extern void notify_one_cpp(std::condition_variable* condition) asm(
    "__wrap__ZNSt18condition_variable10notify_oneEv");
extern void notify_all_cpp(std::condition_variable* condition) asm(
    "__wrap__ZNSt18condition_variable10notify_allEv");
extern void sleep_cpp(std::chrono::seconds seconds, std::chrono::nanoseconds more) asm(
    "__wrap__ZNSt11this_thread11__sleep_forENSt6chrono8durationIlSt5ratioILl1ELl1EEEENS1_"
    "IlS2_ILl1ELl1000000000EEEE");
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

// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

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
    HostThreads* threads = shared_threads();
    if (threads != nullptr) {
        return ascendsim::program::wait_at_word(
            *threads,
            word,
            value,
            has_timeout ? std::optional{ascendsim::program::us_until(at, clock)} : std::nullopt);
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
    ascendsim::program::create(&handle, nullptr, &ascendsim_run_cpp_thread, state.release());
    // A std::thread is its handle, and nothing else.
    static_assert(sizeof(std::thread) == sizeof handle);
    std::memcpy(static_cast<void*>(thread), &handle, sizeof handle);
}

void join_cpp_thread(std::thread* thread) {
    if (!thread->joinable()) {
        thread->join();  // says what is wrong
    }
    ascendsim::program::join(thread->native_handle(), nullptr);
    const std::thread::native_handle_type none{};
    std::memcpy(static_cast<void*>(thread), &none, sizeof none);
}

void wait_cpp_condition(std::condition_variable* condition, std::unique_lock<std::mutex>& held) {
    if (shared_threads() == nullptr) {
        condition->wait(held);
    } else {
        ascendsim::program::wait(condition->native_handle(), held.mutex()->native_handle(), std::nullopt);
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

void sleep_cpp(std::chrono::seconds seconds, std::chrono::nanoseconds more) {
    const double us = std::chrono::duration<double, std::micro>{seconds + more}.count();
    if (!ascendsim::program::sleep(us)) {
        std::this_thread::sleep_for(seconds + more);
    }
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
