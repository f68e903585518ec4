// SPDX-License-Identifier: Apache-2.0
// How fast the requests of a core's copies go out: the window of those under way, which one copy leaves to
// the next.
#include <algorithm>

#include "models/memory/memory_system.hpp"

namespace ascendsim {

MemorySystem::Window& MemorySystem::window_of(const MemoryRequest& request) {
    const std::size_t index = std::size_t{request.core} * 2 + (isa::is_write(request.transfer.route) ? 1 : 0);
    if (index >= windows_.size()) {
        windows_.resize(index + 1);
    }
    return windows_[index];
}

/// How fast a copy's requests may go out: as fast as the port takes them until as many are under way as a
/// core may have, from then on as those before them come back, or as their rows are turned [GEMM-001 and
/// GEMM-002: two copies of 128 and of 384 requests take 2 and 6 times the latency, and 80 cycles].
void MemorySystem::limit_issue(Flow& flow, const MemoryRequest& request, double requests, double latency) {
    const isa::Transfer& transfer = request.transfer;
    const bool write = isa::is_write(transfer.route);
    const double atomic = transfer.atomic ? chip_.fixpipe.atomic_efficiency : 1.0;
    const double port = port_rate(transfer) * atomic;
    const double plain = write ? port : chip_.port.read_bytes_per_cycle;
    const double under_way = write ? chip_.port.outstanding_writes : chip_.port.outstanding_reads;
    const double each = flow.remaining / requests;
    const Window& before = window_of(request);
    const double left = before.left(flow.started);
    const double at_once = std::min(requests, std::max(0.0, under_way - left));
    const double behind = std::min(requests - at_once, left);
    const double spacing = latency / under_way;
    const double port_cycles = each / port;
    const double cycles = at_once * std::min(each / plain, std::max(port_cycles, spacing)) +
                          behind * std::max(port_cycles, before.latency / under_way) +
                          (requests - at_once - behind) * std::max(port_cycles, spacing);
    flow.cap = flow.remaining / cycles;
    flow.own_limiter = cycles > requests * port_cycles ? record::Limiter::outstanding : record::Limiter::port;
}

void MemorySystem::note_issued(const Active& active, std::uint64_t now) {
    const double requests = active.request->result.requests;
    if (requests == 0) {
        return;
    }
    const bool write = isa::is_write(active.request->transfer.route);
    const double most = write ? chip_.port.outstanding_writes : chip_.port.outstanding_reads;
    const auto time = static_cast<double>(now);
    const double taken = std::max(1.0, time - active.flow.started);
    Window& window = window_of(*active.request);
    const double sent =
        taken > active.mean_latency ? requests * active.mean_latency / taken : requests + window.left(time);
    window = {.requests = std::min(most, sent), .at = time, .latency = active.mean_latency};
}

}  // namespace ascendsim
