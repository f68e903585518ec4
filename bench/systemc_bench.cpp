// SPDX-License-Identifier: Apache-2.0
// The limits of SystemC itself on this machine: events a second in the forms a simulator can choose from.
// What the engine does on top of it is in engine_bench.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <systemc>

namespace {

constexpr std::uint64_t rounds = 2'000'000;

/// Runs one style of process until it has had its rounds, and says how many a second that was.
struct Styles : sc_core::sc_module {
    explicit Styles(const sc_core::sc_module_name& module_name) : sc_module{module_name} {
        SC_HAS_PROCESS(Styles);
        SC_THREAD(timed_thread);
        SC_THREAD(notified_thread);
        SC_METHOD(timed_method);
        sensitive << method_start;
        dont_initialize();
    }

    void timed_thread() {
        wait(thread_start);
        for (std::uint64_t i = 0; i < rounds; ++i) {
            wait(step);
        }
    }

    void notified_thread() {
        wait(notified_start);
        for (std::uint64_t i = 0; i < rounds; ++i) {
            ping.notify(step);
            wait(ping);
        }
    }

    void timed_method() {
        if (++method_rounds < rounds) {
            next_trigger(step);
        }
    }

    const sc_core::sc_time step{1, sc_core::SC_NS};
    std::uint64_t method_rounds = 0;
    sc_core::sc_event thread_start;
    sc_core::sc_event notified_start;
    sc_core::sc_event method_start;
    sc_core::sc_event ping;
};

void measure(const char* what, sc_core::sc_event& start) {
    const auto begin = std::chrono::steady_clock::now();
    start.notify(sc_core::SC_ZERO_TIME);
    sc_core::sc_start();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    std::printf("%-40s %6.2f M/s\n", what, static_cast<double>(rounds) / wall.count() / 1e6);
}

}  // namespace

int main() {
    Styles styles{"styles"};
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    measure("SC_THREAD, wait(time)", styles.thread_start);
    measure("SC_THREAD, notify(time) and wait(event)", styles.notified_start);
    measure("SC_METHOD, next_trigger(time)", styles.method_start);
    return 0;
}
