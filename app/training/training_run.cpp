// SPDX-License-Identifier: Apache-2.0
#include "app/training/training_run.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/analysis/energy.hpp"
#include "app/networks/training_report.hpp"
#include "app/report/style.hpp"
#include "models/node/collectives.hpp"
#include "models/node/schedule.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::training {
namespace {

using node::LaneId;
using node::TaskId;

std::uint64_t shared(std::uint64_t bytes, std::uint64_t copies) {
    return (bytes + copies - 1) / copies;
}

/// What a pass does with one device's network: a kind of collective over the copies of a stage.
class Network {
public:
    Network(const TrainingConfig& config, CollectiveTimes& known) : config_{config}, known_{known} {}

    /// Of the devices that hold the same stage. `bytes` are of the whole tensor.
    double among_copies(node::CollectiveKind kind, std::uint64_t bytes) {
        if (config_.copies() < 2 || bytes == 0) {
            return 0;
        }
        std::vector<std::uint32_t> ranks(config_.copies());
        std::iota(ranks.begin(), ranks.end(), 0U);
        const bool parts = kind == node::CollectiveKind::all_gather ||
                           kind == node::CollectiveKind::reduce_scatter;  // count what one rank holds
        return time_of(kind, parts ? shared(bytes, config_.copies()) : bytes, std::move(ranks));
    }

    /// From a stage to the next: neighbours in the numbering are copies of one stage.
    double to_next_stage(std::uint64_t bytes) {
        return bytes == 0 ? 0 : time_of(node::CollectiveKind::send_receive, bytes, {0, config_.copies()});
    }

private:
    double time_of(node::CollectiveKind kind, std::uint64_t bytes, std::vector<std::uint32_t> ranks) {
        const std::string name = fmt::format("{} {} {}", node::name(kind), ranks.size(), ranks.back());
        const auto [place, is_new] = known_.try_emplace({name, bytes}, 0);
        if (is_new) {
            place->second =
                node::collective_us(config_.node, {.kind = kind, .bytes = bytes, .ranks = std::move(ranks)});
        }
        return place->second;
    }

    const TrainingConfig& config_;
    CollectiveTimes& known_;
};

/// One stage's device and its network.
struct Stage {
    LaneId compute;
    LaneId network;
    LaneId sends;    // to the next stage
    LaneId returns;  // to the one before
    std::vector<TaskId> forwards;
    std::vector<TaskId> backwards;
    std::optional<TaskId> reduced;  // the last collective of gradients
    double collectives_us = 0;
};

/// Backward work of a stage's layers in a row, with gradients in buckets.
std::vector<Piece> buckets_of(const StepProfile& profile, std::uint32_t layers, std::uint64_t bytes) {
    std::vector<Piece> buckets{{}};
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
        for (const Piece& piece : profile.backward) {
            buckets.back().us += piece.us;
            buckets.back().gradient_bytes += piece.gradient_bytes;
            if (buckets.back().gradient_bytes >= bytes) {
                buckets.emplace_back();
            }
        }
    }
    return buckets;
}

/// The step as tasks: one forward, one backward, as each stage's warm-up allows (1F1B); gradients are reduced
/// while the last backward pass runs.
class Timeline {
public:
    Timeline(const TrainingConfig& config, const StepProfile& profile, CollectiveTimes& known)
        : config_{config},
          profile_{profile},
          network_{config, known},
          layers_{config.layers / config.pipeline},
          buckets_{buckets_of(profile, layers_, config.bucket_bytes)} {
        for (std::uint32_t i = 0; i < config.pipeline; ++i) {
            stages_.push_back({.compute = lane("device", i),
                               .network = lane("network", i),
                               .sends = lane("sends", i),
                               .returns = lane("returns", i),
                               .forwards = {},
                               .backwards = {},
                               .reduced = {}});
        }
    }

