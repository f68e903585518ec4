// SPDX-License-Identifier: Apache-2.0
// Threads of a host program that look again and again whether something has come, and their clocks.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "runtime/session/program/program_threads.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::runtime {
namespace {

using node::Picoseconds;

/// A thread reads its clock, or changes a value that others see, in so many microseconds: a call of the
/// system's that does not enter the kernel, a cache line that another core has. Assumed.
constexpr double glance_us = 0.025;
/// Threads that look, read or yield again and again do so at most that seldom.
constexpr double longest_poll_us = 1000;
/// A thread that polls for so long while nothing else can go on waits for ever.
constexpr double hopeless_us = 60e6;
/// A prime, so that turns do not come at the same place of a loop each time.
constexpr std::uint32_t changes_in_a_row = 1009;
constexpr std::uint64_t looks_in_a_row = 128;
/// Of a program with one thread and nothing under way.
constexpr std::uint64_t hopeless_looks = std::uint64_t{1} << 28U;

constexpr std::int64_t ps_per_ns = 1000;

const node::HostCall reading{"clock", ""};
const node::HostCall looking{"look at a shared value", ""};

}  // namespace

bool ProgramThreads::Look::holds() const {
    return std::memcmp(value.data(), place, bytes) == 0;
}

/// Where a thread waits, its program's functions may not be left by an exception.
void ProgramThreads::give_up(const std::string& why) {
    fail(std::make_exception_ptr(Deadlock{"{}", why}));
}

/// Time passes for a thread that asks again; 0 leaves it open how much, and it grows.
void ProgramThreads::poll(const node::HostCall& call, double us) {
    Thread& thread = at(own());
    if (us == 0) {
        thread.poll_us = std::min(longest_poll_us, std::max(1.0, 2 * thread.poll_us));
        us = thread.poll_us;
    }
    const std::uint64_t moves = moves_;
    timeline_.pass(call, us);
    if (several()) {
        thread.turned = timeline_.now();
        std::uint32_t to = 0;
        on_simulator([&] { to = next_in_time(); });  // what comes until then has come
        hand_turn_to(to);
    } else {
        static_cast<void>(timeline_.now());
    }
    check_polling(thread, moves, us);
}

/// Ends the program where a thread polls and nobody is left for whom it could wait.
void ProgramThreads::check_polling(Thread& thread, std::uint64_t moves, double us) {
    const auto others = std::ranges::any_of(state_->threads, [&](const auto& other) {
        return other.get() != &thread &&
               (other->doing == Doing::ready || (other->doing == Doing::waits && other->until));
    });
    if (moves != moves_ || others || !timeline_.idle()) {
        thread.alone_us = 0;
        return;
    }
    thread.alone_us += us;
    if (thread.alone_us >= hopeless_us) {
        give_up(fmt::format("{}\n  {} asks again and again for something that no one is left to change",
                            deadlock(),
                            name(static_cast<program::ThreadNumber>(own()))));
    }
}

/// Nobody else is there: only the time comes.
bool ProgramThreads::wait_alone(const node::HostCall& call,
                                std::optional<Picoseconds> until,
                                const Why& why) {
    if (!until) {
        give_up(fmt::format("deadlock: the host program has one thread, and main {}", why()));
    }
    if (const Picoseconds now = timeline_.now(); *until > now) {
        timeline_.pass(call, node::microseconds(*until - now));
    }
    return false;
}

/// What reading the clock has taken.
void ProgramThreads::put_reading(Thread& thread) {
    if (thread.reading_us > 0) {
        timeline_.pass(reading, std::exchange(thread.reading_us, 0), false);
    }
}

std::int64_t ProgramThreads::now_ns() {
    Thread& thread = at(own());
    const Picoseconds now = timeline_.now() + node::picoseconds(thread.reading_us);
    thread.read_ns = std::max(thread.read_ns, static_cast<std::int64_t>(now) / ps_per_ns);
    return thread.read_ns;
}

std::int64_t ProgramThreads::read_clock() {
    settle();
    Thread& thread = at(own());
    thread.reading_us += glance_us;
    if (thread.reading_us >= std::max(1.0, thread.read_us)) {
        thread.read_us = std::min(longest_poll_us, std::max(1.0, 2 * thread.read_us));
        poll(reading, std::exchange(thread.reading_us, 0));
    }
    return now_ns();
}

