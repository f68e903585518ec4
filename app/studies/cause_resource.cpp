// SPDX-License-Identifier: Apache-2.0
#include "app/studies/cause_resource.hpp"

#include <algorithm>
#include <array>

#include "app/studies/whatif.hpp"
#include "models/port/pipe.hpp"

namespace ascendsim::study {

namespace {

using analysis::PathKind;
using analysis::Root;
using record::Limiter;

/// A cause of the path and the resource behind it. No pipe or limiter: any.
struct CauseAndResource {
    PathKind kind = PathKind::other;
    std::string_view pipe;
    Limiter limiter = Limiter::none;
    std::string_view resource;
};

// The first that fits counts.
constexpr std::array<CauseAndResource, 20> causes{{
    {PathKind::transfer, name(Pipe::mte1), Limiter::none, "L1 to L0 (MTE1)"},
    {PathKind::transfer, "", Limiter::hbm_bandwidth, "HBM bandwidth"},
    {PathKind::transfer, "", Limiter::l2_bandwidth, "L2 bandwidth"},
    {PathKind::transfer, "", Limiter::request_rate, "request rate"},
    {PathKind::transfer, "", Limiter::same_line, "same-line contention"},
    {PathKind::transfer, "", Limiter::port, "core's port"},
    {PathKind::transfer, "", Limiter::hbm_path, "core's path to HBM"},
    {PathKind::transfer, "", Limiter::outstanding, "requests under way"},
    {PathKind::transfer, "", Limiter::start_up, "starting copies"},
    {PathKind::transfer, name(Pipe::fixpipe), Limiter::none, "fixpipe"},
    {PathKind::compute, name(Pipe::cube), Limiter::none, "cube rate"},
    {PathKind::compute, name(Pipe::vector), Limiter::none, "vector rate"},
    {PathKind::latency, name(Pipe::cube), Limiter::none, "unit latency"},
    {PathKind::latency, name(Pipe::vector), Limiter::none, "unit latency"},
    {PathKind::latency, name(Pipe::mte1), Limiter::none, "unit latency"},
    {PathKind::latency, name(Pipe::fixpipe), Limiter::none, "unit latency"},
    {PathKind::latency, name(Pipe::mte2), Limiter::none, "memory latency"},
    {PathKind::latency, "", Limiter::none, "memory latency"},
    {PathKind::scalar, "", Limiter::none, "scalar unit"},
    {PathKind::sync, "", Limiter::none, "flags and barriers"},
}};

}  // namespace

std::string_view resource_of(const Root& cause) {
    if (cause.kind == PathKind::launch || cause.kind == PathKind::block || cause.kind == PathKind::tail) {
        return "launch";
    }
    const auto* const found = std::ranges::find_if(causes, [&](const CauseAndResource& one) {
        return one.kind == cause.kind && (one.pipe.empty() || one.pipe == cause.pipe) &&
               (one.limiter == Limiter::none || one.limiter == cause.limiter);
    });
    return found == causes.end() ? std::string_view{} : found->resource;
}

Root cause_of(std::string_view resource) {
    const auto* const found = std::ranges::find(causes, resource, &CauseAndResource::resource);
    if (found == causes.end()) {
        return {};
    }
    const bool load = found->pipe.empty() && found->kind == PathKind::transfer;
    return {.kind = found->kind,
            .pipe = load ? std::string{name(Pipe::mte2)} : std::string{found->pipe},
            .limiter = found->limiter};
}

bool tells_a_part_of(const analysis::Advice& advice, std::string_view resource) {
    return advice.root.kind == PathKind::compute && !advice.resource.empty() && advice.resource != resource &&
           resource_of(advice.root) == resource;
}

bool share_a_cost(std::string_view one, std::string_view other) {
    const auto first = std::ranges::find(resources(), one, &Resource::name);
    const auto second = std::ranges::find(resources(), other, &Resource::name);
    return first != resources().end() && second != resources().end() &&
           std::ranges::any_of(first->costs, [&](std::string_view cost) {
               return std::ranges::find(second->costs, cost) != second->costs.end();
           });
}

}  // namespace ascendsim::study
