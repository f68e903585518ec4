// SPDX-License-Identifier: Apache-2.0
#include "runtime/acl/threads/thread_waits.hpp"

#include <cstring>
#include <map>
#include <memory>

#include "sim/base/error.hpp"

namespace ascendsim::program {
namespace {

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

extern "C" void* ascendsim_run_thread(void* opaque) {
    const std::unique_ptr<Start> start{static_cast<Start*>(opaque)};
    return run_as_thread(*start->threads, start->number, [&] { return start->routine(start->argument); });
}

}  // namespace

void wake(const void* place, bool all) {
    if (HostThreads* threads = own_threads()) {
        threads->settle();
        threads->wake_at(place, all);
    }
}

int create_thread(pthread_t* thread,
                  const pthread_attr_t* attributes,
                  void* (*routine)(void*),
                  void* argument) {
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

int join_thread(pthread_t thread, void** result, const std::optional<Deadline>& deadline) {
    HostThreads* threads = own_threads();
    const auto known = threads == nullptr ? numbers().end() : numbers().find(thread);
    if (known != numbers().end()) {
        if (!threads->join(known->second, left_us(deadline))) {
            return ETIMEDOUT;
        }
        numbers().erase(known);
    }
    return pthread_join(thread, result);
}

int lock_mutex(pthread_mutex_t* mutex, const std::optional<Deadline>& deadline) {
    HostThreads* threads = own_threads();
    return threads == nullptr ? pthread_mutex_lock(mutex)
                              : take(*threads, mutex, "to lock a mutex", deadline, [&] {
                                    return pthread_mutex_trylock(mutex);
                                });
}

int unlock_mutex(pthread_mutex_t* mutex) {
    HostThreads* threads = own_threads();
    if (threads != nullptr) {
        threads->settle();
    }
    const int error = pthread_mutex_unlock(mutex);
    if (threads != nullptr && error == 0) {
        threads->wake_at(mutex, false);
    }
    return error;
}

int wait_condition(pthread_cond_t* condition,
                   pthread_mutex_t* mutex,
                   const std::optional<Deadline>& deadline) {
    HostThreads& threads = *own_threads();
    unlock_mutex(mutex);
    const bool woken =
        threads.wait_at(condition, "for a condition that another thread signals", left_us(deadline));
    const int error = lock_mutex(mutex);
    return error != 0 ? error : woken ? 0 : ETIMEDOUT;
}

bool wait_at_word(HostThreads& threads,
                  const std::uint32_t* word,
                  std::uint32_t value,
                  std::optional<double> timeout_us) {
    threads.settle();
    return __atomic_load_n(word, __ATOMIC_SEQ_CST) != value ||
           threads.wait_at(word, "for a value that another thread changes", timeout_us);
}

bool sleep_us(double us) {
    HostThreads* threads = own_threads();
    if (threads != nullptr) {
        threads->sleep(us);
    }
    return threads != nullptr;
}

}  // namespace ascendsim::program
