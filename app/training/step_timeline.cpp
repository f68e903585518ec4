// SPDX-License-Identifier: Apache-2.0
#include "app/training/step_timeline.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/analysis/energy.hpp"
#include "app/networks/training_report.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::training {
namespace {

using node::LaneId;
using node::TaskId;

/// Backward work of layers in a row, with gradients in buckets.
std::vector<Piece> buckets_of(const StepProfile& profile, std::uint32_t layers, std::uint64_t bytes) {
    std::vector<Piece> buckets{{}};
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
        for (const Piece& piece : profile.backward) {
            Piece& last = buckets.back();
            last.us += piece.us;
            last.gradient_bytes += piece.gradient_bytes;
            last.expert_bytes += piece.expert_bytes;
            last.exchanges.insert(last.exchanges.end(), piece.exchanges.begin(), piece.exchanges.end());
            if (last.gradient_bytes + last.expert_bytes >= bytes) {
                buckets.emplace_back();
            }
        }
    }
    return buckets;
}

}  // namespace

StepTimeline::StepTimeline(const TrainingConfig& config, const StepProfile& profile, CollectiveTimes& known)
    : config_{config},
      profile_{profile},
      network_{config, known},
      layers_{config.layers / config.pipeline / config.interleave},
      forward_exchange_us_{network_.of(profile.forward_exchanges)},
      buckets_{buckets_of(profile, layers_, config.bucket_bytes)} {
    for (const Piece& piece : profile.backward) {
        backward_exchange_us_ += network_.of(piece.exchanges);
    }
    for (std::uint32_t i = 0; i < config.pipeline; ++i) {
        const std::vector<std::vector<TaskId>> none(config.interleave);
        stages_.push_back({.compute = lane("device", i),
                           .network = lane("network", i),
                           .sends = lane("sends", i),
                           .returns = lane("returns", i),
                           .forwards = none,
                           .backwards = none,
                           .worked = {},
                           .reduced = {}});
    }
}

StepTimes StepTimeline::run() {
    lay_out_passes();
    for (std::uint32_t i = 0; i < config_.pipeline; ++i) {
        update(i);
    }
    const node::Schedule schedule = node::run(graph_);
    return times(schedule);
}

LaneId StepTimeline::lane(const char* name, std::uint32_t number) {
    return graph_.add_lane({fmt::format("{} {}", name, number)});
}

TaskId StepTimeline::add(LaneId lane, const char* name, double us, std::span<const TaskId> after) {
    return graph_.add(lane, {.name = name, .us = us}, after);
}

/// In the order in which each stage works: what a task waits for is laid out before it.
void StepTimeline::lay_out_passes() {
    std::vector<std::vector<PassUnit>> order;
    for (std::uint32_t stage = 0; stage < config_.pipeline; ++stage) {
        order.push_back(pipeline_order(stage, config_.pipeline, config_.interleave, config_.accumulation));
    }
    std::vector<std::size_t> next(config_.pipeline, 0);
    std::size_t left = 0;
    for (const std::vector<PassUnit>& own : order) {
        left += own.size();
    }
    for (bool moves = true; moves;) {
        moves = false;
        for (std::uint32_t stage = 0; stage < config_.pipeline; ++stage) {
            while (next[stage] < order[stage].size() && ready(stage, order[stage][next[stage]])) {
                const PassUnit& unit = order[stage][next[stage]++];
                unit.forward ? forward(stage, unit) : backward(stage, unit);
                moves = true;
                --left;
            }
        }
    }
    check(left == 0, "{} passes of a pipeline wait for each other", left);
}

/// True for the first layers of all forward, and the last of all backward: they wait for no other stage.
bool StepTimeline::begins(std::uint32_t stage, const PassUnit& unit) const {
    return unit.forward ? stage == 0 && unit.chunk == 0
                        : stage + 1 == config_.pipeline && unit.chunk + 1 == config_.interleave;
}

/// The work whose result the unit takes, once it is laid out.
std::optional<TaskId> StepTimeline::from_before(std::uint32_t stage, const PassUnit& unit) const {
    const std::uint32_t stages = config_.pipeline;
    std::uint32_t chunk = unit.chunk;
    std::uint32_t from = stage;
    if (unit.forward) {
        from = stage == 0 ? stages - 1 : stage - 1;
        chunk -= stage == 0 ? 1 : 0;
    } else {
        from = stage + 1 == stages ? 0 : stage + 1;
        chunk += stage + 1 == stages ? 1 : 0;
    }
    const std::vector<TaskId>& done =
        (unit.forward ? stages_[from].forwards : stages_[from].backwards)[chunk];
    return unit.pass < done.size() ? std::optional{done[unit.pass]} : std::nullopt;
}

bool StepTimeline::ready(std::uint32_t stage, const PassUnit& unit) const {
    const Stage& own = stages_[stage];
    if (!unit.forward && own.forwards[unit.chunk].size() <= unit.pass) {
        return false;
    }
    return begins(stage, unit) || from_before(stage, unit).has_value();
}

