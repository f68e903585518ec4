// SPDX-License-Identifier: Apache-2.0
// What a host program's calls for threads, locks and waiting come to: the program is linked so that they end
// here (toolchain/build/thread_calls.cpp). Threads are the system's own, but one of them runs at a time;
// whoever has to wait hands its turn on.
#include <array>
#include <cerrno>
#include <cstdarg>
#include <ctime>
#include <map>
#include <optional>

#include <cxxabi.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/acl/threads/thread_waits.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::program {
namespace {

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

/// The clocks of conditions whose program has chosen one.
std::map<const void*, clockid_t>& condition_clocks() {
    static std::map<const void*, clockid_t> known;
    return known;
}

clockid_t clock_of(const pthread_cond_t* condition) {
    const auto known = condition_clocks().find(condition);
    return known == condition_clocks().end() ? CLOCK_REALTIME : known->second;
}

/// Who does what is to be done once.
std::map<const void*, ThreadNumber>& doing_once() {
    static std::map<const void*, ThreadNumber> known;
    return known;
}

/// Waits while another thread does it.
void await_once(HostThreads& threads, const void* what) {
    threads.settle();
    for (;;) {
        const auto known = doing_once().find(what);
        if (known == doing_once().end() || known->second == threads.current()) {
            return;
        }
        threads.wait_at(what, "for another thread to set something up", std::nullopt);
    }
}

/// The current thread does it as long as this lives.
class Doing {
public:
    Doing(HostThreads& threads, const void* what) : what_{what} {
        outer_ = !doing_once().try_emplace(what, threads.current().value()).second;
    }

    Doing(const Doing&) = delete;
    Doing& operator=(const Doing&) = delete;

    ~Doing() {
        if (!outer_) {
            doing_once().erase(what_);
            wake(what_, true);
        }
    }

private:
    const void* what_;
    bool outer_ = false;
};

/// As calls for semaphores return.
int with_errno(int error) {
    if (error == 0) {
        return 0;
    }
    errno = error;
    return -1;
}

int take_semaphore(HostThreads& threads, sem_t* semaphore, const std::optional<Deadline>& deadline) {
    return with_errno(take(threads, semaphore, "for a semaphore", deadline, [&] {
        return sem_trywait(semaphore) == 0 ? 0 : errno == EAGAIN ? EBUSY : errno;
    }));
}

int read_lock(HostThreads& threads, pthread_rwlock_t* held, const std::optional<Deadline>& deadline) {
    return take(
        threads, held, "to lock a shared mutex", deadline, [&] { return pthread_rwlock_tryrdlock(held); });
}

int write_lock(HostThreads& threads, pthread_rwlock_t* held, const std::optional<Deadline>& deadline) {
    return take(
        threads, held, "to lock a shared mutex", deadline, [&] { return pthread_rwlock_trywrlock(held); });
}

/// A try without waiting, that a thread may repeat for ever.
HostThreads* before_try() {
    HostThreads* threads = own_threads();
    if (threads != nullptr) {
        threads->settle();
        threads->stir();
    }
    return threads;
}

}  // namespace
}  // namespace ascendsim::program

using ascendsim::program::Deadline;
using ascendsim::program::HostThreads;
using ascendsim::program::own_threads;

// Names that the linker makes: each is called in place of the function behind `__wrap_`.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {

int __wrap_pthread_create(pthread_t* thread,
                          const pthread_attr_t* attributes,
                          void* (*routine)(void*),
                          void* argument) {
    return ascendsim::program::create_thread(thread, attributes, routine, argument);
}

int __wrap_pthread_join(pthread_t thread, void** result) {
    return ascendsim::program::join_thread(thread, result);
}

int __wrap_pthread_clockjoin_np(pthread_t thread, void** result, clockid_t clock, const timespec* deadline) {
    HostThreads* threads = own_threads();
    return threads == nullptr
               ? pthread_clockjoin_np(thread, result, clock, deadline)
               : ascendsim::program::join_thread(thread, result, Deadline{*threads, *deadline, clock});
}

int __wrap_pthread_timedjoin_np(pthread_t thread, void** result, const timespec* deadline) {
    return __wrap_pthread_clockjoin_np(thread, result, CLOCK_REALTIME, deadline);
}

int __wrap_pthread_tryjoin_np(pthread_t thread, void** result) {
    HostThreads* threads = ascendsim::program::before_try();
    if (threads == nullptr) {
        return pthread_tryjoin_np(thread, result);
    }
    const int error =
        ascendsim::program::join_thread(thread, result, Deadline{*threads, timespec{}, CLOCK_REALTIME});
    return error == ETIMEDOUT ? EBUSY : error;
}

/// What a thread that is ended in the middle of a wait would leave behind, nobody could tell.
int __wrap_pthread_cancel(pthread_t thread) {
    if (HostThreads* threads = own_threads()) {
        threads->fail(std::make_exception_ptr(
            ascendsim::UserError{"pthread_cancel: threads of a host program are not cancelled here; let the "
                                 "thread look at a value and end by itself"}));
    }
    return pthread_cancel(thread);
}

