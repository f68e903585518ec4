// SPDX-License-Identifier: Apache-2.0
#include "runtime/ranks/kernel_exchanges.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/core/machine.hpp"
#include "runtime/ranks/kernel_exchange_data.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::runtime {
namespace {

std::string line_of(Site site) {
    const std::string_view file{site.file};
    return fmt::format("{}:{}", file.substr(file.find_last_of('/') + 1), site.line);
}

}  // namespace

/// The end of one device.
class KernelExchanges::Server final : public isa::ExchangeServer {
public:
    Server(KernelExchanges& all, std::uint32_t device) : all_{all}, device_{device} {}

    [[nodiscard]] std::byte* context(std::uint32_t index) const override {
        for (const auto& [number, group] : all_.groups_) {
            for (const auto& rank : group.ranks) {
                if (rank && rank->device == device_ && index-- == 0) {
                    return rank->context;
                }
            }
        }
        return nullptr;
    }

    [[nodiscard]] std::optional<isa::ExchangeRank> rank_of(const std::byte* context) const override {
        const Rank* rank = all_.find(device_, context);
        return rank == nullptr ? std::nullopt : std::optional{rank->number};
    }

    [[nodiscard]] std::uint32_t first_task(const std::byte* context) const override {
        return rank(context).first_task;
    }

    std::string prepare(const std::byte* context,
                        const char* call,
                        const isa::KernelExchange& what,
                        Site site) override {
        if (what.kind == isa::KernelExchange::Kind::all_to_all_v &&
            !all_.timeline_.node().collective.kernel_all_to_all_v) {
            return "this node does not have it (collective.kernel_all_to_all_v): it is documented for Atlas "
                   "A3, AlltoAll for both";
        }
        Rank& of = rank(context);
        if (of.tasks.size() - of.first_task == isa::most_exchange_tasks) {
            return fmt::format(
                "a communicator takes {} tasks of a kernel; give them more rounds each (repeat)",
                isa::most_exchange_tasks);
        }
        of.tasks.push_back(task_of(what, call, site));
        return {};
    }

    [[nodiscard]] const isa::KernelExchange* task(const std::byte* context,
                                                  std::uint32_t task) const override {
        const Rank& of = rank(context);
        return task < of.tasks.size() ? &of.tasks[task].what : nullptr;
    }

    [[nodiscard]] std::uint32_t committed(const std::byte* context, std::uint32_t task) const override {
        return rank(context).tasks.at(task).committed;
    }

    void commit(const std::byte* context, std::uint32_t task, std::uint64_t cycle) override {
        all_.commit(rank(context), task, cycle);
    }

    [[nodiscard]] std::uint32_t finished(const std::byte* context, std::uint32_t task) const override {
        const Rank& of = rank(context);
        return task < of.tasks.size() ? static_cast<std::uint32_t>(of.tasks[task].ends.size()) : 0;
    }

    [[nodiscard]] std::optional<std::uint64_t> end_of(const std::byte* context,
                                                      std::uint32_t task,
                                                      std::uint32_t round) const override {
        return round < finished(context, task) ? std::optional{rank(context).tasks[task].ends[round]}
                                               : std::nullopt;
    }

    [[nodiscard]] std::string why_not(const std::byte* context,
                                      std::uint32_t task,
                                      std::uint32_t round) const override {
        return all_.why_not(rank(context), task, round);
    }

    void finalise(const std::byte* context) override { rank(context).finalised = true; }

    void launch_begins() override {
        for (auto& [number, group] : all_.groups_) {
            for (auto& of : group.ranks) {
                if (of && of->device == device_ && std::exchange(of->finalised, false)) {
                    of->first_task = static_cast<std::uint32_t>(of->tasks.size());
                }
            }
        }
    }

private:
    [[nodiscard]] Rank& rank(const std::byte* context) const {
        Rank* rank = all_.find(device_, context);
        check(rank != nullptr, "a context that init() has not seen");
        return *rank;
    }

    KernelExchanges& all_;
    std::uint32_t device_;
};

