// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/advice/vector_loss.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "models/isa/vector/vector_cost.hpp"
#include "models/port/pipe.hpp"

namespace ascendsim::analysis {

namespace {

/// A vector cost of the recording's chip.
struct CostNumbers {
    double head = 0;
    double tail = 0;
    double repeat_b16 = 1;
    double repeat_b32 = 1;

    [[nodiscard]] double slope(std::uint32_t width) const { return width <= 2 ? repeat_b16 : repeat_b32; }
};

/// One span, as far as its split needs it.
struct Done {
    double cycles = 0;
    double conflict = 0;
    double elements = 0;
    std::uint32_t bytes = 0;
    bool new_mask = false;  // filling and emptying the unit are part of its cycles (isa::time_vector)
};

class Splitter {
public:
    Splitter(const ChipNumbers& chip, std::string_view type)
        : chip_{chip},
          rate_{chip.vector_work_per_cycle(type)},
          repeat_bytes_{chip.number("vector.repeat_bytes", 256)},
          least_{chip.number("vector.min_cycles", 0)},
          ragged_tail_{chip.number("vector.counter_tail_cycles", 0)} {}

    void add(VectorUse& use, const Done& done) {
        const CostNumbers& cost = cost_of(use.instruction);
        const bool casts = use.instruction.starts_with("vconv") || use.instruction == "vadddeqrelu";
        const double change =
            done.new_mask ? std::min(done.cycles, cost.head + cost.tail + ragged_tail(cost, done, casts))
                          : 0.0;
        const double issue = std::max(0.0, done.cycles - change - done.conflict);
        const std::uint32_t width = width_of(cost, done, issue, casts);
        const double full = done.elements * width / repeat_bytes_;  // repeats, were each filled
        const double slope = cost.slope(width);
        double left = done.cycles;
        const auto take = [&](VectorLoss loss, double cycles) {
            const double taken = std::clamp(cycles, 0.0, left);
            use.cycles[static_cast<std::size_t>(loss)] += taken;
            left -= taken;
        };
        take(VectorLoss::none, std::min(done.elements / rate_, full * slope));
        take(VectorLoss::conflicts, done.conflict);
        take(VectorLoss::mask_changes, change);
        take(VectorLoss::wide_type, std::min(1.0, slope) * full - done.elements / rate_);
        take(VectorLoss::form, (slope - 1) * full);
        const bool at_floor = issue <= std::ceil(least_);
        take(at_floor ? VectorLoss::start_up : VectorLoss::masks, left);
        ++use.count;
        use.new_masks += change > 0 ? 1 : 0;
        use.elements += static_cast<std::uint64_t>(done.elements);
        use.repeats += slope > 0 ? std::max(full, at_floor ? std::ceil(full) : issue / slope) : full;
        use.width = std::max(use.width, width);
    }

private:
    const CostNumbers& cost_of(const std::string& instruction) {
        const auto [entry, fresh] = costs_.try_emplace(instruction);
        if (fresh) {
            const auto known = isa::vector_cost_of(instruction);
            const std::string path = known ? fmt::format("vector.{}.", known->name) : std::string{};
            entry->second = {.head = chip_.number(path + "head", 0),
                             .tail = chip_.number(path + "tail", 0),
                             .repeat_b16 = chip_.number(path + "repeat_b16", 1),
                             .repeat_b32 = chip_.number(path + "repeat_b32", 1)};
        }
        return entry->second;
    }

    /// Bytes of an element as it is written; none where the span does not tell.
    static std::optional<std::uint32_t> written_width(const Done& done) {
        const auto written = static_cast<std::uint32_t>(
            done.elements > 0 ? std::lround(static_cast<double>(done.bytes) / done.elements) : 2);
        const bool known = written == 1 || written == 2 || written == 4 || written == 8;
        return known ? std::optional{written} : std::nullopt;
    }

    /// Whether the elements take `issue` cycles as whole repeats of operands of `width` bytes.
    [[nodiscard]] bool fits(const CostNumbers& cost,
                            const Done& done,
                            std::uint32_t width,
                            double issue) const {
        const double repeats = std::ceil(done.elements * width / repeat_bytes_);
        return std::abs(std::max(least_, cost.slope(width) * repeats) - issue) < 1;
    }