/// Weights that are spread over the copies (ZeRO 3) come before they are used; the work follows them in
/// as many parts as there are buckets.
TaskId StepTimeline::gathered_work(Stage& stage,
                                   const char* name,
                                   double us,
                                   const std::vector<TaskId>& after) {
    const std::uint64_t bytes = profile_.memory.weights * layers_;
    const std::uint64_t parts = (bytes + config_.bucket_bytes - 1) / config_.bucket_bytes;
    std::optional<TaskId> last;
    for (std::uint64_t part = 0; part < parts; ++part) {
        std::vector<TaskId> before = after;
        before.push_back(collective(stage, node::CollectiveKind::all_gather, bytes / parts, {}));
        last = add(stage.compute, name, us / static_cast<double>(parts), before);
    }
    return *last;
}

TaskId StepTimeline::collective(Stage& stage,
                                node::CollectiveKind kind,
                                std::uint64_t bytes,
                                std::span<const TaskId> after,
                                bool of_experts) {
    const double us = network_.among_copies(kind, bytes, of_experts);
    stage.collectives_us += us;
    return graph_.add(
        stage.network, {.name = "collective", .kind = node::TaskKind::communication, .us = us}, after);
}

void StepTimeline::forward(std::uint32_t number, const PassUnit& unit) {
    Stage& stage = stages_[number];
    std::vector<TaskId> after;
    if (!begins(number, unit)) {
        const std::uint32_t before = number == 0 ? config_.pipeline - 1 : number - 1;
        const std::array from{*from_before(number, unit)};
        after.push_back(
            add(stages_[before].sends, "send", network_.to_next_stage(profile_.memory.inputs), from));
    }
    const double us = (profile_.forward_us + forward_exchange_us_) * layers_;
    stage.forwards[unit.chunk].push_back(gathers() ? gathered_work(stage, "forward", us, after)
                                                   : add(stage.compute, "forward", us, after));
}

void StepTimeline::backward(std::uint32_t number, const PassUnit& unit) {
    Stage& stage = stages_[number];
    std::vector<TaskId> after;
    if (!begins(number, unit)) {
        const std::uint32_t behind = number + 1 == config_.pipeline ? 0 : number + 1;
        const std::array from{*from_before(number, unit)};
        after.push_back(
            add(stages_[behind].returns, "send", network_.to_next_stage(profile_.memory.inputs), from));
    }
    if (config_.recompute) {
        after = {
            add(stage.compute, "recompute", (profile_.forward_us + forward_exchange_us_) * layers_, after)};
    }
    if (gathers()) {
        after = {gathered_work(stage, "backward", 0, after)};
    }
    std::vector<TaskId>& done = stage.backwards[unit.chunk];
    std::vector<TaskId> parts;
    for (const Piece& bucket : buckets_) {
        parts.push_back(add(stage.compute, "backward", bucket.us + network_.of(bucket.exchanges), after));
        after.clear();
    }
    const bool adds = !done.empty() && profile_.accumulate_us > 0;
    if (adds) {
        parts.back() = add(stage.compute, "accumulate", profile_.accumulate_us * layers_, after);
    }
    if (done.size() + 1 == config_.accumulation || config_.zero >= 2) {
        reduce(stage, parts);
    }
    done.push_back(parts.back());
    stage.worked = parts.back();
}

/// Each bucket's gradients, over the copies that hold the same weights.
void StepTimeline::reduce(Stage& stage, const std::vector<TaskId>& parts) {
    const auto kind =
        config_.zero >= 2 ? node::CollectiveKind::reduce_scatter : node::CollectiveKind::all_reduce;
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
        const std::array ready{config_.overlap ? parts[i] : parts.back()};
        stage.reduced = collective(stage, kind, buckets_[i].gradient_bytes, ready);
        if (buckets_[i].expert_bytes > 0) {
            stage.reduced = collective(stage, kind, buckets_[i].expert_bytes, ready, true);
        }
    }
}

/// The optimiser, of a share of the weights where its state is spread; then the copies get the others.
void StepTimeline::update(std::uint32_t number) {
    Stage& stage = stages_[number];
    const double layers = layers_ * config_.interleave;
    const TaskId updated = add(stage.compute,
                               "optimiser",
                               profile_.optimiser_us * layers * share_of_state(config_, profile_.memory),
                               stage.reduced ? std::vector{*stage.reduced} : std::vector<TaskId>{});
    if (config_.zero == 1 || config_.zero == 2) {
        const std::uint64_t all = layers_ * config_.interleave;
        const std::uint64_t experts = profile_.memory.expert_weights * all;
        collective(stage,
                   node::CollectiveKind::all_gather,
                   profile_.memory.weights * all - experts,
                   std::array{updated});
        if (experts > 0) {
            collective(stage, node::CollectiveKind::all_gather, experts, std::array{updated}, true);
        }
    }
}