    StepTimes run() {
        lay_out_passes();
        for (std::uint32_t i = 0; i < config_.pipeline; ++i) {
            update(i);
        }
        const node::Schedule schedule = node::run(graph_);
        return times(schedule);
    }

private:
    LaneId lane(const char* name, std::uint32_t number) {
        return graph_.add_lane({fmt::format("{} {}", name, number)});
    }

    TaskId add(LaneId lane, const char* name, double us, std::span<const TaskId> after) {
        return graph_.add(lane, {.name = name, .us = us}, after);
    }

    /// In the order in which each stage works: what a task waits for is laid out before it.
    void lay_out_passes() {
        std::vector<std::vector<bool>> order;  // of each stage: true is a forward pass
        for (std::uint32_t stage = 0; stage < config_.pipeline; ++stage) {
            std::vector<bool>& own = order.emplace_back();
            const std::uint32_t ahead = std::min(config_.pipeline - stage, config_.accumulation);
            own.assign(ahead, true);
            for (std::uint32_t pass = ahead; pass < config_.accumulation; ++pass) {
                own.insert(own.end(), {false, true});
            }
            own.insert(own.end(), ahead, false);
        }
        std::vector<std::size_t> next(config_.pipeline, 0);
        for (bool moves = true; moves;) {
            moves = false;
            for (std::uint32_t stage = 0; stage < config_.pipeline; ++stage) {
                while (next[stage] < order[stage].size() && ready(stage, order[stage][next[stage]])) {
                    order[stage][next[stage]++] ? forward(stage) : backward(stage);
                    moves = true;
                }
            }
        }
    }

    [[nodiscard]] bool ready(std::uint32_t stage, bool forward) const {
        const Stage& own = stages_[stage];
        if (forward) {
            return stage == 0 || stages_[stage - 1].forwards.size() > own.forwards.size();
        }
        return own.forwards.size() > own.backwards.size() &&
               (stage + 1 == config_.pipeline || stages_[stage + 1].backwards.size() > own.backwards.size());
    }

    /// What another stage sends once its work is done: activations on, their gradients back.
    TaskId received(LaneId link, TaskId done) {
        return add(link, "send", network_.to_next_stage(profile_.memory.inputs), std::array{done});
    }

    /// Weights that are spread over the copies (ZeRO 3) come before they are used; the work follows them in
    /// as many parts as there are buckets.
    TaskId gathered_work(Stage& stage, const char* name, double us, const std::vector<TaskId>& after) {
        const std::uint64_t bytes = profile_.memory.weights * layers_;
        const std::uint64_t parts = shared(bytes, config_.bucket_bytes);
        std::optional<TaskId> last;
        for (std::uint64_t part = 0; part < parts; ++part) {
            std::vector<TaskId> before = after;
            before.push_back(collective(stage, node::CollectiveKind::all_gather, bytes / parts, {}));
            last = add(stage.compute, name, us / static_cast<double>(parts), before);
        }
        return *last;
    }

    TaskId collective(Stage& stage,
                      node::CollectiveKind kind,
                      std::uint64_t bytes,
                      std::span<const TaskId> after) {
        const double us = network_.among_copies(kind, bytes);
        stage.collectives_us += us;
        return graph_.add(
            stage.network, {.name = "collective", .kind = node::TaskKind::communication, .us = us}, after);
    }

    [[nodiscard]] bool gathers() const { return config_.zero == 3 && config_.copies() > 1; }

    void forward(std::uint32_t number) {
        Stage& stage = stages_[number];
        std::vector<TaskId> after;
        if (number > 0) {
            const Stage& from = stages_[number - 1];
            after.push_back(received(from.sends, from.forwards[stage.forwards.size()]));
        }
        const double us = profile_.forward_us * layers_;
        stage.forwards.push_back(gathers() ? gathered_work(stage, "forward", us, after)
                                           : add(stage.compute, "forward", us, after));
    }

