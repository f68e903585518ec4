// SPDX-License-Identifier: Apache-2.0
#include "models/memory/memory_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/engine/clock.hpp"

namespace ascendsim {
namespace {

constexpr std::uint32_t ub_block = 32;  // B
constexpr double done_bytes = 1e-6;     // far below a byte, far above what rounding leaves

std::array<double, shared_count> shared_capacity(const ChipSpec& chip) {
    const double ghz = chip.cores.clock_ghz;
    std::array<double, shared_count> capacity{};
    capacity[index(Shared::l2)] = capacity[index(Shared::l2_writes)] = chip.l2.gb_per_s / ghz;
    capacity[index(Shared::hbm)] = chip.hbm.gb_per_s * chip.hbm.efficiency / ghz;
    capacity[index(Shared::requests)] = capacity[index(Shared::write_requests)] =
        chip.l2.requests_per_ns / ghz;
    return capacity;
}

/// Rows of a copy that end inside of a block of UB, or of an NZ column in L1: each is handled by itself, even
/// where they follow each other without gaps in global memory [GLU-007, GLU-010, GLU-014; QGEMM-058, -061,
/// -064, -067]. So are the rows of a result that start or end inside of such a block of global memory
/// [GEMM-003].
double padded_rows(const isa::Transfer& transfer) {
    const bool blocks =
        transfer.route == isa::Route::gm_to_ub || transfer.route == isa::Route::gm_to_l1_nd2nz;
    const bool result = transfer.route == isa::Route::l0c_to_gm_nz2nd;
    const bool padded =
        transfer.rows > 1 &&
        ((blocks && transfer.row_bytes % ub_block != 0) ||
         (result && (transfer.offset | transfer.row_bytes | transfer.row_pitch) % ub_block != 0));
    return padded ? double(transfer.rows) * transfer.planes : 0;
}

record::Limiter limiter_of(Shared resource) {
    switch (resource) {
        case Shared::l2:
        case Shared::l2_writes:
            return record::Limiter::l2_bandwidth;
        case Shared::hbm:
            return record::Limiter::hbm_bandwidth;
        case Shared::requests:
        case Shared::write_requests:
            return record::Limiter::request_rate;
    }
    return record::Limiter::none;
}

record::Limiter limiter_of(const Flow& flow) {
    const double total = std::accumulate(flow.held.begin(), flow.held.end(), 0.0);
    const double alone = flow.started - total;  // `started` was turned into a duration by the caller
    const auto most = std::ranges::max_element(flow.held);
    if (*most <= alone || *most <= 0) {
        return flow.own_limiter;
    }
    const auto resource = static_cast<Shared>(most - flow.held.begin());
    if (flow.in_step && resource == Shared::requests) {
        return record::Limiter::same_line;
    }
    return limiter_of(resource);
}

}  // namespace

MemorySystem::MemorySystem(const sc_core::sc_module_name& name, const ChipSpec& chip)
    : sc_module{name},
      ports{"ports"},
      chip_{chip},
      share_{shared_capacity(chip)},
      l2_{chip.l2,
          chip.hbm.bytes,
          double(chip.cores.aiv) / share_.capacity(Shared::hbm),
          chip.hbm.read_latency} {
    SC_HAS_PROCESS(MemorySystem);
    ports.register_nb_transport_fw(this, &MemorySystem::receive);
    SC_METHOD(advance);
    sensitive << wake_;
    dont_initialize();
}

tlm::tlm_sync_enum MemorySystem::receive(int port,
                                         tlm::tlm_generic_payload& payload,
                                         tlm::tlm_phase& /*phase*/,
                                         sc_core::sc_time& /*delay*/) {
    auto* request = payload.get_extension<MemoryRequest>();
    const std::uint64_t now = now_cycles();
    if (request->begin < now) {
        ++late_;
        request->begin = now;
    }
    pending_.push({request->begin, order_++, request, &payload, port});
    if (!advancing_ && (!next_wake_ || request->begin < *next_wake_)) {
        next_wake_ = request->begin;
        wake_.cancel();
        wake_.notify(to_time(request->begin - now));
    }
    return tlm::TLM_ACCEPTED;
}

void MemorySystem::advance() {
    advancing_ = true;
    const std::uint64_t now = now_cycles();
    move(static_cast<double>(now) - moved_until_);
    moved_until_ = static_cast<double>(now);
    bool changed = false;
    for (bool again = true; again;) {
        again = finish(now);
        again = admit(now) || again;
        changed = changed || again;
    }
    if (changed) {
        flows_.clear();
        for (const auto& active : active_) {
            flows_.push_back(&active->flow);
        }
        share_.divide(flows_);
    }
    advancing_ = false;
    schedule(now);
}

void MemorySystem::move(double cycles) {
    if (cycles <= 0) {
        return;
    }
    double idle = share_.capacity(Shared::hbm);  // B/cycle of global memory that nobody else takes
    for (const auto& active : active_) {
        Flow& flow = active->flow;
        idle -= flow.rate * flow.demand[index(Shared::hbm)];
        flow.remaining -= flow.rate * cycles;
        if (flow.held_by < shared_count) {
            flow.held[flow.held_by] += cycles;
        }
        done_ = done_ || flow.remaining <= done_bytes;
    }
    const double drained = std::min(write_back_, std::max(0.0, idle) * cycles);
    write_back_ -= drained;
    traffic_.pass(cycles, 1 - (std::max(0.0, idle) - drained / cycles) / share_.capacity(Shared::hbm));
}

bool MemorySystem::finish(std::uint64_t now) {
    if (!std::exchange(done_, false)) {
        return false;
    }
    bool any = false;
    for (std::size_t i = 0; i < active_.size();) {
        if (active_[i]->flow.remaining > done_bytes) {
            ++i;
            continue;
        }
        std::unique_ptr<Active> done = std::move(active_[i]);
        active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(i));
        respond(*done, now);
        spare_.push_back(std::move(done));
        any = true;
    }
    return any;
}

