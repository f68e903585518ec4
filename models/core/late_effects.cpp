// SPDX-License-Identifier: Apache-2.0
#include "models/core/late_effects.hpp"

#include <algorithm>
#include <utility>

#include "models/timeline/cross_flags.hpp"

namespace ascendsim {
namespace {

constexpr std::uint32_t most_flags = 64;  // of a pair of pipes

std::uint32_t flag_of(const isa::TimedOp& op) {
    return (op.a * static_cast<std::uint32_t>(pipe_count) + op.b) * most_flags + op.id % most_flags;
}

std::size_t source_of(std::uint32_t flag) {
    return flag / most_flags / pipe_count;
}

bool meet(const isa::Access& a, const isa::Access& b) {
    return a.memory == b.memory && a.offset < b.offset + b.extent() && b.offset < a.offset + a.extent();
}

/// Whether the bytes are known one by one.
bool is_dense(const isa::Access& access) {
    return !access.covering && access.lane_bytes == 0 && access.rows == 1 && access.planes == 1;
}

std::vector<isa::Access> list_of(const isa::Accesses& accesses) {
    return {accesses.begin(), accesses.end()};
}

}  // namespace

LateEffects::LateEffects(isa::AccessObserver* next,
                         isa::CorePort& core,
                         const EffectTiming& timing,
                         std::uint32_t number)
    : PassingObserver{next},
      core_{core},
      timing_{timing},
      state_{timing.seed * 0x9e3779b97f4a7c15U + (std::uint64_t{timing.number} << 32U) + number} {
    draw_haste(timing.number);
}

/// splitmix64, which is good enough for drawing lots and takes a word of state.
std::uint64_t LateEffects::next_random() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
}

void LateEffects::draw_haste(std::uint32_t timing) {
    const auto make_late = [this](std::initializer_list<Pipe> late) {
        for (const Pipe pipe : late) {
            haste_[index(pipe)] = Haste::late;
        }
    };
    switch (timing) {
        case 1:
            return haste_.fill(Haste::late);
        case 2:
            return make_late({Pipe::mte2});
        case 3:
            return make_late({Pipe::vector, Pipe::cube});
        case 4:
            return make_late({Pipe::mte3, Pipe::fixpipe, Pipe::mte1});
        case 5:
            haste_.fill(Haste::late);
            haste_[index(Pipe::mte2)] = Haste::early;
            return;
        default:
            for (Haste& one : haste_) {
                one = static_cast<Haste>(next_random() % 3);
            }
    }
}

void LateEffects::on_begin() {
    for (Queue& queue : queues_) {
        queue.clear();
    }
    raised_.clear();
    PassingObserver::on_begin();
}

void LateEffects::on_issue(const isa::TimedOp& op, const isa::Accesses& accesses) {
    const isa::TimedOp issued = op;  // others may be issued before it meanwhile
    PassingObserver::on_issue(op, accesses);
    switch (issued.kind) {
        case isa::OpKind::set_flag:
            if (static_cast<Pipe>(issued.a) == Pipe::scalar) {
                ++raised_[flag_of(issued)];
            } else {
                add(static_cast<Pipe>(issued.a), {.kind = Step::Kind::set, .flag = flag_of(issued)});
            }
            break;
        case isa::OpKind::wait_flag:
            if (static_cast<Pipe>(issued.b) == Pipe::scalar) {
                await(flag_of(issued));
            } else {
                add(static_cast<Pipe>(issued.b), {.kind = Step::Kind::wait, .flag = flag_of(issued)});
            }
            break;
        case isa::OpKind::barrier:
            if (issued.pipe != Pipe::scalar) {
                add(issued.pipe, {.kind = Step::Kind::barrier});
            }
            break;
        case isa::OpKind::barrier_all:
        case isa::OpKind::sync_all:
            land_all();
            break;
        case isa::OpKind::cross_set:
            if (issued.a == CrossFlags::mode_message) {
                land_all();
            } else {
                land(index(issued.pipe));
            }
            break;
        default:
            break;
    }
    stir();
}

void LateEffects::keep(Pipe pipe, const isa::Accesses& accesses, std::function<void(isa::CorePort&)> effect) {
    add(pipe, {.kind = Step::Kind::effect, .accesses = list_of(accesses), .effect = std::move(effect)});
    stir();
}

void LateEffects::keep_writes(Pipe pipe, const isa::Accesses& accesses, const std::function<void()>& effect) {
    land(index(pipe));
    if (haste_[index(pipe)] == Haste::early) {
        effect();
        return;
    }
    add(pipe,
        {.kind = Step::Kind::landing,
         .effect = [changes = changes_of(list_of(accesses), effect)](isa::CorePort&) {
             for (const Change& change : changes) {
                 *change.at = change.value;
             }
         }});
    stir();
}

