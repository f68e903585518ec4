// SPDX-License-Identifier: Apache-2.0
#include "models/core/machine.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

#include <nlohmann/json.hpp>

#include "sim/base/error.hpp"
#include "sim/engine/clock.hpp"

namespace ascendsim {

namespace {

// B; a program's own main may run there. Pages that nobody touches cost nothing.
constexpr std::size_t host_stack = 64 * 1024 * 1024;

}  // namespace

/// The SystemC modules, and the thread that is the host program.
struct Machine::Top : sc_core::sc_module {
    Top(const sc_core::sc_module_name& module_name, const ChipSpec& chip)
        : sc_module{module_name}, memory{"memory", chip} {
        SC_HAS_PROCESS(Top);
        SC_THREAD(run);
        set_stack_size(host_stack);
    }

    void run() {
        try {
            host();
        } catch (...) {
            machine->fail(std::current_exception());
        }
        finished = true;
    }

    MemorySystem memory;
    std::vector<std::unique_ptr<AiCore>> cores;
    sc_core::sc_event launch_done;
    std::function<void()> host;
    Machine* machine = nullptr;
    bool finished = false;
};

/// The blocks a core runs in this launch, in order.
struct Machine::Assignment {
    std::deque<isa::CoreIdentity> blocks;
    Program program;
    std::uint32_t argument_bytes = 0;
    std::uint64_t end = 0;
    bool used = false;
};

Machine::Machine(const ChipSpec& chip, record::Recorder& recorder, const MachineOptions& options)
    : chip_{chip},
      recorder_{recorder},
      options_{options},
      memory_{chip.hbm.bytes},
      vector_code_{chip.icache},
      cube_code_{chip.icache},
      top_{std::make_unique<Top>("chip", chip)} {
    // Stopping is how a failed run ends; standard output is for reports.
    sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    top_->machine = this;
    build_cores();
}

Machine::~Machine() = default;

L2Cache& Machine::l2() {
    return top_->memory.l2();
}

void Machine::build_cores() {
    const auto add = [&](CoreKind kind, std::uint32_t index, std::uint32_t group) {
        const auto number = static_cast<std::uint32_t>(top_->cores.size());
        const std::string module_name = fmt::format("core{}", number);
        top_->cores.push_back(std::make_unique<AiCore>(
            module_name.c_str(),
            chip_,
            memory_,
            recorder_,
            static_cast<CoreHost&>(*this),
            AiCore::Place{.number = number, .index = index, .group = group, .kind = kind}));
        AiCore& core = *top_->cores.back();
        core.port.bind(top_->memory.ports);
        core.set_functional(options_.functional);
        core.set_observer(options_.observer);
        core.set_limit(options_.instruction_limit);
        std::array<std::uint32_t, pipe_count> lanes{};
        for (std::size_t p = 0; p < pipe_count; ++p) {
            const auto pipe = static_cast<Pipe>(p);
            const bool cube_side = pipe == Pipe::cube || pipe == Pipe::mte1 || pipe == Pipe::fixpipe;
            const bool lacks =
                (kind == CoreKind::aiv && cube_side) || (kind == CoreKind::aic && pipe == Pipe::vector);
            lanes[p] = lacks ? record::SpanId::no_lane
                             : recorder_.lane({.core = core.title(),
                                               .pipe = std::string{name(pipe)},
                                               .core_index = number,
                                               .group = group});
        }
        core.timeline().attach(lanes, number);
        if (options_.cold_code && chip_.icache.bytes != 0) {
            core.timeline().cache_code(kind == CoreKind::aic ? cube_code_ : vector_code_);
        }
    };
    for (std::uint32_t aic = 0; aic < chip_.cores.aic; ++aic) {
        add(chip_.cores.split ? CoreKind::aic : CoreKind::coupled, aic, aic);
        for (std::uint32_t sub = 0; chip_.cores.split && sub < chip_.cores.aiv_per_aic; ++sub) {
            const std::uint32_t index = aic * chip_.cores.aiv_per_aic + sub;
            if (index < chip_.cores.aiv) {
                add(CoreKind::aiv, index, aic);
            }
        }
    }
    assignments_.resize(top_->cores.size());
}

void Machine::run(const std::function<void(Machine&)>& host) {
    top_->host = [&] { host(*this); };
    sc_core::sc_start();
    if (!error_ && !top_->finished && held_ != 0) {
        // Somebody waits for what a program held back would issue, in a way that starves() does not see.
        unbounded_ = true;
        feed();
        sc_core::sc_start();
    }
    if (error_) {
        std::rethrow_exception(error_);
    }
    if (!top_->finished) {
        throw ProgramError{"deadlock: no program and no pipe can go on\n{}", deadlock()};
    }
}

void Machine::fail(std::exception_ptr error) {
    if (!error_) {
        error_ = std::move(error);
        sc_core::sc_stop();
    }
}

std::uint64_t Machine::head_cycles(const Launch& launch, std::uint32_t cores) const {
    if (!options_.launch_overhead) {
        return 0;
    }
    const LaunchSpec& spec = chip_.launch;
    const bool mixed = launch.kind == LaunchKind::mix_1_1 || launch.kind == LaunchKind::mix_1_2;
    const double us = spec.head_us + spec.per_core_us * (cores - 1) + (mixed ? spec.mix_extra_us : 0) +
                      (options_.from_idle ? spec.idle_us : 0);
    return static_cast<std::uint64_t>(std::llround(us * 1000 * chip_.cores.clock_ghz));
}

void Machine::check_launch(const Launch& launch) const {
    if (launch.blocks == 0) {
        throw UserError{"launch of '{}': 0 blocks", launch.name};
    }
    const bool needs_cube = launch.kind != LaunchKind::aiv;
    const bool needs_vector = launch.kind != LaunchKind::aic;
    if (!chip_.cores.split) {
        return;
    }
    const std::uint32_t ratio = launch.kind == LaunchKind::mix_1_2 ? 2 : 1;
    if (needs_cube && needs_vector && chip_.cores.aiv_per_aic < ratio) {
        throw UserError{"launch of '{}': chip {} has {} vector cores for one cube core, the kernel needs {}",
                        launch.name,
                        chip_.name,
                        chip_.cores.aiv_per_aic,
                        ratio};
    }
}

void Machine::assign(const Launch& launch) {
    const bool coupled = !chip_.cores.split;
    const bool cube = !coupled && launch.kind != LaunchKind::aiv;
    const bool vector = coupled || launch.kind != LaunchKind::aic;
    const bool mixed = cube && vector;
    const std::uint32_t ratio = launch.kind == LaunchKind::mix_1_2 ? 2 : 1;
    std::vector<Participant> participants;
    participant_of_.assign(top_->cores.size(), 0);
    core_of_.clear();
    for (const auto& core : top_->cores) {
        const AiCore::Place& place = core->place();
        auto& assignment = assignments_[place.number];
        assignment = std::make_unique<Assignment>();
        const bool is_vector = place.kind == CoreKind::aiv;
        const std::uint32_t sub = is_vector ? place.index % std::max(1U, chip_.cores.aiv_per_aic) : 0;
        if (!coupled && (is_vector ? !vector || (mixed && sub >= ratio) : !cube)) {
            continue;
        }
        const std::uint32_t first = mixed ? place.group : place.index;
        const std::uint32_t cores = coupled || cube ? chip_.cores.aic : chip_.cores.aiv;
        for (std::uint32_t block = first; block < launch.blocks; block += cores) {
            assignment->blocks.push_back({.core = place.index,
                                          .block = mixed && is_vector ? block * ratio + sub : block,
                                          .block_count = launch.blocks,
                                          .sub_block = mixed && is_vector ? sub : 0,
                                          .sub_blocks = mixed ? ratio : 1,
                                          .task_ratio = mixed ? ratio : 1,
                                          .kind = place.kind});
        }
        assignment->used = !assignment->blocks.empty();
        assignment->argument_bytes = launch.argument_bytes;
        assignment->program = is_vector || coupled ? launch.vector_program : launch.cube_program;
        if (assignment->used) {
            participant_of_[place.number] = static_cast<std::uint32_t>(participants.size());
            core_of_.push_back(place.number);
            participants.push_back({place.kind, place.group, sub});
        }
    }
    times_ = std::make_unique<CrossFlags>(participants);
    programs_ = std::make_unique<CrossFlags>(participants);
    cores_used_ = std::max(cores_used_, static_cast<std::uint32_t>(participants.size()));
}

void Machine::start_block(std::uint32_t core, std::uint64_t cycle) {
    Assignment& assignment = *assignments_[core];
    const isa::CoreIdentity identity = assignment.blocks.front();
    assignment.blocks.pop_front();
    top_->cores[core]->start(identity, cycle, assignment.program, assignment.argument_bytes);
}

void Machine::announce() const {
    if (options_.observer == nullptr) {
        return;
    }
    std::vector<isa::LaunchCore> cores;
    for (const std::uint32_t core : core_of_) {
        const AiCore::Place& place = top_->cores[core]->place();
        cores.push_back({place.kind, place.index, place.group});
    }
    options_.observer->on_launch(cores);
    for (const auto& core : top_->cores) {
        core->forget_times();
    }
}

LaunchOutcome Machine::launch(const Launch& launch) {
    check_launch(launch);
    assign(launch);
    now_ = std::max(now_, now_cycles());
    if (now_ > now_cycles()) {
        sc_core::wait(to_time(now_ - now_cycles()));
    }
    const auto cores = static_cast<std::uint32_t>(core_of_.size());
    LaunchOutcome outcome{.name = launch.name, .start = now_, .cores = cores};
    outcome.first_core = now_ + head_cycles(launch, cores);
    running_blocks_ = cores;
    announce();
    for (const std::uint32_t core : core_of_) {
        top_->cores[core]->timeline().idle_until(outcome.first_core, record::Reason::launch);
        start_block(core, outcome.first_core);
    }
    sc_core::wait(top_->launch_done);
    for (const std::uint32_t core : core_of_) {
        outcome.cores_end = std::max(outcome.cores_end, assignments_[core]->end);
    }
    const double tail = options_.launch_overhead ? chip_.launch.tail_us * 1000 * chip_.cores.clock_ghz : 0;
    outcome.end = outcome.cores_end + static_cast<std::uint64_t>(std::llround(tail));
    for (const auto& core : top_->cores) {
        const bool used = assignments_[core->place().number]->used;
        core->timeline().idle_until(outcome.end, used ? record::Reason::tail : record::Reason::unused);
    }
    now_ = outcome.end;
    recorder_.event({{"kind", "launch"},
                     {"name", launch.name},
                     {"start", outcome.start},
                     {"first_core", outcome.first_core},
                     {"cores_end", outcome.cores_end},
                     {"end", outcome.end},
                     {"cores", outcome.cores},
                     {"blocks", launch.blocks}});
    launches_.push_back(outcome);
    return outcome;
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

void Machine::block_done(std::uint32_t core) {
    Assignment& assignment = *assignments_[core];
    assignment.end = top_->cores[core]->timeline().finish();
    if (!assignment.blocks.empty()) {
        const std::uint64_t next = assignment.end + chip_.launch.block_cycles;
        top_->cores[core]->timeline().idle_until(next, record::Reason::block);
        start_block(core, next);
        return;
    }
    if (--running_blocks_ == 0) {
        top_->launch_done.notify(sc_core::SC_ZERO_TIME);
    }
}

void Machine::cross_arrive(std::uint32_t core, std::uint32_t mode, std::uint32_t id, Raise arrival) {
    for (const std::uint32_t participant : times_->set(participant_of_[core], mode, id, arrival)) {
        pokes_.push_back(core_of_[participant]);
    }
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

std::optional<Raise> Machine::cross_take(std::uint32_t core, std::uint32_t mode, std::uint32_t id) {
    return times_->take(participant_of_[core], mode, id);
}

std::optional<std::uint64_t> Machine::cross_earliest(std::uint32_t core,
                                                     std::uint32_t mode,
                                                     std::uint32_t id) const {
    return times_->earliest(participant_of_[core], mode, id);
}

void Machine::program_arrive(std::uint32_t core, std::uint32_t mode, std::uint32_t id) {
    for (const std::uint32_t participant : programs_->set(participant_of_[core], mode, id, {})) {
        top_->cores[core_of_[participant]]->program_wake();
    }
}

bool Machine::program_take(std::uint32_t core, std::uint32_t mode, std::uint32_t id) {
    return programs_->take(participant_of_[core], mode, id).has_value();
}

bool Machine::programs_starve() const {
    return unbounded_ || std::ranges::any_of(core_of_, [&](std::uint32_t core) { return top_->cores[core]->starves(); });
}

void Machine::feed() {
    if (held_ == 0) {
        return;
    }
    for (const std::uint32_t core : core_of_) {
        top_->cores[core]->lift();
    }
}

MachineTotals Machine::totals() const {
    MachineTotals totals{.cycles = launches_.empty() ? now_ : launches_.back().end,
                         .instructions = instructions_,
                         .late_transfers = top_->memory.late_transfers(),
                         .cores_used = cores_used_,
                         .launches = launches_};
    for (const auto& core : top_->cores) {
        totals.cube_work += core->timeline().cube_work();
        totals.vector_work += core->timeline().vector_work();
        totals.conflict_cycles += core->timeline().conflict_cycles();
    }
    return totals;
}

std::string Machine::deadlock() const {
    std::string text;
    for (const auto& core : top_->cores) {
        const std::string stuck = core->timeline().stuck();
        if (core->busy() && (!stuck.empty() || !core->program_stuck().empty())) {
            text += fmt::format("{} at cycle {}:\n{}", core->title(), core->timeline().complete(), stuck);
            if (!core->program_stuck().empty()) {
                text += fmt::format("  program  waits for {}\n", core->program_stuck());
            }
        }
    }
    return text;
}

std::string Machine::running_place() const {
    for (const auto& core : top_->cores) {
        if (isa::CorePort::running() && &isa::CorePort::current() == core.get()) {
            const Site site = core->last_site();
            return fmt::format(
                "{} (block {}), after {}:{}", core->title(), core->identity().block, site.file, site.line);
        }
    }
    return "no core";
}

}  // namespace ascendsim