KernelExchanges::KernelExchanges(node::HostTimeline& timeline, ProgramDevices& devices)
    : timeline_{timeline}, devices_{devices} {}

KernelExchanges::~KernelExchanges() = default;

void KernelExchanges::serve(bool functional, Written written) {
    functional_ = functional;
    written_ = std::move(written);
    for (std::size_t device = 0; device < devices_.machines().size(); ++device) {
        servers_.push_back(std::make_unique<Server>(*this, static_cast<std::uint32_t>(device)));
        devices_.machines()[device]->serve_exchanges(*servers_.back());
    }
}

void KernelExchanges::expose(program::GroupNumber group,
                             isa::ExchangeRank number,
                             std::uint32_t device,
                             node::StreamId stream,
                             std::byte* context) {
    Group& of = groups_[group];
    of.ranks.resize(number.size);
    of.ranks.at(number.rank) = std::make_unique<Rank>(
        Rank{.number = number, .device = device, .stream = stream, .context = context});
    group_of_[of.ranks[number.rank].get()] = group;
}

std::byte* KernelExchanges::context_of(program::GroupNumber group, std::uint32_t rank) const {
    const auto known = groups_.find(group);
    return known == groups_.end() || !known->second.ranks.at(rank) ? nullptr
                                                                   : known->second.ranks[rank]->context;
}

KernelExchanges::Rank* KernelExchanges::find(std::uint32_t device, const std::byte* context) const {
    for (const auto& [number, group] : groups_) {
        for (const auto& rank : group.ranks) {
            if (rank && rank->device == device && rank->context == context) {
                return rank.get();
            }
        }
    }
    return nullptr;
}

KernelExchanges::Group& KernelExchanges::group_of(const Rank& rank) {
    return groups_.at(group_of_.at(&rank));
}

KernelExchanges::Task KernelExchanges::task_of(const isa::KernelExchange& what, const char* call, Site site) {
    return {.what = what, .agreed = agreed_words(what), .call = {call, line_of(site)}};
}

void KernelExchanges::commit(Rank& rank, std::uint32_t task, std::uint64_t cycle) {
    ++rank.tasks[task].committed;
    devices_.at_cycle(cycle, [this, &rank, task](node::Picoseconds /*now*/) {
        ++rank.tasks[task].arrived;
        arrive(rank);
    });
}

/// The server takes up what it can, in the order of its tasks.
void KernelExchanges::arrive(Rank& rank) {
    while (rank.next_task < rank.tasks.size()) {
        const Task& task = rank.tasks[rank.next_task];
        if (rank.next_round == task.what.rounds) {
            ++rank.next_task;
            rank.next_round = 0;
            continue;
        }
        if (rank.next_round == task.arrived) {
            return;
        }
        meet(group_of(rank), rank);
        ++rank.next_round;
    }
}

void KernelExchanges::meet(Group& group, Rank& rank) {
    const std::uint64_t turn = rank.turns++;
    std::vector<std::optional<Seat>>& seats = group.meetings[turn];
    seats.resize(group.ranks.size());
    const Task& task = rank.tasks[rank.next_task];
    for (std::size_t other = 0; other < seats.size(); ++other) {
        const Task* theirs = seats[other] ? &group.ranks[other]->tasks[seats[other]->task] : nullptr;
        if (theirs != nullptr && theirs->agreed != task.agreed) {
            throw ProgramError{
                "kernels of one communicator ask for different collectives: rank {} at {}: {}; rank {} at "
                "{}: {}",
                other,
                theirs->call.where,
                theirs->agreed,
                rank.number.rank,
                task.call.where,
                task.agreed};
        }
    }
    seats[rank.number.rank] = Seat{.task = rank.next_task,
                                   .round = rank.next_round,
                                   .arrived = timeline_.arrive(rank.stream, task.call)};
    if (std::ranges::all_of(seats, [](const auto& seat) { return bool{seat}; })) {
        conclude(group, seats);
        group.meetings.erase(turn);
    }
}