/// True where a thread finds another value than it found there before.
bool ProgramThreads::is_news(Thread& thread, const Look& look) {
    Look& known = thread.seen[(reinterpret_cast<std::uintptr_t>(look.place) / 4) % thread.seen.size()];
    const bool news = known.place == look.place && known.value != look.value;
    known = look;
    return news;
}

void ProgramThreads::look_at(const void* place, std::uint32_t bytes, bool loops) {
    try {
        look(place, bytes, loops);
    } catch (...) {  // a kernel's mistake, that comes to light here
        fail(std::current_exception());
    }
}

void ProgramThreads::look(const void* place, std::uint32_t bytes, bool loops) {
    settle();
    Thread& thread = at(own());
    Look found{.place = place, .bytes = bytes};
    std::memcpy(found.value.data(), place, bytes);
    if (is_news(thread, found)) {
        thread.looked = 0;
        thread.poll_us = 0;
        thread.alone_us = 0;
        thread.looks.clear();
        return;
    }
    if (loops) {
        watch(thread, found);
        return;
    }
    thread.looks.clear();
    ++thread.looked;
    const bool under_way = several() || timeline_.runs();
    if (under_way && thread.looked >= looks_in_a_row) {
        thread.looked = 0;
        poll(looking, 0);
    } else if (thread.looked >= hopeless_looks) {
        give_up(
            "deadlock: the host program has one thread, and main looks again and again at a shared value "
            "that "
            "no one is left to change");
    }
}

/// Waits once a round of the loop has shown nothing else than the one before.
void ProgramThreads::watch(Thread& thread, const Look& look) {
    const auto known = std::ranges::find(thread.looks, look.place, &Look::place);
    if (known == thread.looks.end()) {
        thread.looks.push_back(look);
        return;
    }
    if (known->value != look.value) {
        thread.looks.assign(1, look);
        return;
    }
    if (++known->times < 2) {
        return;
    }
    std::erase_if(thread.looks, [](const Look& other) { return other.times == 0; });  // of another loop
    const std::vector<Look> looks = std::exchange(thread.looks, {});
    if (std::ranges::all_of(looks, &Look::holds)) {
        wait_for_change(looks);
    }
}

void ProgramThreads::wait_for_change(const std::vector<Look>& looks) {
    const auto why = [] {
        return std::string{"waits in a loop for a shared value that another thread changes"};
    };
    const auto changed = [&looks] { return !std::ranges::all_of(looks, &Look::holds); };
    Thread& thread = at(own());
    if (!several()) {
        while (!changed()) {
            if (!timeline_.runs() || !timeline_.step({})) {
                give_up(fmt::format("deadlock: the host program has one thread, and main {}", why()));
            }
        }
        if (const Picoseconds now = timeline_.now(); timeline_.reached() > now) {
            timeline_.pass(looking, node::microseconds(timeline_.reached() - now));
        }
        return;
    }
    thread.watches = &looks;
    static_cast<void>(wait(
        [this, changed]() -> std::optional<Picoseconds> {
            return changed() ? std::optional{noticed_at_} : std::nullopt;
        },
        looking,
        std::nullopt,
        why));
    thread.watches = nullptr;
}

/// Those that watch it go on from here.
void ProgramThreads::changed(const void* place) {
    Thread& thread = at(own());
    thread.looked = 0;
    thread.looks.clear();
    for (std::uint32_t i = 0; i < state_->threads.size(); ++i) {
        Thread& other = at(i);
        if (other.doing == Doing::waits && other.watches != nullptr &&
            std::ranges::find(*other.watches, place, &Look::place) != other.watches->end()) {
            timeline_.hand_over(static_cast<node::ThreadId>(own()), static_cast<node::ThreadId>(i));
            other.doing = Doing::ready;
            other.came = true;
        }
    }
    if (several() && ++thread.changes >= changes_in_a_row) {
        thread.changes = 0;
        poll(looking, changes_in_a_row * glance_us);
    }
}

}  // namespace ascendsim::runtime
