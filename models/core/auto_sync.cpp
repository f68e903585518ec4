// SPDX-License-Identifier: Apache-2.0
#include "models/core/auto_sync.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "models/isa/sync/inserted.hpp"

namespace ascendsim {
namespace {

constexpr std::array<Pipe, 4> pipes{Pipe::scalar, Pipe::vector, Pipe::mte2, Pipe::mte3};  // by Unit

/// Calls f(begin, end) for every contiguous run of an access.
template <class F>
void for_each_stretch(const isa::Access& access, F&& f) {
    const bool dense = access.rows <= 1 || access.pitch == access.row_bytes;
    for (std::uint64_t plane = 0; plane < access.planes; ++plane) {
        const std::uint64_t start = access.offset + plane * access.plane_pitch;
        const std::uint64_t length = dense ? access.rows * access.row_bytes : access.row_bytes;
        for (std::uint64_t row = 0; row < (dense ? 1 : access.rows); ++row) {
            f(start + row * access.pitch, start + row * access.pitch + length);
        }
    }
}

}  // namespace

std::optional<AutoSync::Unit> AutoSync::unit_of(Pipe pipe) {
    const auto found = std::ranges::find(pipes, pipe);
    return found == pipes.end() ? std::nullopt : std::optional{static_cast<Unit>(found - pipes.begin())};
}

bool AutoSync::is_pair(Unit source, Unit destination) {
    return source == destination ? source == vector : source == scalar || destination == scalar;
}

/// True for instructions that are no synchronisation.
bool AutoSync::works(const isa::TimedOp& op) {
    return op.kind == isa::OpKind::compute || op.kind == isa::OpKind::transfer ||
           op.kind == isa::OpKind::scalar_work || op.kind == isa::OpKind::scalar_load;
}

/// UB; of global memory what GetValue reads and MTE3 writes, as scalar stores there are not among what the
/// compiler looks at.
bool AutoSync::counts(Unit unit, const isa::Access& access) {
    const bool global =
        access.memory == Memory::gm && (unit == scalar ? !access.write : unit == mte3 && access.write);
    return (access.memory == Memory::ub || global) && access.extent() != 0;
}

void AutoSync::on_issue(const isa::TimedOp& op, const isa::Accesses& accesses) {
    const isa::TimedOp dependent = op;  // what is inserted takes its place in the queue
    follow(op);
    const std::optional<Unit> unit = unit_of(op.pipe);
    const bool by_pointer = std::exchange(by_pointer_, false);
    if (unit && !by_pointer && works(dependent)) {
        order(dependent, accesses, *unit);
        remember(*unit, accesses);
    }
    isa::CorePort& core = isa::CorePort::current();
    core.next() = dependent;
    if (next_ != nullptr) {
        next_->on_issue(dependent, accesses);
    }
}

/// What the kernel's own synchronisation orders.
void AutoSync::follow(const isa::TimedOp& op) {
    if (op.kind == isa::OpKind::barrier_all || op.kind == isa::OpKind::sync_all) {
        complete_all();
    } else if (op.kind == isa::OpKind::barrier && op.pipe == Pipe::vector) {
        order_of(vector, vector).known = number_;
    } else if (op.kind == isa::OpKind::set_flag || op.kind == isa::OpKind::wait_flag) {
        const std::optional<Unit> source = unit_of(static_cast<Pipe>(op.a));
        const std::optional<Unit> destination = unit_of(static_cast<Pipe>(op.b));
        if (!source || !destination || !is_pair(*source, *destination)) {
            return;
        }
        Order& order = order_of(*source, *destination);
        if (op.kind == isa::OpKind::set_flag) {
            order.raised.emplace_back(op.id, number_);
            return;
        }
        const auto raise = std::ranges::find(order.raised, op.id, [](const auto& one) { return one.first; });
        if (raise != order.raised.end()) {
            order.known = std::max(order.known, raise->second);
            order.raised.erase(raise);
        }
    }
}

void AutoSync::complete_all() {
    for (Order& order : orders_) {
        order.known = number_;
    }
}

/// Inserts what the instruction needs: barriers first, as the compiler does.
void AutoSync::order(const isa::TimedOp& op, const isa::Accesses& accesses, Unit unit) {
    // An element taken as tensor(i) has no place of its own: the instruction before is nearest.
    const Site site = op.site.line == 0 ? site_ : isa::CorePort::current().kernel_line(op.site);
    site_ = site;
    for (const Unit source : {vector, scalar, mte2, mte3}) {
        if (!is_pair(source, unit)) {
            continue;
        }
        if (const std::optional<Need> need = need_of(source, unit, accesses)) {
            insert(*need, site);
        }
    }
}

std::optional<AutoSync::Need> AutoSync::need_of(Unit source,
                                                Unit destination,
                                                const isa::Accesses& accesses) {
    const History& earlier = histories_[source];
    Order& order = order_of(source, destination);
    if (last_[source] <= order.inserted) {
        return std::nullopt;  // it has done nothing since
    }
    const auto depends = [&](bool on_writes, std::uint32_t known) {
        return std::ranges::any_of(accesses, [&](const isa::Access& access) {
            return counts(destination, access) && (on_writes || access.write) &&
                   conflicts(earlier, access, on_writes, known);
        });
    };
    const auto any = [&](std::uint32_t known) { return depends(true, known) || depends(false, known); };
    if (!any(order.inserted)) {
        return std::nullopt;
    }
    if (last_[source] <= order.known || !any(order.known)) {
        order.inserted = order.known;
        ++repeated_;
        return std::nullopt;
    }
    // Instructions of one pipe start in order, and a scalar read is over when the next instruction is issued:
    // a write behind a read needs nothing there.
    const bool keeps_reads = source == scalar || source == destination;
    return Need{
        .source = source, .destination = destination, .spare = keeps_reads && !depends(true, order.known)};
}

bool AutoSync::conflicts(const History& earlier,
                         const isa::Access& access,
                         bool writes,
                         std::uint32_t known) const {
    if (access.memory == Memory::gm) {
        const RecentRanges& ranges = writes ? earlier.global_writes : earlier.global_reads;
        return ranges.touched_since(access.offset, access.offset + access.extent(), known);
    }
    const TouchedBytes& bytes = writes ? earlier.writes : earlier.reads;
    bool found = false;
    for_each_stretch(access, [&](std::uint64_t begin, std::uint64_t end) {
        found = found || bytes.touched_since(begin, end, known);
    });
    return found;
}

void AutoSync::insert(const Need& need, Site site) {
    const Pipe source = pipes[need.source];
    const Pipe destination = pipes[need.destination];
    if (need.source == need.destination) {
        push(isa::inserted_barrier(source, site, need.spare, isa::CorePort::current().chip()));
    } else {
        push(isa::inserted_set(source, destination, site));
        push(isa::inserted_wait(source, destination, site, need.spare));
    }
    Order& order = order_of(need.source, need.destination);
    order.inserted = order.known = number_;
}

void AutoSync::push(const isa::TimedOp& op) {
    if (next_ != nullptr) {
        next_->on_issue(op, {});
    }
    isa::CorePort::current().push(op);
}

void AutoSync::remember(Unit unit, const isa::Accesses& accesses) {
    if (number_ == std::numeric_limits<std::uint32_t>::max()) {
        histories_ = {};  // once in four billion instructions
        last_ = {};
        number_ = 0;
        settle();
    }
    last_[unit] = ++number_;
    History& history = histories_[unit];
    for (const isa::Access& access : accesses) {
        if (!counts(unit, access)) {
            continue;
        }
        if (access.memory == Memory::gm) {
            RecentRanges& ranges = access.write ? history.global_writes : history.global_reads;
            const std::uint32_t settled = order_of(unit, unit == scalar ? mte3 : scalar).known;
            ranges.touch(access.offset, access.offset + access.extent(), number_, settled);
            continue;
        }
        TouchedBytes& bytes = access.write ? history.writes : history.reads;
        bytes.reserve(isa::CorePort::current().local(Memory::ub).size());
        for_each_stretch(access,
                         [&](std::uint64_t begin, std::uint64_t end) { bytes.touch(begin, end, number_); });
    }
}

void AutoSync::settle() {
    for (Order& order : orders_) {
        order.inserted = order.known = number_;
        order.raised.clear();
    }
}

void AutoSync::on_begin() {
    settle();  // what ran on this core before is complete
    by_pointer_ = false;
    if (next_ != nullptr) {
        next_->on_begin();
    }
}

void AutoSync::on_end() {
    if (next_ != nullptr) {
        next_->on_end();
    }
}

void AutoSync::on_launch(std::span<const isa::LaunchCore> cores) {
    if (next_ != nullptr) {
        next_->on_launch(cores);
    }
}

void AutoSync::on_buffer(isa::BufferNotice notice, const isa::Access& range, Site site) {
    if (notice == isa::BufferNotice::pointer) {
        by_pointer_ = true;
    }
    if (next_ != nullptr) {
        next_->on_buffer(notice, range, site);
    }
}

void AutoSync::on_clean(std::uint64_t offset, bool whole) {
    if (next_ != nullptr) {
        next_->on_clean(offset, whole);
    }
}

void AutoSync::on_fault(const isa::OpInfo& info, Site site, std::string_view message, Pipe pipe) {
    if (next_ != nullptr) {
        next_->on_fault(info, site, message, pipe);
    }
}

void AutoSync::on_beyond(const isa::OpInfo& info, Site site, std::string_view message, Pipe pipe) {
    if (next_ != nullptr) {
        next_->on_beyond(info, site, message, pipe);
    }
}

void AutoSync::on_rounded(Site site, Pipe pipe, std::uint64_t asked, std::uint64_t moved) {
    if (next_ != nullptr) {
        next_->on_rounded(site, pipe, asked, moved);
    }
}

isa::PlainRange AutoSync::plain_range(const isa::OpInfo& info,
                                      const isa::Access& access,
                                      std::optional<std::uint64_t> root,
                                      Site site) {
    return next_ != nullptr ? next_->plain_range(info, access, root, site)
                            : isa::AccessObserver::plain_range(info, access, root, site);
}

void AutoSync::on_plain(const isa::OpInfo& info, const isa::Access& access, Site site) {
    if (next_ != nullptr) {
        next_->on_plain(info, access, site);
    }
}

}  // namespace ascendsim