    void backward(std::uint32_t number) {
        Stage& stage = stages_[number];
        std::vector<TaskId> after;
        if (number + 1 < config_.pipeline) {
            const Stage& from = stages_[number + 1];
            after.push_back(received(from.returns, from.backwards[stage.backwards.size()]));
        }
        if (config_.recompute) {
            after = {add(stage.compute, "recompute", profile_.forward_us * layers_, after)};
        }
        if (gathers()) {
            after = {gathered_work(stage, "backward", 0, after)};
        }
        const bool last = stage.backwards.size() + 1 == config_.accumulation;
        const bool reduces = last || config_.zero >= 2;
        const auto kind =
            config_.zero >= 2 ? node::CollectiveKind::reduce_scatter : node::CollectiveKind::all_reduce;
        std::vector<TaskId> parts;
        for (const Piece& bucket : buckets_) {
            parts.push_back(add(stage.compute, "backward", bucket.us, after));
            after.clear();
        }
        for (std::size_t i = 0; reduces && i < buckets_.size(); ++i) {
            const TaskId ready = config_.overlap ? parts[i] : parts.back();
            stage.reduced = collective(stage, kind, buckets_[i].gradient_bytes, std::array{ready});
        }
        stage.backwards.push_back(parts.back());
    }

    /// The optimiser, of a share of the weights where its state is spread; then the copies get the others.
    void update(std::uint32_t number) {
        Stage& stage = stages_[number];
        const double share = config_.zero > 0 ? 1.0 / config_.copies() : 1;
        const TaskId updated = add(stage.compute,
                                   "optimiser",
                                   profile_.optimiser_us * layers_ * share,
                                   stage.reduced ? std::vector{*stage.reduced} : std::vector<TaskId>{});
        if (config_.zero == 1 || config_.zero == 2) {
            collective(stage,
                       node::CollectiveKind::all_gather,
                       profile_.memory.weights * layers_,
                       std::array{updated});
        }
    }

    StepTimes times(const node::Schedule& schedule) const {
        StepTimes times{.devices = config_.devices, .step_us = node::microseconds(schedule.length)};
        const double layers = layers_;
        const double passes = config_.accumulation;
        times.forward_us = profile_.forward_us * layers * passes;
        times.backward_us = profile_.backward_us() * layers * passes;
        times.recompute_us = config_.recompute ? times.forward_us : 0;
        times.optimiser_us = profile_.optimiser_us * layers / (config_.zero > 0 ? config_.copies() : 1);
        const Stage& first = stages_.front();
        const double backward_end = node::microseconds(schedule.end[node::index(first.backwards.back())]);
        const double busy = times.forward_us + times.backward_us + times.recompute_us;
        const double waits = backward_end - busy;
        const double rest = times.step_us - backward_end - times.optimiser_us;
        // With one stage, nothing but the network holds a pass up.
        times.bubble_us = config_.pipeline > 1 ? waits : 0;
        times.communication_us = rest + (config_.pipeline > 1 ? 0 : waits);
        times.collectives_us = first.collectives_us;
        const double seconds = times.step_us * 1e-6;
        const double samples = static_cast<double>(config_.batch) * config_.accumulation * config_.copies();
        times.samples_per_s = samples / seconds;
        const bool half = config_.precision == networks::Precision::half;
        const double peak =
            report::peak_flops(config_.chip.spec, half ? isa::DataType::half : isa::DataType::float32);
        times.mfu = profile_.flops * layers * passes / seconds / peak;
        times.joules = joules(times) * config_.devices;
        return times;
    }

    /// Of one device: an idle chip for the whole step, the work of its kernels, and its network's bytes.
    [[nodiscard]] double joules(const StepTimes& times) const {
        const double layers = layers_;
        const double passes = config_.accumulation * (config_.recompute ? 4.0 / 3 : 1);  // a third is forward
        const double copies = config_.copies();
        PowerSpec power = config_.chip.power;
        const nlohmann::json metadata{{"power", to_json(fields_of(power))}};
        // Reduced and gathered again: each byte but the own share goes and comes once.
        const double moved =
            2 * static_cast<double>(profile_.memory.gradients) * layers * (copies - 1) / copies;
        const auto idle =
            analysis::energy_of(metadata, {.us = times.step_us, .link_bytes = copies > 1 ? 2 * moved : 0});
        return (idle ? idle->joules : 0) + profile_.joules * layers * passes +
               profile_.update_joules * layers / (config_.zero > 0 ? copies : 1);
    }