void MemorySystem::respond(const Active& active, std::uint64_t now) {
    note_issued(active, now);
    TransferResult& result = active.request->result;
    Flow flow = active.flow;
    flow.started = static_cast<double>(now) - flow.started;
    result.issued = now;
    result.complete = now + active.latency;
    result.limiter = limiter_of(flow);
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    ports[active.port]->nb_transport_bw(*active.payload, phase, delay);
}

bool MemorySystem::admit(std::uint64_t now) {
    bool any = false;
    while (!pending_.empty() && pending_.top().begin <= now) {
        const Pending pending = pending_.top();
        pending_.pop();
        begin_flow(pending, now);
        any = true;
    }
    return any;
}

void MemorySystem::begin_flow(const Pending& pending, std::uint64_t now) {
    MemoryRequest& request = *pending.request;
    const isa::Transfer& transfer = request.transfer;
    const bool converts = transfer.route == isa::Route::l0c_to_gm_nz2nd;
    const std::uint32_t largest = converts ? chip_.fixpipe.max_request : chip_.port.max_request;
    const RequestShape shape = cut(transfer, chip_.port, largest, chip_.l2.line);
    const L2Outcome outcome = l2_.access(transfer, request.core, now);
    if (spare_.empty()) {
        spare_.push_back(std::make_unique<Active>());
    }
    std::unique_ptr<Active> active = std::move(spare_.back());
    spare_.pop_back();
    *active = Active{.flow = {}, .request = &request, .payload = pending.payload, .port = pending.port};
    active->flow.started = static_cast<double>(now);
    request.result = {.requests = static_cast<std::uint32_t>(shape.requests),
                      .l2_hit_bytes = outcome.hit_bytes,
                      .hbm_read_bytes = outcome.miss_bytes,
                      .hbm_write_bytes = outcome.written_back + outcome.bypassed_bytes,
                      .gm_offset = transfer.offset,
                      .route = transfer.route};
    shape_flow(*active, shape, outcome);
    done_ = done_ || active->flow.remaining <= done_bytes;
    active_.push_back(std::move(active));
}

double MemorySystem::port_rate(const isa::Transfer& transfer) const {
    switch (transfer.route) {
        case isa::Route::ub_to_gm:
            return chip_.port.ub_write_bytes_per_cycle;
        case isa::Route::l0c_to_gm:
        case isa::Route::l0c_to_gm_nz2nd:
            return chip_.fixpipe.gm_bytes_per_cycle;
        case isa::Route::l1_to_gm:
        case isa::Route::scalar_write:
            return chip_.port.write_bytes_per_cycle;
        case isa::Route::gm_to_l1_nd2nz: {
            const double bytes = transfer.row_bytes;
            const double rate = chip_.port.read_bytes_per_cycle * chip_.port.nd2nz_efficiency;
            return bytes / (bytes / rate + chip_.port.nd2nz_row_cycles);
        }
        case isa::Route::gm_to_ub:
        case isa::Route::gm_to_l1:
        case isa::Route::gm_to_l0:
        case isa::Route::scalar_read:
            return chip_.port.read_bytes_per_cycle;
    }
    return 1;
}

