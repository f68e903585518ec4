// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <cstdint>
#include <optional>

#include <pthread.h>

#include "runtime/acl/threads/own_threads.hpp"

namespace ascendsim::program {

// What the calls of this folder come to. Locks are taken as they are: only waiting for them is ours.

/// Tries until `attempt` returns anything but EBUSY, and returns that; waits at `place` in between, at most
/// until the deadline (ETIMEDOUT). `what` is for a deadlock: "to lock a mutex".
template <class Attempt>
int take(HostThreads& threads,
         const void* place,
         const char* what,
         const std::optional<Deadline>& deadline,
         Attempt attempt) {
    threads.settle();
    threads.stir();
    for (;;) {
        const int error = attempt();
        if (error != EBUSY) {
            return error;
        }
        if (!threads.wait_at(place, what, left_us(deadline))) {
            return attempt() == 0 ? 0 : ETIMEDOUT;
        }
    }
}

/// Others may have what was given back.
void wake(const void* place, bool all);

int create_thread(pthread_t* thread,
                  const pthread_attr_t* attributes,
                  void* (*routine)(void*),
                  void* argument);
/// ETIMEDOUT, or EBUSY where nothing is waited for, if the thread has not ended by then.
int join_thread(pthread_t thread, void** result, const std::optional<Deadline>& deadline = {});
int lock_mutex(pthread_mutex_t* mutex, const std::optional<Deadline>& deadline = {});
int unlock_mutex(pthread_mutex_t* mutex);
int wait_condition(pthread_cond_t* condition,
                   pthread_mutex_t* mutex,
                   const std::optional<Deadline>& deadline = {});

/// A word that threads wait at while it keeps its value; true if it may have changed.
bool wait_at_word(HostThreads& threads,
                  const std::uint32_t* word,
                  std::uint32_t value,
                  std::optional<double> timeout_us);

/// Lets simulated time pass, if the thread is the program's; false if it is not.
bool sleep_us(double us);

}  // namespace ascendsim::program