/// All ranks have come: puts the round on the timeline.
void KernelExchanges::conclude(const Group& group, const std::vector<std::optional<Seat>>& seats) {
    std::vector<node::HostTimeline::Rank> ranks;
    std::vector<RoundPart> parts;
    std::vector<Seat> all;
    node::Collective what;
    for (std::size_t i = 0; i < seats.size(); ++i) {
        Rank& rank = *group.ranks[i];
        const Seat& seat = *seats[i];
        ranks.push_back(
            {.stream = rank.stream,
             .issued = {.epoch = seat.arrived.epoch, .task = {}, .call = seat.arrived.call},
             .arrived = seat.arrived,
             .ended = [this, &rank, task = seat.task](node::Picoseconds now) { end(rank, task, now); }});
        parts.push_back({&rank.tasks[seat.task].what, seat.round});
        all.push_back(seat);
    }
    what = collective_of(parts);
    for (const auto& rank : group.ranks) {
        what.ranks.push_back(rank->device);
    }
    // The server of a device copies by its engines, whatever the size.
    node::Collective large = what;
    large.bytes = std::numeric_limits<std::uint64_t>::max();
    what.algorithm = node::algorithm_of(timeline_.node(), large);
    timeline_.collective(ranks, what, [this, &group, all] { move(group, all); });
}

void KernelExchanges::move(const Group& group, const std::vector<Seat>& seats) const {
    std::vector<RoundPart> parts;
    for (std::size_t i = 0; i < seats.size(); ++i) {
        parts.push_back({&group.ranks[i]->tasks[seats[i].task].what, seats[i].round});
    }
    if (functional_) {
        move_round(parts);
    }
    const isa::GlobalMemory& memory = devices_.machines().front()->memory();
    for (std::size_t i = 0; i < parts.size() && functional_; ++i) {
        const isa::KernelExchange& what = *parts[i].what;
        written_(memory.offset_of(what.receive) + parts[i].round * isa::round_pitch(what),
                 isa::receive_bytes(what, static_cast<std::uint32_t>(parts.size())));
    }
}

/// A rank has its result: its kernel sees it a little later.
void KernelExchanges::end(Rank& rank, std::uint32_t task, node::Picoseconds now) {
    const double us = timeline_.node().collective.kernel_us;
    rank.tasks[task].ends.push_back(devices_.cycle_of(now + node::picoseconds(us)));
    devices_.exchange_moved(rank.device);
}

std::string KernelExchanges::why_not(const Rank& rank, std::uint32_t task, std::uint32_t round) const {
    if (task >= rank.tasks.size()) {
        return "nothing was prepared under this handle";
    }
    const Task& of = rank.tasks[task];
    const std::string what = fmt::format("round {} of {} ({})", round, of.agreed, of.call.where);
    if (of.committed <= round) {
        return fmt::format("{}, which rank {} itself has not committed", what, rank.number.rank);
    }
    std::uint64_t turn = round;  // of this round, counted over all tasks
    for (std::uint32_t before = 0; before < task; ++before) {
        turn += rank.tasks[before].what.rounds;
    }
    std::vector<std::size_t> absent;
    const Group& group = groups_.at(group_of_.at(&rank));
    for (std::size_t other = 0; other < group.ranks.size(); ++other) {
        if (!group.ranks[other] || group.ranks[other]->turns <= turn) {
            absent.push_back(other);
        }
    }
    return absent.empty() ? what + ", which is under way"
                          : fmt::format("{} for rank{} {}, which {} not committed it",
                                        what,
                                        absent.size() == 1 ? "" : "s",
                                        fmt::join(absent, ", "),
                                        absent.size() == 1 ? "has" : "have");
}

std::string KernelExchanges::left() const {
    for (const auto& [number, group] : groups_) {
        for (const auto& rank : group.ranks) {
            for (std::size_t task = 0; rank && task < rank->tasks.size(); ++task) {
                const Task& of = rank->tasks[task];
                if (of.ends.size() < of.committed) {
                    return fmt::format("a kernel ended while its communication was still to come: {}",
                                       why_not(*rank,
                                               static_cast<std::uint32_t>(task),
                                               static_cast<std::uint32_t>(of.ends.size())));
                }
            }
        }
    }
    return {};
}

}  // namespace ascendsim::runtime