// Copies hold their pipe for a least time: the next one cannot start before.
double MemorySystem::least_cycles(const MemoryRequest& request) const {
    const isa::Transfer& transfer = request.transfer;
    std::uint32_t least = request.floor;
    switch (transfer.route) {
        case isa::Route::gm_to_ub:
        case isa::Route::gm_to_l1:
        case isa::Route::gm_to_l1_nd2nz:
        case isa::Route::gm_to_l0:
            least = std::max(least, chip_.port.read_start_cycles);
            break;
        case isa::Route::ub_to_gm:
        case isa::Route::l1_to_gm:
            least = std::max(least, chip_.port.write_start_cycles);
            break;
        case isa::Route::l0c_to_gm:
        case isa::Route::l0c_to_gm_nz2nd:
        case isa::Route::scalar_read:
        case isa::Route::scalar_write:
            break;
    }
    return std::max<double>(least, padded_rows(transfer) * chip_.port.burst_cycles);
}

double MemorySystem::hbm_path(const isa::Transfer& transfer) const {
    const bool cube = transfer.route == isa::Route::gm_to_l1 || transfer.route == isa::Route::gm_to_l0 ||
                      transfer.route == isa::Route::gm_to_l1_nd2nz;
    return cube ? chip_.port.l1_hbm_bytes_per_cycle : chip_.port.hbm_bytes_per_cycle;
}

/// Takes dirty lines that leave L2 over; returns the bytes that whoever pushed them out has to wait for.
double MemorySystem::push_out(std::uint64_t bytes) {
    const double room = std::max(0.0, static_cast<double>(chip_.l2.write_back_bytes) - write_back_);
    const double taken = std::min(room, static_cast<double>(bytes));
    write_back_ += taken;
    return static_cast<double>(bytes) - taken;
}

/// Cycles that reads stand in memory's queues: the parameter is of whole lines, smaller requests are served
/// sooner, as far as they take less bandwidth [BW-005, L2-006].
double MemorySystem::memory_wait() const {
    const double line = chip_.l2.line;
    const double least = std::min<double>(chip_.hbm.least_read_bytes, line);
    return traffic_.wait(chip_.hbm.queue_cycles * std::clamp(traffic_.read_bytes(), least, line) / line);
}

void MemorySystem::shape_flow(Active& active, const RequestShape& shape, const L2Outcome& outcome) {
    const isa::Transfer& transfer = active.request->transfer;
    const bool write = isa::is_write(transfer.route);
    const auto bytes = static_cast<double>(shape.bytes);
    const double missed = static_cast<double>(outcome.miss_bytes + outcome.bypassed_bytes);
    // A miss of a ragged row brings whole lines, those it shares with its neighbours too [BW-004, BW-007].
    const auto fetched = static_cast<double>(shape.fetched_bytes);
    // Writing what L2 does not hold takes the longer way too, though it moves nothing there.
    const PastL2 past{.bytes = write ? missed : std::min(fetched, missed * fetched / std::max(1.0, bytes)),
                      .missed = missed,
                      .far = missed + static_cast<double>(outcome.allocated_bytes)};
    const double near = write ? chip_.l2.write_latency : chip_.l2.read_latency;
    const double far = write ? chip_.hbm.write_latency : chip_.hbm.read_latency + memory_wait();
    // What another core has just missed comes when that core's data come [GEMM-003, GEMM-004].
    const double share_past = std::min(
        1.0, (past.far + outcome.awaited_bytes) / std::max(1.0, static_cast<double>(shape.padded_bytes)));
    const bool turns = transfer.route == isa::Route::gm_to_l1_nd2nz;
    active.mean_latency = std::max(1.0, near + (far - near) * share_past);
    active.latency = static_cast<std::uint32_t>(past.far > 0 ? far : active.mean_latency) +
                     (turns ? chip_.port.nd2nz_start_cycles : 0);
    active.flow.remaining = bytes;
    if (shape.requests != 0) {
        cap_flow(active, shape, outcome, past);
        set_demand(active, shape, outcome, past);
    }
}

