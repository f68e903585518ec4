// SPDX-License-Identifier: Apache-2.0
#include "models/timeline/inserted_costs.hpp"

#include <algorithm>
#include <tuple>

#include "models/isa/sync/inserted.hpp"

namespace ascendsim {

void InsertedCosts::add(const isa::TimedOp& op, std::uint64_t cycles) {
    const bool barrier = op.kind == isa::OpKind::barrier;
    Sum& sum = sums_[{.file = op.site.file,
                      .line = op.site.line,
                      .source = barrier ? op.pipe : static_cast<Pipe>(op.a),
                      .destination = barrier ? op.pipe : static_cast<Pipe>(op.b)}];
    ++sum.count;
    sum.spare += isa::is_spare(op) ? 1U : 0U;
    sum.cycles += cycles;
}

void InsertedCosts::add(const InsertedCosts& other) {
    for (const auto& [place, from] : other.sums_) {
        Sum& sum = sums_[place];
        sum.count += from.count;
        sum.spare += from.spare;
        sum.cycles += from.cycles;
    }
}

std::vector<InsertedSync> InsertedCosts::list() const {
    std::map<std::tuple<std::string, std::uint32_t, Pipe, Pipe>, InsertedSync> places;
    for (const auto& [place, sum] : sums_) {
        InsertedSync& all = places[{place.file, place.line, place.source, place.destination}];
        all = {.source = place.source,
               .destination = place.destination,
               .file = place.file,
               .line = place.line,
               .count = all.count + sum.count,
               .spare = all.spare + sum.spare,
               .cycles = all.cycles + sum.cycles};
    }
    std::vector<InsertedSync> result;
    for (const auto& [key, sync] : places) {
        result.push_back(sync);
    }
    std::ranges::stable_sort(result, std::ranges::greater{}, &InsertedSync::cycles);
    return result;
}

}  // namespace ascendsim