std::vector<LateEffects::Change> LateEffects::changes_of(const std::vector<isa::Access>& accesses,
                                                         const std::function<void()>& effect) {
    struct Before {
        std::byte* at;
        std::vector<std::byte> bytes;
        bool whole;  // every byte is written, also with what was there
    };

    std::vector<Before> before;
    for (const isa::Access& access : accesses) {
        if (access.write && access.memory != Memory::gm && access.extent() != 0) {
            std::byte* at = core_.at({access.memory, static_cast<std::uint32_t>(access.offset)});
            before.push_back({at, {at, at + access.extent()}, is_dense(access)});
        }
    }
    effect();
    std::vector<Change> changes;
    for (const Before& one : before) {
        for (std::size_t i = 0; i < one.bytes.size(); ++i) {
            if (one.whole || one.at[i] != one.bytes[i]) {
                changes.push_back({one.at + i, one.at[i]});
            }
        }
    }
    for (auto one = before.rbegin(); one != before.rend();
         ++one) {  // where two overlap, the first copy is older
        std::ranges::copy(one->bytes, one->at);
    }
    return changes;
}

void LateEffects::add(Pipe pipe, Step step) {
    queues_[index(pipe)].push_back(std::move(step));
}

void LateEffects::stir() {
    const ScalarSpec& scalar = core_.chip().scalar;
    for (std::size_t pipe = 0; pipe < pipe_count; ++pipe) {
        Queue& queue = queues_[pipe];
        const std::size_t depth = pipe == index(Pipe::vector) ? scalar.queue_depth_other : scalar.queue_depth;
        while (queue.size() > depth && force(pipe)) {
        }
        while (!queue.empty() && ready(queue) &&
               (haste_[pipe] == Haste::early || (haste_[pipe] == Haste::by_lot && draw()))) {
            run(queue);
        }
    }
}

bool LateEffects::ready(const Queue& queue) {
    return queue.front().kind != Step::Kind::wait || raised_[queue.front().flag] != 0;
}

bool LateEffects::force(std::size_t pipe) {
    Queue& queue = queues_[pipe];
    if (queue.empty() || forcing_[pipe]) {
        return false;
    }
    forcing_[pipe] = true;
    // A set that never comes is found by the timing; here the wait is over then.
    while (!ready(queue) && force(source_of(queue.front().flag))) {
    }
    forcing_[pipe] = false;
    run(queue);
    return true;
}

void LateEffects::land(std::size_t pipe) {
    while (force(pipe)) {
    }
}

void LateEffects::land_all() {
    for (std::size_t pipe = 0; pipe < pipe_count; ++pipe) {
        land(pipe);
    }
}

void LateEffects::await(std::uint32_t flag) {
    while (raised_[flag] == 0 && force(source_of(flag))) {
    }
    if (std::uint32_t& count = raised_[flag]; count != 0) {
        --count;
    }
}

void LateEffects::run(Queue& queue) {
    if (queue.size() > 1 && may_overlap(queue[0], queue[1]) && &queue == &queues_[index(Pipe::vector)] &&
        draw()) {
        run_overlapped(queue);
        return;
    }
    const Step step = std::move(queue.front());
    queue.pop_front();
    switch (step.kind) {
        case Step::Kind::effect:
        case Step::Kind::landing:
            step.effect(core_);
            break;
        case Step::Kind::set:
            ++raised_[step.flag];
            break;
        case Step::Kind::wait:
            if (std::uint32_t& count = raised_[step.flag]; count != 0) {
                --count;
            }
            break;
        case Step::Kind::barrier:
            break;
    }
}

/// The second reads before the first has written; what they write lands in their order.
void LateEffects::run_overlapped(Queue& queue) {
    const Step first = std::move(queue.front());
    queue.pop_front();
    const Step second = std::move(queue.front());
    queue.pop_front();
    const std::vector<Change> changes = changes_of(second.accesses, [&] { second.effect(core_); });
    first.effect(core_);
    for (const Change& change : changes) {
        *change.at = change.value;
    }
}

bool LateEffects::may_overlap(const Step& first, const Step& second) {
    if (first.kind != Step::Kind::effect || second.kind != Step::Kind::effect) {
        return false;
    }
    bool depends = false;
    for (const isa::Access& a : first.accesses) {
        for (const isa::Access& b : second.accesses) {
            if (a.write && !b.write && meet(a, b)) {
                if (!is_dense(a) || !is_dense(b)) {
                    return false;
                }
                depends = true;
            }
        }
    }
    return depends;
}

}  // namespace ascendsim