StepTimes StepTimeline::times(const node::Schedule& schedule) const {
    StepTimes times{.devices = config_.devices, .step_us = node::microseconds(schedule.length), .spans = {}};
    const double layers = layers_ * config_.interleave;
    const double passes = config_.accumulation;
    times.forward_us = profile_.forward_us * layers * passes;
    times.backward_us =
        profile_.backward_us() * layers * passes + profile_.accumulate_us * layers * (passes - 1);
    times.recompute_us = config_.recompute ? times.forward_us : 0;
    times.exchange_us =
        ((config_.recompute ? 2 : 1) * forward_exchange_us_ + backward_exchange_us_) * layers * passes;
    times.optimiser_us = profile_.optimiser_us * layers * share_of_state(config_, profile_.memory);
    const Stage& first = stages_.front();
    const double backward_end = node::microseconds(schedule.end[node::index(*first.worked)]);
    const double busy = times.forward_us + times.backward_us + times.recompute_us + times.exchange_us;
    const double waits = backward_end - busy;
    const double rest = times.step_us - backward_end - times.optimiser_us;
    // With one stage, nothing but the network holds a pass up. Times of a schedule are whole picoseconds, so
    // that a little less than nothing may be left.
    times.bubble_us = config_.pipeline > 1 ? std::max(0.0, waits) : 0;
    times.communication_us = std::max(0.0, rest + (config_.pipeline > 1 ? 0 : waits));
    times.collectives_us = first.collectives_us + times.exchange_us;
    const double seconds = times.step_us * 1e-6;
    const double samples = static_cast<double>(config_.batch) * config_.accumulation * config_.copies();
    times.samples_per_s = samples / seconds;
    const bool half = config_.precision == networks::Precision::half;
    const double peak =
        report::peak_flops(config_.chip.spec, half ? isa::DataType::half : isa::DataType::float32);
    times.mfu = profile_.flops * layers * passes / seconds / peak;
    times.joules = joules(times) * config_.devices;
    times.host = host(times);
    times.spans = spans(schedule);
    return times;
}

std::vector<StepSpan> StepTimeline::spans(const node::Schedule& schedule) const {
    std::vector<StepSpan> spans;
    constexpr std::size_t most_spans = 20'000;
    for (std::size_t i = 0; i < schedule.start.size() && spans.size() < most_spans; ++i) {
        const TaskId task{static_cast<std::uint32_t>(i)};
        if (schedule.end[i] > schedule.start[i]) {
            spans.push_back({.lane = graph_.lanes()[node::index(graph_.lane(task))].name,
                             .name = graph_.name(task),
                             .start_us = node::microseconds(schedule.start[i]),
                             .end_us = node::microseconds(schedule.end[i])});
        }
    }
    return spans;
}

double StepTimeline::moved_bytes(const std::vector<Exchange>& exchanges) const {
    double bytes = 0;
    for (const Exchange& one : exchanges) {
        bytes += network_.moved_bytes(one);
    }
    return bytes;
}

/// Of one device: an idle chip for the whole step, the work of its kernels, and its network's bytes.
double StepTimeline::joules(const StepTimes& times) const {
    const double layers = layers_ * config_.interleave;
    const double passes = config_.accumulation * (config_.recompute ? 4.0 / 3 : 1);  // a third is forward
    PowerSpec power = config_.chip.power;
    const nlohmann::json metadata{{"power", to_json(fields_of(power))}};
    // Reduced and gathered again: each byte but the own share goes and comes once.
    const auto reduced = [](std::uint64_t bytes, double copies) {
        return copies > 1 ? 2 * 2 * static_cast<double>(bytes) * (copies - 1) / copies : 0;
    };
    const double copies = config_.copies();
    const std::uint64_t experts = profile_.memory.expert_gradients;
    double moved = layers * (reduced(profile_.memory.gradients - experts, copies) +
                             reduced(experts, copies / config_.experts));
    double exchanged = (config_.recompute ? 2 : 1) * moved_bytes(profile_.forward_exchanges);
    for (const Piece& piece : profile_.backward) {
        exchanged += moved_bytes(piece.exchanges);
    }
    moved += exchanged * layers * config_.accumulation;
    const auto idle = analysis::energy_of(metadata, {.us = times.step_us, .link_bytes = moved});
    return (idle ? idle->joules : 0) + profile_.joules * layers * passes +
           profile_.update_joules * layers * share_of_state(config_, profile_.memory);
}

/// Of all devices: a thread of each issues its kernels.
node::HostEnergy StepTimeline::host(const StepTimes& times) const {
    const double layers = layers_ * config_.interleave;
    const double passes = config_.accumulation * (config_.recompute ? 4.0 / 3 : 1);  // a third is forward
    const double busy = profile_.issue_us * layers * passes +
                        profile_.update_issue_us * layers * share_of_state(config_, profile_.memory);
    return node::host_energy(config_.node,
                             config_.host,
                             node::picoseconds(busy * config_.devices),
                             node::picoseconds(times.step_us),
                             config_.devices);
}

StepTimes times_of(const TrainingConfig& config, const StepProfile& profile, CollectiveTimes& known) {
    return StepTimeline{config, profile, known}.run();
}

}  // namespace ascendsim::training