int __wrap_pthread_once(pthread_once_t* control, void (*routine)()) {
    HostThreads* threads = own_threads();
    if (threads == nullptr) {
        return pthread_once(control, routine);
    }
    ascendsim::program::await_once(*threads, control);
    const ascendsim::program::Doing doing{*threads, control};
    return pthread_once(control, routine);
}

int __wrap___cxa_guard_acquire(abi::__guard* guard) {
    HostThreads* threads = own_threads();
    if (threads != nullptr) {
        ascendsim::program::await_once(*threads, guard);
    }
    const int mine = abi::__cxa_guard_acquire(guard);
    if (threads != nullptr && mine != 0) {
        ascendsim::program::doing_once()[guard] = threads->current().value();
    }
    return mine;
}

void __wrap___cxa_guard_release(abi::__guard* guard) {
    abi::__cxa_guard_release(guard);
    if (ascendsim::program::doing_once().erase(guard) != 0) {
        ascendsim::program::wake(guard, true);
    }
}

void __wrap___cxa_guard_abort(abi::__guard* guard) {
    abi::__cxa_guard_abort(guard);
    if (ascendsim::program::doing_once().erase(guard) != 0) {
        ascendsim::program::wake(guard, true);
    }
}

int __wrap_pthread_mutex_lock(pthread_mutex_t* mutex) {
    return ascendsim::program::lock_mutex(mutex);
}

int __wrap_pthread_mutex_trylock(pthread_mutex_t* mutex) {
    ascendsim::program::before_try();
    return pthread_mutex_trylock(mutex);
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t* mutex) {
    return ascendsim::program::unlock_mutex(mutex);
}

int __wrap_pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* deadline) {
    HostThreads* threads = own_threads();
    return threads == nullptr ? pthread_mutex_clocklock(mutex, clock, deadline)
                              : ascendsim::program::lock_mutex(mutex, Deadline{*threads, *deadline, clock});
}

int __wrap_pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* deadline) {
    return __wrap_pthread_mutex_clocklock(mutex, CLOCK_REALTIME, deadline);
}

int __wrap_pthread_cond_init(pthread_cond_t* condition, const pthread_condattr_t* attributes) {
    clockid_t clock = CLOCK_REALTIME;
    if (attributes != nullptr && pthread_condattr_getclock(attributes, &clock) == 0 && own_threads()) {
        ascendsim::program::condition_clocks()[condition] = clock;
    }
    return pthread_cond_init(condition, attributes);
}

int __wrap_pthread_cond_destroy(pthread_cond_t* condition) {
    if (own_threads() != nullptr) {
        ascendsim::program::condition_clocks().erase(condition);
    }
    return pthread_cond_destroy(condition);
}

int __wrap_pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
    return own_threads() == nullptr ? pthread_cond_wait(condition, mutex)
                                    : ascendsim::program::wait_condition(condition, mutex);
}

int __wrap_pthread_cond_clockwait(pthread_cond_t* condition,
                                  pthread_mutex_t* mutex,
                                  clockid_t clock,
                                  const timespec* deadline) {
    HostThreads* threads = own_threads();
    return threads == nullptr
               ? pthread_cond_clockwait(condition, mutex, clock, deadline)
               : ascendsim::program::wait_condition(condition, mutex, Deadline{*threads, *deadline, clock});
}

int __wrap_pthread_cond_timedwait(pthread_cond_t* condition,
                                  pthread_mutex_t* mutex,
                                  const timespec* deadline) {
    return own_threads() == nullptr
               ? pthread_cond_timedwait(condition, mutex, deadline)
               : __wrap_pthread_cond_clockwait(
                     condition, mutex, ascendsim::program::clock_of(condition), deadline);
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
    HostThreads* threads = own_threads();
    return threads == nullptr ? pthread_rwlock_rdlock(held)
                              : ascendsim::program::read_lock(*threads, held, {});
}

int __wrap_pthread_rwlock_tryrdlock(pthread_rwlock_t* held) {
    ascendsim::program::before_try();
    return pthread_rwlock_tryrdlock(held);
}

int __wrap_pthread_rwlock_clockrdlock(pthread_rwlock_t* held, clockid_t clock, const timespec* deadline) {
    HostThreads* threads = own_threads();
    return threads == nullptr
               ? pthread_rwlock_clockrdlock(held, clock, deadline)
               : ascendsim::program::read_lock(*threads, held, Deadline{*threads, *deadline, clock});
}

int __wrap_pthread_rwlock_timedrdlock(pthread_rwlock_t* held, const timespec* deadline) {
    return __wrap_pthread_rwlock_clockrdlock(held, CLOCK_REALTIME, deadline);
}

int __wrap_pthread_rwlock_wrlock(pthread_rwlock_t* held) {
    HostThreads* threads = own_threads();
    return threads == nullptr ? pthread_rwlock_wrlock(held)
                              : ascendsim::program::write_lock(*threads, held, {});
}