    const TrainingConfig& config_;
    const StepProfile& profile_;
    Network network_;
    std::uint32_t layers_;
    std::vector<Piece> buckets_;
    node::TaskGraph graph_;
    std::vector<Stage> stages_;
};

}  // namespace

DeviceMemory memory_of(const TrainingConfig& config, const LayerMemory& memory) {
    const std::uint64_t layers = config.layers / config.pipeline;
    const std::uint64_t copies = config.copies();
    const std::uint64_t weights = memory.weights * layers;
    const std::uint64_t gradients = memory.gradients * layers;
    DeviceMemory most{.weights = config.zero >= 3 ? shared(weights, copies) + memory.weights : weights,
                      .optimiser = shared(memory.optimiser * layers, config.zero >= 1 ? copies : 1),
                      .when = {}};
    const std::uint64_t bucket = copies > 1 ? std::min(config.bucket_bytes, gradients) : 0;
    most.working = memory.working + memory.inputs + bucket;
    // Passes that wait for their backward pass on the first stage.
    const std::uint64_t waiting = std::min(config.pipeline, config.accumulation);
    const std::uint64_t kept =
        config.recompute ? waiting * layers * memory.inputs + memory.saved : waiting * layers * memory.saved;
    const std::uint64_t own = config.zero >= 2 ? shared(gradients, copies) + bucket : gradients;
    if (config.accumulation > 1 || layers == 1) {
        most.activations = kept;
        most.gradients = own;
        most.when = config.accumulation > 1 ? "a backward pass that adds to gradients" : "the backward pass";
        return most;
    }
    // In one pass over several layers, gradients come as activations go.
    const std::uint64_t last_saved = config.recompute ? memory.inputs + memory.saved : memory.saved;
    const bool first = kept >= last_saved + own;
    most.activations = first ? kept : last_saved;
    most.gradients = first ? std::min(own, memory.gradients) : own;
    most.when = first ? "the last layer's backward pass, which is the first to run"
                      : "the first layer's backward pass, which is the last to run";
    return most;
}

void check_memory(const TrainingConfig& config, const DeviceMemory& memory) {
    const auto room = static_cast<std::uint64_t>(config.chip.spec.hbm.bytes);
    if (memory.all() <= room) {
        return;
    }
    const auto text = [](std::uint64_t bytes) { return report::bytes_text(static_cast<double>(bytes)); };
    std::vector<std::string> ways;
    if (!config.recompute) {
        ways.emplace_back("recompute = true");
    }
    if (config.zero < 3 && config.copies() > 1 && config.pipeline == 1) {
        ways.push_back(fmt::format("zero = {}", config.zero + 1));
    }
    if (config.batch > 1) {
        ways.emplace_back("a smaller batch");
    }
    throw UserError{
        "it does not fit: {} for weights {}, optimiser {}, gradients {}, activations {} and {} to work with, "
        "in {}; a {} has {}: {} too much{}{}",
        text(memory.all()),
        text(memory.weights),
        text(memory.optimiser),
        text(memory.gradients),
        text(memory.activations),
        text(memory.working),
        memory.when,
        config.chip.spec.name,
        text(room),
        text(memory.all() - room),
        ways.empty() ? "" : "; try ",
        fmt::format("{}", fmt::join(ways, ", "))};
}

StepTimes times_of(const TrainingConfig& config, const StepProfile& profile, CollectiveTimes& known) {
    return Timeline{config, profile, known}.run();
}

}  // namespace ascendsim::training
