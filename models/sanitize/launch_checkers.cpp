// SPDX-License-Identifier: Apache-2.0
#include "models/sanitize/launch_checkers.hpp"

#include <algorithm>

#include "sim/base/error.hpp"

namespace ascendsim::sanitize {

void LaunchCheckers::add() {
    auto checker = std::make_unique<Checker>(chip_);
    if (!sides_.empty()) {
        for (const auto& [begin, end] : first().unwritten_runs(0, chip_.hbm.bytes)) {
            checker->declare_unwritten(begin, end - begin);
        }
    }
    checker->poison_cores(poison_);
    sides_.push_back({.checker = std::move(checker), .launch = {}});
}

void LaunchCheckers::poison_cores(const Poison& poison) {
    poison_ = std::make_shared<LocalPoison>(poison);
    for (const Side& side : sides_) {
        side.checker->poison_cores(poison_);
    }
}

void LaunchCheckers::declare_unwritten(std::uint64_t offset, std::uint64_t bytes) {
    for (const Side& side : sides_) {
        side.checker->declare_unwritten(offset, bytes);
    }
}

void LaunchCheckers::declare_written(std::uint64_t offset, std::uint64_t bytes) {
    for (const Side& side : sides_) {
        side.checker->declare_written(offset, bytes);
    }
}

void LaunchCheckers::declare_read_only(std::uint64_t offset, std::uint64_t bytes) {
    for (const Side& side : sides_) {
        side.checker->declare_read_only(offset, bytes);
    }
}

LaunchCheckers::Side& LaunchCheckers::side_of(std::uint64_t launch) {
    const auto found = std::ranges::find(sides_, std::optional{launch}, &Side::launch);
    check(found != sides_.end(), "launch {} is not under way", launch);
    return *found;
}

void LaunchCheckers::on_start(std::uint64_t number, std::span<const isa::LaunchCore> cores, bool beside) {
    auto side = std::ranges::find_if(sides_, [](const Side& one) { return !one.launch; });
    if (side == sides_.end()) {
        add();
        side = sides_.end() - 1;
    }
    side->launch = number;
    side->placed = beside;
    side->watched = watched_.erase(number) != 0;
    side->checker->start_launch(cores, beside);
}

void LaunchCheckers::on_place(std::uint64_t number, std::uint32_t member, const isa::CorePort& core) {
    Side& side = side_of(number);
    of_core_[&core] = static_cast<std::size_t>(&side - sides_.data());
    port_ = nullptr;
    if (side.placed) {
        side.checker->place(member, core.identity());
    }
}

void LaunchCheckers::on_done(std::uint64_t number) {
    Side& side = side_of(number);
    side.launch.reset();
    if (side.watched) {
        races_.end(number, *memory_);
    }
    if (sides_.size() > 1) {
        side.checker->launch_ended();  // its cores' next times may be another's
    }
}

void LaunchCheckers::watch(std::uint64_t number, StreamWork work, const isa::GlobalMemory& memory) {
    memory_ = &memory;
    watched_.insert(number);
    races_.begin(number, std::move(work));
}

void LaunchCheckers::note(StreamWork work,
                          std::span<const isa::Access> accesses,
                          const StreamRaces::Place& place,
                          const isa::GlobalMemory& memory) {
    const std::uint64_t id = noted_++;
    races_.begin(id, std::move(work));
    for (const isa::Access& access : accesses) {
        races_.touch(id, access, place);
    }
    races_.end(id, memory);
}

void LaunchCheckers::on_issue(const isa::TimedOp& op, const isa::Accesses& accesses) {
    const Side& mine = side();
    const auto global = [](const isa::Access& access) { return access.memory == Memory::gm; };
    if (mine.watched && std::ranges::any_of(accesses, global)) {
        const Site site = isa::CorePort::current().kernel_line(op.site);
        for (const isa::Access& access : accesses) {
            races_.touch(*mine.launch, access, {op.info->name, site.file, site.line, op.pipe});
        }
    }
    if (sides_.size() > 1) {
        share(mine, accesses);
    }
    mine.checker->on_issue(op, accesses);
}

isa::PlainRange LaunchCheckers::plain_range(const isa::OpInfo& info,
                                            const isa::Access& access,
                                            std::optional<std::uint64_t> root,
                                            Site site) {
    const Side& mine = side();
    isa::PlainRange range = mine.checker->plain_range(info, access, root, site);
    if (mine.watched && !range.noted) {
        range = {access.offset, range.end, true};
    }
    return range;
}

void LaunchCheckers::on_plain(const isa::OpInfo& info, const isa::Access& access, Site site) {
    const Side& mine = side();
    if (mine.watched) {
        const Site place = isa::CorePort::current().kernel_line(site);
        races_.touch(*mine.launch, access, {info.name, place.file, place.line, Pipe::scalar});
    }
    if (sides_.size() > 1) {
        isa::Accesses accesses;
        access.write ? accesses.write(access) : accesses.read(access);
        share(mine, accesses);
    }
    mine.checker->on_plain(info, access, site);
}

/// What one launch writes has a content for all.
void LaunchCheckers::share(const Side& mine, const isa::Accesses& accesses) {
    for (const isa::Access& access : accesses) {
        if (!access.write || access.memory != Memory::gm || access.extent() == 0) {
            continue;
        }
        for (const Side& other : sides_) {
            if (&other != &mine) {
                for_each_run(access, [&](std::uint64_t begin, std::uint64_t end) {
                    other.checker->declare_written(begin, end - begin);
                });
            }
        }
    }
}

void LaunchCheckers::finish(Checker::Ending ending) {
    for (const Side& side : sides_) {
        side.checker->finish(ending);
    }
}

namespace {

/// Whether what is read is not there because nothing orders the read behind the write: that finding comes
/// first.
bool is_of_an_order(const Finding& finding, const std::vector<Finding>& all) {
    const auto causes = [&finding](const Finding& other) {
        const auto here = [&finding](const Party& party) {
            return party.file == finding.later.file && party.line == finding.later.line;
        };
        return (other.kind == Kind::race || other.kind == Kind::core_race) &&
               (here(other.later) || (other.earlier && here(*other.earlier)));
    };
    return finding.kind == Kind::uninitialised_read && std::ranges::any_of(all, causes);
}

}  // namespace

std::vector<Finding> LaunchCheckers::findings() const {
    std::vector<Finding> result;
    for (const Side& side : sides_) {
        for (const Finding& finding : side.checker->findings()) {
            const auto same_place = [](const Party& a, const Party& b) {
                return a.op == b.op && a.file == b.file && a.line == b.line && a.pipe == b.pipe;
            };
            const auto known = std::ranges::find_if(result, [&](const Finding& other) {
                return other.kind == finding.kind && same_place(other.later, finding.later) &&
                       other.later.buffer == finding.later.buffer &&
                       other.earlier.has_value() == finding.earlier.has_value() &&
                       (!finding.earlier || same_place(*other.earlier, *finding.earlier));
            });
            if (&side == &sides_.front() || known == result.end()) {
                result.push_back(finding);
            } else {
                const std::uint64_t count = known->count + finding.count;
                const std::uint64_t cost = known->cost_cycles + finding.cost_cycles;
                const bool stops = known->stops || finding.stops;
                if (is_before(finding.later, known->later)) {
                    *known = finding;
                }
                known->count = count;
                known->cost_cycles = cost;
                known->stops = stops;
            }
        }
    }
    result.insert(result.end(), races_.findings().begin(), races_.findings().end());
    std::stable_partition(result.begin(), result.end(), [all = result](const Finding& finding) {
        return !is_of_an_order(finding, all);
    });
    return result;
}

bool LaunchCheckers::any_error() const {
    return !races_.findings().empty() ||
           std::ranges::any_of(sides_, [](const Side& side) { return side.checker->any_error(); });
}

}  // namespace ascendsim::sanitize
