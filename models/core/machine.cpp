// SPDX-License-Identifier: Apache-2.0
#include "models/core/machine.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/core/machine_parts.hpp"
#include "sim/base/error.hpp"
#include "sim/base/name_ranges.hpp"
#include "sim/engine/clock.hpp"

namespace ascendsim {
namespace {

// A program that polls what a failed one was to write would never end.
constexpr std::uint64_t most_after_failure = 1'000'000;

// Of a program's limit: kernels at hand end before, an endless one is not timed for much longer.
constexpr std::uint64_t first_look = 64;

/// Cores of a deadlock that wait for the same at the same lines.
struct StuckCores {
    std::string waits{};  // a line for each pipe
    std::vector<std::string> titles{};
    std::uint64_t first = ~std::uint64_t{0};  // cycle, of the core that came least far
    std::uint64_t last = 0;

    void add(const std::string& title, std::uint64_t cycle) {
        titles.push_back(title);
        first = std::min(first, cycle);
        last = std::max(last, cycle);
    }

    [[nodiscard]] std::string text() const {
        const std::string cycles =
            first == last ? fmt::format("cycle {}", first) : fmt::format("cycles {} to {}", first, last);
        return fmt::format("{} at {}:\n{}", name_ranges(titles), cycles, waits);
    }
};

}  // namespace

Machine::Machine(const ChipSpec& chip, record::Recorder& recorder, const MachineOptions& options)
    : Machine{nullptr, chip, recorder, options} {}

Machine::Machine(Machine& leader, const MachineOptions& options)
    : Machine{&leader, leader.chip_, leader.recorder_, options} {
    leader.all_.push_back(this);
}

Machine::Machine(Machine* leader,
                 const ChipSpec& chip,
                 record::Recorder& recorder,
                 const MachineOptions& options)
    : chip_{chip},
      recorder_{recorder},
      options_{options},
      leader_{leader == nullptr ? this : leader},
      all_{this},
      memory_{leader == nullptr ? std::make_shared<isa::GlobalMemory>(chip.hbm.bytes) : leader->memory_},
      vector_code_{chip.icache},
      cube_code_{chip.icache},
      top_{std::make_unique<Top>(
          leader == nullptr ? "chip" : fmt::format("chip{}", leader->all_.size()).c_str(), chip)},
      next_look_{options.limits.instructions / first_look} {
    // Stopping is how a failed run ends; standard output is for reports.
    sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    top_->machine = this;
    build_cores();
}

Machine::~Machine() = default;

L2Cache& Machine::l2() {
    return top_->memory.l2();
}

void Machine::warm_stacks() {
    l2().warm(ReservedMemory{chip_}.stacks(), top_->cores.size() * ReservedMemory::stack_bytes);
}

void Machine::build_cores() {
    for (std::uint32_t aic = 0; aic < chip_.cores.aic; ++aic) {
        add_core(chip_.cores.split ? CoreKind::aic : CoreKind::coupled, aic, aic);
        for (std::uint32_t sub = 0; chip_.cores.split && sub < chip_.cores.aiv_per_aic; ++sub) {
            const std::uint32_t index = aic * chip_.cores.aiv_per_aic + sub;
            if (index < chip_.cores.aiv) {
                add_core(CoreKind::aiv, index, aic);
            }
        }
    }
    bindings_.resize(top_->cores.size());
}

void Machine::add_core(CoreKind kind, std::uint32_t index, std::uint32_t group) {
    const auto number = static_cast<std::uint32_t>(top_->cores.size());
    (kind == CoreKind::aiv ? vector_core_ : cube_core_).push_back(number);
    const std::string chip = leader_ == this ? "" : fmt::format("chip{}_", leader_->all_.size());
    const std::string module_name = fmt::format("{}core{}", chip, number);
    top_->cores.push_back(std::make_unique<AiCore>(
        module_name.c_str(),
        chip_,
        *memory_,
        recorder_,
        static_cast<CoreHost&>(*this),
        AiCore::Place{.number = number, .index = index, .group = group, .kind = kind}));
    AiCore& core = *top_->cores.back();
    core.port.bind(top_->memory.ports);
    core.set_functional(options_.functional);
    core.set_observer(options_.observer);
    if (options_.time_order) {
        core.order_effects();
    }
    if (options_.timing.number != 0) {
        core.delay_effects(options_.timing);
    }
    if (options_.auto_sync) {
        core.insert_synchronisation();
    }
    core.set_framework_folder(options_.framework_folder);
    core.set_limits(options_.limits);
    const record::TrackPath track = options_.track / record::TrackSegment{record::TrackKind::group, group} /
                                    record::TrackSegment{record::TrackKind::core, core.title()};
    std::array<std::uint32_t, pipe_count> lanes{};
    for (std::size_t p = 0; p < pipe_count; ++p) {
        const auto pipe = static_cast<Pipe>(p);
        const bool cube_side = pipe == Pipe::cube || pipe == Pipe::mte1 || pipe == Pipe::fixpipe;
        const bool lacks =
            (kind == CoreKind::aiv && cube_side) || (kind == CoreKind::aic && pipe == Pipe::vector);
        lanes[p] = lacks ? record::SpanId::no_lane
                         : recorder_.lane(track / record::TrackSegment{record::TrackKind::pipe, name(pipe)});
    }
    const std::uint32_t scalar = lanes[static_cast<std::size_t>(Pipe::scalar)];
    core.timeline().attach(lanes, recorder_.core_index(scalar).value());
    if (options_.cold_code && chip_.icache.bytes != 0) {
        core.timeline().cache_code(kind == CoreKind::aic ? cube_code_ : vector_code_);
    } else {
        core.hold_stack();
    }
}

void Machine::run(const std::function<void(Machine&)>& host) {
    top_->host = [&] { host(*this); };
    sc_core::sc_start();
    const auto held = [](const Machine* machine) { return machine->held_ != 0; };
    if (!error_ && !top_->finished && std::ranges::any_of(all_, held)) {
        // Somebody waits for what a program held back would issue, in a way that starves() does not see.
        for (Machine* machine : all_) {
            machine->unbounded_ = true;
            machine->resume_held_programs();
        }
        sc_core::sc_start();
    }
    if (error_) {
        note_unfinished();
        rethrow();
    }
    if (!top_->finished) {
        note_unfinished();
        if (error_) {
            rethrow();  // more sets of a flag than it counts
        }
        std::string waits;
        for (std::size_t device = 0; device < all_.size(); ++device) {
            const std::string stuck = all_[device]->deadlock();
            waits +=
                all_.size() > 1 && !stuck.empty() ? fmt::format("device {}:\n{}\n", device, stuck) : stuck;
        }
        waits.resize(waits.find_last_not_of('\n') + 1);
        throw Deadlock{"deadlock: no program and no pipe can go on\n{}", waits};
    }
}

/// Lets those who watch the recording grow see every lane: whenever the run has doubled, as short chunks cost
/// time. Counted in instructions, so that the same run gives the same recording.
void Machine::send() {
    recorder_.send();
    next_send_ = 2 * instructions_;
}

void Machine::fail(std::exception_ptr error) {
    Machine& lead = *leader_;
    if (lead.error_) {
        return;
    }
    lead.error_ = std::move(error);
    lead.failed_ = this;
    for (Machine* machine : lead.all_) {
        machine->last_instructions_ = machine->instructions_ + most_after_failure;
    }
    try {
        std::rethrow_exception(lead.error_);
    } catch (const ProgramError&) {
        // The simulation ends by itself when nothing is left to time.
    } catch (...) {
        sc_core::sc_stop();
    }
}

/// A kernel's fault gets its cycle now that what came before has been timed.
void Machine::rethrow() const {
    try {
        std::rethrow_exception(error_);
    } catch (const KernelFault& fault) {
        throw fault.at(failed_->top_->cores[fault.core()]->timeline().scalar_time());
    }
}

bool Machine::settled() const {
    return std::ranges::all_of(
        top_->cores, [](const std::unique_ptr<AiCore>& core) { return !core->failed() || core->settled(); });
}

bool Machine::stopped() const {
    return leader_->error_ &&
           (instructions_ > last_instructions_ ||
            std::ranges::all_of(leader_->all_, [](const Machine* machine) { return machine->settled(); }));
}

void Machine::end_host() {
    top_->finished = true;
    sc_core::sc_stop();
    for (;;) {
        sc_core::wait();
    }
}

void Machine::pause(std::uint64_t cycles) {
    now_ = std::max(now_, now_cycles()) + cycles;
}

void Machine::cross_arrive(
    std::uint32_t core, std::uint32_t mode, std::uint32_t id, Raise arrival, Site site) {
    const Binding& binding = bindings_[core];
    Running& launch = *binding.launch;
    for (const std::uint32_t member : launch.times->set(binding.member, mode, id, arrival, site)) {
        if (const std::optional<std::uint32_t> to = launch.members[member].core) {
            pokes_.push_back(*to);
        }
    }
    fail_at_overflow(launch);
    flush_pokes();
}

void Machine::flush_pokes() {
    if (poking_) {
        return;
    }
    poking_ = true;
    while (!pokes_.empty()) {
        const std::uint32_t core = pokes_.back();
        pokes_.pop_back();
        top_->cores[core]->timeline().wake();
        top_->cores[core]->advance();
    }
    poking_ = false;
}

std::optional<Raise> Machine::cross_take(std::uint32_t core,
                                         std::uint32_t mode,
                                         std::uint32_t id,
                                         std::uint64_t now) {
    const Binding& binding = bindings_[core];
    const std::optional<Raise> raise = binding.launch->times->take(binding.member, mode, id, now);
    fail_at_overflow(*binding.launch);
    return raise;
}

void Machine::fail_at_overflow(const Running& launch) {
    const std::optional<CrossFlags::Overflow>& found = launch.times->overflow();
    if (!found || leader_->error_) {
        return;
    }
    const auto core_of = [&](std::uint32_t member) -> const AiCore& {
        return *top_->cores[launch.members[member].core.value()];
    };
    const AiCore& setter = core_of(found->setter);
    const Running::Member& waiter = launch.members[found->waiter];
    const std::uint32_t most = chip_.sync.cross_flag_max;
    const std::string words =
        fmt::format("cross-core flag {} of {} is set {} times without a wait; its counter holds {}",
                    found->id,
                    waiter.core ? core_of(found->waiter).title() : "a core that has not started",
                    most + 1,
                    most);
    if (options_.observer != nullptr) {
        static constexpr isa::OpInfo info{"cross_core_set_flag", "Raises a flag for other cores."};
        options_.observer->on_late_fault(setter, info, found->site, words, Pipe::scalar);
    }
    fail(std::make_exception_ptr(ProgramError{"{} (block {}): cross_core_set_flag at {}:{}, cycle {}: {}",
                                              setter.title(),
                                              setter.identity().block,
                                              found->site.file,
                                              found->site.line,
                                              found->time,
                                              words}));
}

std::optional<std::uint64_t> Machine::cross_earliest(std::uint32_t core,
                                                     std::uint32_t mode,
                                                     std::uint32_t id) const {
    const Binding& binding = bindings_[core];
    return binding.launch->times->earliest(binding.member, mode, id);
}

void Machine::program_arrive(std::uint32_t core, std::uint32_t mode, std::uint32_t id) {
    const Binding& binding = bindings_[core];
    for (const std::uint32_t member : binding.launch->programs->set(binding.member, mode, id, {})) {
        if (const std::optional<std::uint32_t> to = binding.launch->members[member].core) {
            top_->cores[*to]->program_wake();
        }
    }
}

bool Machine::program_take(std::uint32_t core, std::uint32_t mode, std::uint32_t id) {
    const Binding& binding = bindings_[core];
    return binding.launch->programs->take(binding.member, mode, id).has_value();
}

bool Machine::programs_starve() const {
    return unbounded_ ||
           std::ranges::any_of(seated_, [&](std::uint32_t core) { return top_->cores[core]->starves(); });
}

void Machine::land_effects() {
    if (options_.timing.number == 0) {
        return;
    }
    for (const auto& core : top_->cores) {
        core->land_effects();
    }
}

void Machine::resume_held_programs() {
    if (held_ == 0) {
        return;
    }
    for (const std::uint32_t core : seated_) {
        top_->cores[core]->lift();
    }
}

void Machine::add_totals(MachineTotals& totals, InsertedCosts& inserted, ConflictPlaces& conflicts) const {
    totals.instructions += instructions_;
    totals.late_transfers += top_->memory.late_transfers();
    totals.cores_used += cores_used_;
    for (const auto& core : top_->cores) {
        totals.cube_work += core->timeline().cube_work();
        totals.vector_work += core->timeline().vector_work();
        totals.conflict_cycles += core->timeline().conflict_cycles();
        conflicts.add(core->timeline().conflict_places());
        if (const AutoSync* sync = core->auto_sync()) {
            inserted.add(core->timeline().inserted());
            totals.repeated_sync += sync->repeated();
        }
    }
}

MachineTotals Machine::totals() const {
    MachineTotals totals{.cycles = launches_.empty() ? now_ : launches_.back().end,  // the last to end
                         .launches = launches_};
    InsertedCosts inserted;
    ConflictPlaces conflicts;
    for (const Machine* machine : all_) {
        machine->add_totals(totals, inserted, conflicts);
    }
    totals.conflicts = conflicts.list();
    totals.inserted = inserted.list();
    return totals;
}

void Machine::forget_inserted() {
    for (const auto& core : top_->cores) {
        core->timeline().forget_inserted();
        if (AutoSync* sync = core->auto_sync()) {
            sync->forget_repeated();
        }
    }
}

std::string Machine::deadlock() const {
    std::vector<StuckCores> groups;
    for (const auto& core : top_->cores) {
        std::string waits = core->timeline().stuck();
        if (!core->program_stuck().empty()) {
            waits += fmt::format("  program  waits for {}\n", core->program_stuck());
        }
        if (!core->busy() || waits.empty()) {
            continue;
        }
        auto group = std::ranges::find(groups, waits, &StuckCores::waits);
        if (group == groups.end()) {
            group = groups.insert(groups.end(), {.waits = std::move(waits)});
        }
        group->add(core->title(), core->timeline().complete());
    }
    std::string text;
    for (const StuckCores& group : groups) {
        text += group.text();
    }
    text.resize(text.find_last_not_of('\n') + 1);
    return text;
}

std::string Machine::running_place() const {
    for (const Machine* machine : all_) {
        for (const auto& core : machine->top_->cores) {
            if (isa::CorePort::running() && &isa::CorePort::current() == core.get()) {
                const Site site = core->last_site();
                return fmt::format("{} (block {}), after {}:{}",
                                   core->title(),
                                   core->identity().block,
                                   site.file,
                                   site.line);
            }
        }
    }
    return "no core";
}

KernelFault Machine::running_fault(const std::string& place, std::string_view message) const {
    const auto runs = [](const std::unique_ptr<AiCore>& core) {
        return &isa::CorePort::current() == core.get();
    };
    for (const Machine* machine : all_) {
        const auto core = std::ranges::find_if(machine->top_->cores, runs);
        if (core != machine->top_->cores.end()) {
            return {(*core)->place().number, place, message};
        }
    }
    throw std::logic_error{"no core runs"};
}

}  // namespace ascendsim
