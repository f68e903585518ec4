// SPDX-License-Identifier: Apache-2.0
#include "models/sanitize/event_flags.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "models/isa/sync/inserted.hpp"
#include "models/sanitize/words/finding_words.hpp"

namespace ascendsim::sanitize {

void EventFlags::set(CoreState& core, const isa::TimedOp& op) {
    FlagState& flag = core.flag(op.a, op.b, op.id);
    const Touch touch = cores_.touch_of(core, op);
    const auto source = static_cast<Pipe>(op.a);
    if (!flag.early_waits.empty()) {
        flag.early_waits.pop_front();
        --core.stuck[op.b];
        core.learn(static_cast<Pipe>(op.b), core.complete(source));
        return;
    }
    if (!flag.raised.empty()) {
        report_double_set(touch, op, flag.raised.back().touch);
        // Both waits to come are taken to know all that was set: the finding is the double set alone.
        flag.doubled = true;
        flag.raised.back().clock = core.complete(source);
    }
    const bool by_queue = op.step != isa::BufferStep::none;
    flag.raised.push_back({core.complete(source), touch, core.last[op.a] == 0, by_queue});
}

void EventFlags::report_double_set(const Touch& touch, const isa::TimedOp& op, const Touch& before) {
    if (Finding* finding = reporter_.report(Kind::double_set, touch, &before)) {
        finding->message = fmt::format("flag {} from {} to {} is raised again before it was waited for",
                                       op.id,
                                       name(static_cast<Pipe>(op.a)),
                                       name(static_cast<Pipe>(op.b)));
        finding->hint = "Wait for the flag between the two sets, or use another event id.";
    }
}

void EventFlags::wait(CoreState& core, const isa::TimedOp& op) {
    FlagState& flag = core.flag(op.a, op.b, op.id);
    const Touch touch = cores_.touch_of(core, op);
    if (flag.raised.empty()) {
        flag.early_waits.push_back(touch);
        ++core.stuck[op.b];
        return;
    }
    const FlagRaise raise = std::move(flag.raised.front());
    flag.raised.pop_front();
    const bool from_scalar = static_cast<Pipe>(op.a) == Pipe::scalar;
    if (!raise.idle && !raise.by_queue && !from_scalar && is_kernels_own(op)) {
        worth_.count_wait(touch, op, raise.touch, core.clocks[op.b].covers_all(raise.clock));
    }
    core.learn(static_cast<Pipe>(op.b), raise.clock);
}

/// Flags of the framework nobody can leave out; what the compiler inserts orders much besides, so that from
/// then on a kernel's own flags only seem to order nothing.
bool EventFlags::is_kernels_own(const isa::TimedOp& op) {
    inserted_ = inserted_ || isa::is_inserted(op.info);
    return !inserted_ && !cores_.is_framework(op.site);
}

void EventFlags::barrier(CoreState& core, const isa::TimedOp& op) {
    const std::size_t p = index(op.pipe);
    const bool all = op.kind == isa::OpKind::barrier_all;
    const Known& known = core.clocks[p].known;
    if (is_kernels_own(op)) {
        const bool idle = all ? core.last == Known{} : core.last[p] == 0;
        const bool redundant = all ? covers(known, core.last) : known[p] >= core.last[p];
        if (!idle) {
            worth_.count_barrier(cores_.touch_of(core, op), op, redundant);
        }
    }
    if (all) {
        core.complete_all();
    } else {
        core.learn(op.pipe, core.complete(op.pipe));
    }
}

void EventFlags::check_left(CoreState& core, Ending ending) {
    for (std::size_t i = 0; i < core.flags.size(); ++i) {
        FlagState* flag = core.flags[i].get();
        if (flag == nullptr) {
            continue;
        }
        const std::size_t pair = i / CoreState::max_ids;
        const std::string event = fmt::format("{} with id {}",
                                              event_name(static_cast<std::uint8_t>(pair / pipe_count),
                                                         static_cast<std::uint8_t>(pair % pipe_count)),
                                              i % CoreState::max_ids);
        report_left(*flag, event, ending);
        flag->raised.clear();
        flag->early_waits.clear();
    }
}

void EventFlags::report_left(const FlagState& flag, std::string_view event, Ending ending) {
    for (const FlagRaise& raise : flag.raised) {
        const bool told = flag.doubled && &raise == &flag.raised.back();  // as the second of two sets
        if (ending != Ending::completed || told) {
            break;
        }
        if (Finding* finding = reporter_.report(Kind::set_never_waited, raise.touch)) {
            finding->message = fmt::format("flag {} is still up at the end of the program", event);
            finding->hint = "Add the WaitFlag, or leave the last SetFlag out.";
        }
    }
    for (const Touch& wait : flag.early_waits) {
        if (ending == Ending::failed) {
            break;
        }
        if (Finding* finding = reporter_.report(Kind::wait_never_set, wait)) {
            finding->message = fmt::format("nobody raises flag {} that is waited for", event);
            finding->hint = "Add the SetFlag in the source pipe, before the wait.";
        }
    }
}

}  // namespace ascendsim::sanitize
