// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/program/program_threads.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "sim/base/error.hpp"

namespace ascendsim::runtime {
namespace {

using node::Picoseconds;
using program::ThreadNumber;

/// Which thread of the program this thread of the system is; the simulator's own are none.
thread_local std::optional<std::uint32_t>
    own_number;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

const node::HostCall sleeping{"sleep", ""};
const node::HostCall yielding{"yield", ""};

node::ThreadId id(std::uint32_t thread) {
    return static_cast<node::ThreadId>(thread);
}

}  // namespace

ProgramThreads::ProgramThreads(node::HostTimeline& timeline, std::function<void()> begin)
    : timeline_{timeline}, begin_{std::move(begin)}, state_{std::make_shared<State>()} {
    state_->threads.push_back(std::make_unique<Thread>());
}

void ProgramThreads::run_on(Machine& machine, std::function<void(int)> end) {
    machine_ = &machine;
    end_ = std::move(end);
    own_number = 0;
}

std::string ProgramThreads::name(ThreadNumber thread) {
    return thread == ThreadNumber{} ? std::string{"main"}
                                    : fmt::format("thread {}", static_cast<std::uint32_t>(thread));
}

std::uint32_t ProgramThreads::own() const {
    return own_number.value();
}

std::optional<ThreadNumber> ProgramThreads::current() const {
    return own_number ? std::optional{static_cast<ThreadNumber>(*own_number)} : std::nullopt;
}

ThreadNumber ProgramThreads::create(bool serves) {
    begin_();
    const auto number = static_cast<std::uint32_t>(timeline_.add_thread());
    check(number == state_->threads.size(), "threads of the timeline and of the program");
    {
        const std::scoped_lock lock{state_->mutex};  // a thread created before may still be on its way in
        state_->threads.push_back(std::make_unique<Thread>());
    }
    at(number).serves = serves;
    return static_cast<ThreadNumber>(number);
}

void ProgramThreads::enter(ThreadNumber thread) {
    const std::shared_ptr<State> state = state_;
    const auto number = static_cast<std::uint32_t>(thread);
    own_number = number;
    std::unique_lock lock{state->mutex};
    state->threads[number]->turn.wait(lock, [&] { return state->running == number; });
}

void ProgramThreads::leave() {
    Thread& thread = at(own());
    thread.doing = Doing::ended;
    wake_at(&thread, true);
    const std::uint32_t to = next();
    const std::shared_ptr<State> state = state_;
    own_number.reset();
    const std::scoped_lock lock{state->mutex};
    state->running = to;
    timeline_.run_thread(id(to));
    state->threads[to]->turn.notify_one();
}

bool ProgramThreads::join(ThreadNumber thread, std::optional<double> timeout_us) {
    const Thread& other = at(static_cast<std::uint32_t>(thread));
    settle();
    return other.doing == Doing::ended || wait_at(&other, "for the end of another thread", timeout_us);
}

bool ProgramThreads::wait_at(const void* place, const char* what, std::optional<double> timeout_us) {
    Thread& thread = at(own());
    if (timeout_us) {
        put_reading(thread);
    }
    thread.place = place;
    thread.stirred = 0;
    const std::optional<Picoseconds> until =
        timeout_us ? std::optional{timeline_.now() + node::picoseconds(*timeout_us)} : std::nullopt;
    const bool came = wait({}, sleeping, until, [what] { return fmt::format("waits {}", what); });
    thread.place = nullptr;
    return came;
}

void ProgramThreads::wake_at(const void* place, bool all) {
    for (std::uint32_t i = 0; i < state_->threads.size(); ++i) {
        Thread& thread = at(i);
        if (thread.doing == Doing::waits && thread.place == place) {
            timeline_.hand_over(id(own()), id(i));
            thread.doing = Doing::ready;
            thread.came = true;
            thread.place = nullptr;
            if (!all) {
                return;
            }
        }
    }
}

void ProgramThreads::sleep(double us) {
    put_reading(at(own()));
    timeline_.pass(sleeping, us);
    take_turn();
}

void ProgramThreads::yield() {
    poll(yielding, 0);
}

void ProgramThreads::stir() {
    constexpr std::uint32_t most =
        1000;  // locks in a row, as of a thread that looks whether something has come
    if (several() && ++at(own()).stirred >= most) {
        at(own()).stirred = 0;
        yield();
    }
}

void ProgramThreads::take_turn() {
    if (!own_number) {
        return;  // ranks of a scenario, which no program drives
    }
    Thread& thread = at(own());
    thread.poll_us = 0;
    thread.alone_us = 0;
    thread.stirred = 0;
    thread.looked = 0;
    thread.looks.clear();
    thread.read_us = 0;
    thread.reading_us = 0;
    if (several()) {
        thread.turned = timeline_.now();
        pass_on();
    }
}

void ProgramThreads::settle() {
    if (!several()) {
        return;
    }
    Thread& thread = at(own());
    if (const Picoseconds now = timeline_.now(); thread.turned != now) {
        thread.turned = now;
        pass_on();
    }
}

bool ProgramThreads::wait(Come come, const node::HostCall& call, std::optional<Picoseconds> until, Why why) {
    if (!several()) {
        return wait_alone(call, until, why);
    }
    Thread& thread = at(own());
    thread.come = std::move(come);
    thread.until = until;
    thread.call = call;
    thread.why = std::move(why);
    thread.came = false;
    thread.doing = Doing::waits;
    pass_on();
    thread.come = {};
    thread.why = {};
    return thread.came;
}

/// The turn goes to whoever is next, and comes back when the current thread is.
void ProgramThreads::pass_on() {
    hand_turn_to(next());
}

void ProgramThreads::hand_turn_to(std::uint32_t thread) {
    const std::uint32_t self = own();
    if (thread == self) {
        return;
    }
    ++moves_;
    const std::shared_ptr<State> state = state_;
    std::unique_lock lock{state->mutex};
    state->running = thread;
    timeline_.run_thread(id(thread));
    state->threads[thread]->turn.notify_one();
    if (self == 0) {
        serve(lock);
    } else {
        state->threads[self]->turn.wait(lock, [&] { return state->running == self; });
    }
}

/// The thread that simulates does so for others until it has its turn again.
void ProgramThreads::serve(std::unique_lock<std::mutex>& lock) {
    State& state = *state_;
    for (;;) {
        at(0).turn.wait(lock, [&] { return state.running == 0 || state.asked; });
        if (!state.asked) {
            return;
        }
        lock.unlock();  // whoever asked waits
        try {
            state.request();
        } catch (...) {
            end_with(std::current_exception());
        }
        lock.lock();
        state.asked = false;
        state.answered.notify_one();
    }
}

void ProgramThreads::on_simulator(std::function<void()> what) {
    if (own() == 0) {
        guarded(what);
        return;
    }
    State& state = *state_;
    std::unique_lock lock{state.mutex};
    state.request = std::move(what);
    state.asked = true;
    at(0).turn.notify_one();
    state.answered.wait(lock, [&] { return !state.asked; });
}

void ProgramThreads::end_with(std::exception_ptr error) {
    failure_ = std::move(error);
    machine_->end_host();
}

void ProgramThreads::end_on_simulator(std::function<void()> what) {
    if (own() == 0) {
        what();
    }
    on_simulator(std::move(what));
    for (;;) {
        std::this_thread::sleep_for(std::chrono::hours{1});  // the process ends
    }
}

void ProgramThreads::fail(std::exception_ptr error) {
    end_on_simulator([this, error] { end_with(error); });
}

void ProgramThreads::exit(int code) {
    end_on_simulator([this, code] { end_(code); });
}

std::optional<std::uint32_t> ProgramThreads::first_ready() const {
    std::optional<std::uint32_t> first;
    for (std::uint32_t i = 0; i < state_->threads.size(); ++i) {
        if (at(i).doing == Doing::ready && (!first || timeline_.clock(id(i)) < timeline_.clock(id(*first)))) {
            first = i;
        }
    }
    return first;
}

/// Who has the turn: the thread whose clock is behind all others', among those that can go on by then.
std::uint32_t ProgramThreads::next() {
    const bool waits = std::ranges::any_of(state_->threads, [](const auto& thread) {
        return thread->doing == Doing::waits && (thread->come || thread->until);
    });
    if (const std::optional<std::uint32_t> ready = first_ready(); ready && !waits) {
        return *ready;
    }
    std::uint32_t found = 0;
    on_simulator([&] { found = next_in_time(); });
    return found;
}

/// Wakes those for whom something has come, and those whose time is up at `limit`, once it is `reached`.
bool ProgramThreads::notice(std::optional<Picoseconds> limit, bool reached) {
    bool any = false;
    for (std::uint32_t i = 0; i < state_->threads.size(); ++i) {
        Thread& thread = at(i);
        if (thread.doing != Doing::waits) {
            continue;
        }
        const std::optional<Picoseconds> came = thread.come ? thread.come() : std::nullopt;
        const bool late = !came && reached && thread.until && limit && *thread.until <= *limit;
        if (came) {
            timeline_.come_to(id(i), *came);
        } else if (late) {
            const node::ThreadId turn = timeline_.thread();
            timeline_.run_thread(id(i));
            timeline_.pass(thread.call, node::microseconds(*thread.until - timeline_.now()));
            timeline_.run_thread(turn);
        }
        if (came || late) {
            thread.doing = Doing::ready;
            thread.came = came.has_value();
            any = true;
        }
    }
    return any;
}

std::uint32_t ProgramThreads::next_in_time() {
    noticed_at_ = timeline_.now();
    for (;;) {
        static_cast<void>(notice({}, false));
        const std::optional<std::uint32_t> ready = first_ready();
        std::optional<Picoseconds> limit;
        if (ready) {
            limit = timeline_.clock(id(*ready));
        }
        for (const auto& thread : state_->threads) {
            if (thread->doing == Doing::waits && thread->until) {
                limit = std::min(limit.value_or(*thread->until), *thread->until);
            }
        }
        if (timeline_.step(limit)) {
            noticed_at_ = timeline_.reached();
            continue;
        }
        if (notice(limit, true)) {
            continue;
        }
        if (ready) {
            return *ready;
        }
        throw Deadlock{"{}", deadlock()};
    }
}

std::string ProgramThreads::deadlock() const {
    std::string text{"deadlock: no thread of the host program can go on"};
    for (std::uint32_t i = 0; i < state_->threads.size(); ++i) {
        if (at(i).doing == Doing::waits && !at(i).serves) {
            text += fmt::format("\n  {} {}", name(static_cast<ThreadNumber>(i)), at(i).why());
        }
    }
    return text;
}

}  // namespace ascendsim::runtime