int __wrap_pthread_rwlock_trywrlock(pthread_rwlock_t* held) {
    ascendsim::program::before_try();
    return pthread_rwlock_trywrlock(held);
}

int __wrap_pthread_rwlock_clockwrlock(pthread_rwlock_t* held, clockid_t clock, const timespec* deadline) {
    HostThreads* threads = own_threads();
    return threads == nullptr
               ? pthread_rwlock_clockwrlock(held, clock, deadline)
               : ascendsim::program::write_lock(*threads, held, Deadline{*threads, *deadline, clock});
}

int __wrap_pthread_rwlock_timedwrlock(pthread_rwlock_t* held, const timespec* deadline) {
    return __wrap_pthread_rwlock_clockwrlock(held, CLOCK_REALTIME, deadline);
}

int __wrap_pthread_rwlock_unlock(pthread_rwlock_t* held) {
    HostThreads* threads = own_threads();
    if (threads != nullptr) {
        threads->settle();
    }
    const int error = pthread_rwlock_unlock(held);
    if (threads != nullptr) {
        threads->wake_at(held, true);
    }
    return error;
}

int __wrap_pthread_spin_lock(pthread_spinlock_t* held) {
    HostThreads* threads = own_threads();
    return threads == nullptr
               ? pthread_spin_lock(held)
               : ascendsim::program::take(*threads, const_cast<int*>(held), "to lock a spin lock", {}, [&] {
                     return pthread_spin_trylock(held);
                 });
}

int __wrap_pthread_spin_trylock(pthread_spinlock_t* held) {
    ascendsim::program::before_try();
    return pthread_spin_trylock(held);
}

int __wrap_pthread_spin_unlock(pthread_spinlock_t* held) {
    HostThreads* threads = own_threads();
    if (threads != nullptr) {
        threads->settle();
    }
    const int error = pthread_spin_unlock(held);
    if (threads != nullptr) {
        threads->wake_at(const_cast<int*>(held), false);
    }
    return error;
}

int __wrap_sem_wait(sem_t* semaphore) {
    HostThreads* threads = own_threads();
    return threads == nullptr ? sem_wait(semaphore)
                              : ascendsim::program::take_semaphore(*threads, semaphore, {});
}

int __wrap_sem_trywait(sem_t* semaphore) {
    ascendsim::program::before_try();
    return sem_trywait(semaphore);
}

int __wrap_sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* deadline) {
    HostThreads* threads = own_threads();
    return threads == nullptr ? sem_clockwait(semaphore, clock, deadline)
                              : ascendsim::program::take_semaphore(
                                    *threads, semaphore, Deadline{*threads, *deadline, clock});
}

int __wrap_sem_timedwait(sem_t* semaphore, const timespec* deadline) {
    return __wrap_sem_clockwait(semaphore, CLOCK_REALTIME, deadline);
}

int __wrap_sem_post(sem_t* semaphore) {
    HostThreads* threads = own_threads();
    if (threads != nullptr) {
        threads->settle();
    }
    const int error = sem_post(semaphore);
    if (threads != nullptr) {
        threads->wake_at(semaphore, false);
    }
    return error;
}

int __wrap_pthread_barrier_init(pthread_barrier_t* barrier,
                                const pthread_barrierattr_t* attributes,
                                unsigned count) {
    ascendsim::program::barriers()[barrier] = {.size = count};
    return pthread_barrier_init(barrier, attributes, count);
}

int __wrap_pthread_barrier_wait(pthread_barrier_t* barrier) {
    HostThreads* threads = own_threads();
    const auto known = ascendsim::program::barriers().find(barrier);
    if (threads == nullptr || known == ascendsim::program::barriers().end()) {
        return pthread_barrier_wait(barrier);
    }
    threads->settle();
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
    HostThreads* threads = own_threads();
    if (threads == nullptr) {
        return sched_yield();
    }
    threads->yield();
    return 0;
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
    HostThreads* threads = number == SYS_futex ? own_threads() : nullptr;
    const auto what = static_cast<int>(a[1]) & FUTEX_CMD_MASK;
    if (threads == nullptr || (what != FUTEX_WAIT && what != FUTEX_WAKE && what != FUTEX_WAIT_BITSET)) {
        return syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    }
    const auto* word = reinterpret_cast<const std::uint32_t*>(a[0]);
    if (what == FUTEX_WAKE) {
        threads->settle();
        threads->wake_at(word, a[2] != 1);
        return 0;
    }
    const auto* time = reinterpret_cast<const timespec*>(a[3]);
    std::optional<double> us;
    if (time != nullptr && what == FUTEX_WAIT) {
        us = ascendsim::program::us_of(*time);
    } else if (time != nullptr) {
        const clockid_t clock = (a[1] & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
        us = Deadline{*threads, *time, clock}.left_us();
    }
    if (!ascendsim::program::wait_at_word(*threads, word, static_cast<std::uint32_t>(a[2]), us)) {
        errno = ETIMEDOUT;
        return -1;
    }
    return 0;
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