    /// What the unit takes longer to empty behind a count that fills no whole repeats. A span does not say
    /// how its lanes were chosen: it is taken for such a count where its elements take as long as it took
    /// with that, and not without it.
    [[nodiscard]] double ragged_tail(const CostNumbers& cost, const Done& done, bool casts) const {
        const double issue = done.cycles - cost.head - cost.tail - done.conflict;
        const std::optional<std::uint32_t> written = written_width(done);
        bool with_tail = false;
        for (const std::uint32_t width : {1U, 2U, 4U, 8U}) {
            if (written && !casts && width != *written) {
                continue;
            }
            if (fits(cost, done, width, issue)) {
                return 0;
            }
            const bool ragged = std::fmod(done.elements * width, repeat_bytes_) != 0;
            with_tail = with_tail || (ragged && fits(cost, done, width, issue - ragged_tail_));
        }
        return with_tail ? ragged_tail_ : 0.0;
    }

    /// Bytes of the widest operand: of what is written, or where that tells nothing (of a cast's source, of a
    /// reduction) the width with which the elements take as long as they did.
    [[nodiscard]] std::uint32_t width_of(const CostNumbers& cost,
                                         const Done& done,
                                         double issue,
                                         bool casts) const {
        const std::optional<std::uint32_t> written = written_width(done);
        if (written && (!casts || fits(cost, done, *written, issue))) {
            return *written;
        }
        for (const std::uint32_t width : {2U, 4U, 8U, 1U}) {
            if (fits(cost, done, width, issue)) {
                return width;
            }
        }
        return written.value_or(2);
    }

    const ChipNumbers& chip_;
    double rate_;
    double repeat_bytes_;
    double least_;
    double ragged_tail_;
    std::map<std::string, CostNumbers> costs_;
};

double sum_of(const std::array<double, vector_loss_names.size()>& cycles) {
    return std::accumulate(cycles.begin(), cycles.end(), 0.0);
}

}  // namespace

double VectorUse::all() const {
    return sum_of(cycles);
}

double VectorUses::all() const {
    return sum_of(cycles);
}

VectorUses vector_uses(const record::Recording& recording,
                       const ChipNumbers& chip,
                       std::string_view type,
                       std::uint64_t from,
                       std::uint64_t to) {
    VectorUses result;
    if (!chip.known()) {
        return result;
    }
    Splitter splitter{chip, type};
    std::map<std::pair<std::uint32_t, std::uint32_t>, VectorUse> uses;
    for (const record::Lane& lane : recording.lanes()) {
        if (lane.path.pipe() != ascendsim::name(Pipe::vector)) {
            continue;
        }
        const std::size_t first = lane.first_ending_after(from);
        record::for_each_span(lane, first, [&](const record::ChunkColumns& of, std::size_t k, std::size_t) {
            if (of.start[k] >= to) {
                return false;
            }
            if (of.reason[k] != record::Reason::none || of.work[k] == 0) {
                return true;
            }
            VectorUse& use = uses[{of.op[k], of.site[k]}];
            if (use.count == 0) {
                use.instruction = recording.name(of.op[k]);
                use.op = of.op[k];
                use.site = of.site[k];
            }
            splitter.add(use,
                         {.cycles = static_cast<double>(of.end[k] - of.start[k]),
                          .conflict = static_cast<double>(of.conflict[k]),
                          .elements = static_cast<double>(of.work[k]),
                          .bytes = of.bytes[k],
                          .new_mask = of.complete[k] == of.end[k]});
            return true;
        });
    }
    for (auto& [key, use] : uses) {
        for (std::size_t loss = 0; loss < use.cycles.size(); ++loss) {
            result.cycles[loss] += use.cycles[loss];
        }
        result.uses.push_back(std::move(use));
    }
    std::ranges::stable_sort(result.uses, std::ranges::greater{}, &VectorUse::all);
    return result;
}

}  // namespace ascendsim::analysis