void MemorySystem::cap_flow(Active& active,
                            const RequestShape& shape,
                            const L2Outcome& outcome,
                            const PastL2& past) {
    const isa::Transfer& transfer = active.request->transfer;
    const auto bytes = static_cast<double>(shape.bytes);
    Flow& flow = active.flow;
    limit_issue(flow, *active.request, static_cast<double>(shape.requests), active.mean_latency);
    const auto limit = [&flow](double rate, record::Limiter limiter) {
        if (rate < flow.cap) {
            flow.cap = rate;
            flow.own_limiter = limiter;
        }
    };
    if (past.bytes > 0) {
        limit(hbm_path(transfer) * bytes / past.bytes, record::Limiter::hbm_path);
    }
    limit(bytes / std::max(least_cycles(*active.request), 1.0), record::Limiter::start_up);
    if (outcome.shared_requests > 0) {
        const double waits = static_cast<double>(outcome.shared_requests) * chip_.l2.same_line_cycles;
        limit(bytes / (bytes / flow.cap + waits), record::Limiter::same_line);
    }
}

/// Rate of a write over that of a read while memory is the limit. Reads past L2 queue up before L2, where
/// writes stand behind them and come forward as they do: as many bytes as requests may be under way [mte3 of
/// VEC-007 and VEC-008].
double MemorySystem::write_share() const {
    const double behind = traffic_.past_l2();
    return chip_.hbm.write_share * (1 - behind) +
           double(chip_.port.outstanding_writes) / chip_.port.outstanding_reads * behind;
}

void MemorySystem::set_demand(Active& active,
                              const RequestShape& shape,
                              const L2Outcome& outcome,
                              const PastL2& past) {
    const isa::Transfer& transfer = active.request->transfer;
    const bool write = isa::is_write(transfer.route);
    const auto bytes = static_cast<double>(shape.bytes);
    const auto requests = static_cast<double>(shape.requests);
    const auto padded = std::max(1.0, static_cast<double>(shape.padded_bytes));
    // A request that reads past L2 takes the bandwidth of a larger one [L2-006].
    const double least =
        !write && transfer.bypass_l2 ? requests * chip_.hbm.least_read_bytes * past.missed / padded : 0;
    const double out = push_out(outcome.written_back);
    traffic_.move(
        write ? static_cast<double>(outcome.miss_bytes) : past.bytes,
        write ? static_cast<double>(outcome.miss_bytes) / chip_.l2.line : requests * past.missed / padded,
        !write && transfer.bypass_l2 ? past.bytes : 0,
        static_cast<double>(outcome.written_back + outcome.bypassed_bytes));
    const double turned =
        traffic_.turnarounds(out / chip_.l2.line) * chip_.hbm.turn_cycles * share_.capacity(Shared::hbm);
    const double of_memory = std::max(past.bytes, least) + out + turned;
    // Cores in step past L2 want the same few of memory's places: they are served one after the other
    // [L2-005, L2-007].
    const double in_step = static_cast<double>(outcome.passing_in_step) * chip_.hbm.same_line_cycles *
                           share_.capacity(Shared::requests);
    Flow& flow = active.flow;
    flow.in_step = in_step > requests;
    const double of_l2 = static_cast<double>(shape.padded_bytes) / bytes;
    const double asked = std::max(requests, in_step) / bytes;
    flow.demand = {};
    flow.demand[index(Shared::hbm)] = of_memory / bytes;
    flow.demand[index(write ? Shared::l2_writes : Shared::l2)] = of_l2;
    flow.demand[index(write ? Shared::write_requests : Shared::requests)] = asked;
    if (write) {
        // It stands behind reads that wait for memory, though it wants next to nothing of it.
        constexpr double next_to_nothing = 1e-6;
        flow.demand[index(Shared::hbm)] += next_to_nothing;
        flow.hbm_share = write_share();
    }
}

void MemorySystem::schedule(std::uint64_t now) {
    constexpr double never = std::numeric_limits<double>::infinity();
    double next = pending_.empty() ? never : static_cast<double>(pending_.top().begin);
    for (const auto& active : active_) {
        next = std::min(
            next, moved_until_ + std::max(0.0, active->flow.remaining - done_bytes) / active->flow.rate);
    }
    if (next == never) {
        next_wake_.reset();
        return;
    }
    next_wake_ = std::max(now, static_cast<std::uint64_t>(std::ceil(next)));
    wake_.cancel();
    wake_.notify(to_time(*next_wake_ - now));
}

}  // namespace ascendsim
