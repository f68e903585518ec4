// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <queue>
#include <systemc>
#include <tlm>
#include <vector>

#include <tlm_utils/multi_passthrough_target_socket.h>

#include "models/memory/bandwidth.hpp"
#include "models/memory/l2_cache.hpp"
#include "models/memory/memory_traffic.hpp"
#include "models/memory/request_shape.hpp"
#include "models/spec/chip_spec.hpp"

namespace ascendsim {

/// How a transfer went.
struct TransferResult {
    std::uint64_t issued = 0;    // cycle at which its last request had gone out: the pipe is free
    std::uint64_t complete = 0;  // cycle at which its last byte had arrived
    std::uint32_t requests = 0;
    std::uint64_t l2_hit_bytes = 0;
    std::uint64_t hbm_read_bytes = 0;
    std::uint64_t hbm_write_bytes = 0;
    std::uint64_t gm_offset = 0;
    isa::Route route = isa::Route::gm_to_ub;
    record::Limiter limiter = record::Limiter::none;
};

/// A transfer on its way through the memory system; rides on a TLM payload that its pipe owns and reuses.
struct MemoryRequest : tlm::tlm_extension<MemoryRequest> {
    isa::Transfer transfer;
    std::uint32_t core = 0;   // index among all cores
    std::uint64_t begin = 0;  // cycle of the first request
    std::uint32_t floor = 0;  // cycles it takes at least
    TransferResult result;

    [[nodiscard]] tlm_extension_base* clone() const override { return new MemoryRequest{*this}; }

    void copy_from(const tlm_extension_base& other) override {
        *this = static_cast<const MemoryRequest&>(other);
    }
};

/// L2, global memory and the ways to them, shared by all cores: transfers are admitted in global time order,
/// meet the contents of L2, and then flow at the rate that ports, outstanding requests and the shared
/// bandwidths allow.
///
///   core ports ==TLM==> [admission in time order] -> L2 contents -> fluid sharing of {L2, HBM, request rate}
///
/// TLM: BEGIN_REQ with the time still to pass until `begin`; BEGIN_RESP when the last request has gone out.
/// Sources of the structure: vendor GEMM cost model (latency, outstanding requests, request rate), hardware
/// facts 4.1 to 4.3.
class MemorySystem : public sc_core::sc_module {
public:
    MemorySystem(const sc_core::sc_module_name& name, const ChipSpec& chip);

    tlm_utils::multi_passthrough_target_socket<MemorySystem> ports;

    [[nodiscard]] L2Cache& l2() { return l2_; }

    /// Transfers whose begin lay before the global time when they arrived; a measure of the decoupling's
    /// error.
    [[nodiscard]] std::uint64_t late_transfers() const { return late_; }

private:
    struct Active {
        Flow flow;
        MemoryRequest* request = nullptr;
        tlm::tlm_generic_payload* payload = nullptr;
        int port = 0;
        std::uint32_t latency = 0;  // of the last byte
        double mean_latency = 1;
    };

    /// The requests of a core that are under way, in one direction: what they leave of the port's limit the
    /// next copy may send at once.
    struct Window {
        double requests = 0;  // under way when the last of them had gone out
        double at = 0;        // cycle of that
        double latency = 1;   // over which they come back

        [[nodiscard]] double left(double now) const {
            return std::max(0.0, requests * (1 - (now - at) / latency));
        }
    };

    struct Pending {
        std::uint64_t begin;
        std::uint64_t order;
        MemoryRequest* request;
        tlm::tlm_generic_payload* payload;
        int port;

        [[nodiscard]] bool operator>(const Pending& other) const {
            return begin != other.begin ? begin > other.begin : order > other.order;
        }
    };

    tlm::tlm_sync_enum receive(int port,
                               tlm::tlm_generic_payload& payload,
                               tlm::tlm_phase& phase,
                               sc_core::sc_time& delay);
    void advance();
    void move(double cycles);
    bool finish(std::uint64_t now);
    bool admit(std::uint64_t now);
    void schedule(std::uint64_t now);
    void begin_flow(const Pending& pending, std::uint64_t now);

    /// Bytes of a request that go past L2.
    struct PastL2 {
        double bytes;   // that memory moves for it
        double missed;  // of the request itself
        double far;     // that take the longer way, though memory may not move them
    };

    void shape_flow(Active& active, const RequestShape& shape, const L2Outcome& outcome);
    void cap_flow(Active& active, const RequestShape& shape, const L2Outcome& outcome, const PastL2& past);
    void set_demand(Active& active, const RequestShape& shape, const L2Outcome& outcome, const PastL2& past);
    void limit_issue(Flow& flow, const MemoryRequest& request, double requests, double latency);
    void note_issued(const Active& active, std::uint64_t now);
    [[nodiscard]] Window& window_of(const MemoryRequest& request);
    double push_out(std::uint64_t bytes);
    [[nodiscard]] double write_share() const;
    [[nodiscard]] double memory_wait() const;  // cycles
    void respond(const Active& active, std::uint64_t now);
    [[nodiscard]] double port_rate(const isa::Transfer& transfer) const;  // B/cycle
    [[nodiscard]] double hbm_path(const isa::Transfer& transfer) const;   // B/cycle
    [[nodiscard]] double least_cycles(const MemoryRequest& request) const;

    const ChipSpec& chip_;
    BandwidthShare share_;
    L2Cache l2_;
    std::vector<std::unique_ptr<Active>> active_;
    std::vector<std::unique_ptr<Active>> spare_;
    std::vector<Flow*> flows_;
    std::vector<Window> windows_;  // of each core, reads and writes
    std::priority_queue<Pending, std::vector<Pending>, std::greater<>> pending_;
    sc_core::sc_event wake_;
    std::uint64_t order_ = 0;
    std::uint64_t late_ = 0;
    double moved_until_ = 0;  // cycle
    double write_back_ = 0;   // B of dirty lines on their way out
    MemoryTraffic traffic_;
    std::optional<std::uint64_t> next_wake_;
    bool advancing_ = false;
    bool done_ = false;  // some flow has nothing left to move
};

}  // namespace ascendsim
