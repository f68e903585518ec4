// SPDX-License-Identifier: Apache-2.0
#include "toolchain/build/thread_calls.hpp"

#include <array>
#include <string_view>

namespace ascendsim::toolchain {

std::vector<std::string> thread_call_words() {
    constexpr std::array<std::string_view, 65> names{
        "pthread_create",
        "pthread_join",
        "pthread_timedjoin_np",
        "pthread_clockjoin_np",
        "pthread_tryjoin_np",
        "pthread_cancel",
        "pthread_once",
        "__cxa_guard_acquire",
        "__cxa_guard_release",
        "__cxa_guard_abort",
        "pthread_mutex_lock",
        "pthread_mutex_trylock",
        "pthread_mutex_unlock",
        "pthread_mutex_timedlock",
        "pthread_mutex_clocklock",
        "pthread_cond_init",
        "pthread_cond_destroy",
        "pthread_cond_wait",
        "pthread_cond_timedwait",
        "pthread_cond_clockwait",
        "pthread_cond_signal",
        "pthread_cond_broadcast",
        "pthread_rwlock_rdlock",
        "pthread_rwlock_tryrdlock",
        "pthread_rwlock_timedrdlock",
        "pthread_rwlock_clockrdlock",
        "pthread_rwlock_wrlock",
        "pthread_rwlock_trywrlock",
        "pthread_rwlock_timedwrlock",
        "pthread_rwlock_clockwrlock",
        "pthread_rwlock_unlock",
        "pthread_spin_lock",
        "pthread_spin_trylock",
        "pthread_spin_unlock",
        "sem_wait",
        "sem_trywait",
        "sem_timedwait",
        "sem_clockwait",
        "sem_post",
        "pthread_barrier_init",
        "pthread_barrier_wait",
        "sched_yield",
        "clock_gettime",
        "gettimeofday",
        "time",
        "timespec_get",
        "clock",
        "nanosleep",
        "clock_nanosleep",
        "usleep",
        "sleep",
        "poll",
        "select",
        "syscall",
        "_ZNSt6chrono3_V212steady_clock3nowEv",
        "_ZNSt6chrono3_V212system_clock3nowEv",
        "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE",
        "_ZNSt6thread4joinEv",
        "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE",
        "_ZNSt18condition_variable10notify_oneEv",
        "_ZNSt18condition_variable10notify_allEv",
        "_ZNSt11this_thread11__sleep_forENSt6chrono8durationIlSt5ratioILl1ELl1EEEENS1_IlS2_"
        "ILl1ELl1000000000EEEE",
        "_ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_"
        "untilEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_"
        "IlS3_ILl1ELl1000000000EEEE",
        "_ZNSt28__atomic_futex_unsigned_base26_M_futex_wait_until_"
        "steadyEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EE"
        "EENS2_IlS3_ILl1ELl1000000000EEEE",
        "_ZNSt28__atomic_futex_unsigned_base19_M_futex_notify_allEPj"};
    std::vector<std::string> words;
    for (const std::string_view name : names) {
        words.push_back("-Wl,--wrap=" + std::string{name});
    }
    return words;
}

}  // namespace ascendsim::toolchain
