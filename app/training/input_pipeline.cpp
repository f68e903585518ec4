// SPDX-License-Identifier: Apache-2.0
#include "app/training/input_pipeline.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "models/node/transfers.hpp"

namespace ascendsim::training {
namespace {

constexpr std::uint32_t steps = 200;

/// Samples of each device in a step: as many of each, or as fast as it is.
std::vector<double> shares_of(const TrainingConfig& config, const InputMode& mode) {
    const std::uint32_t devices = config.devices;
    std::vector<double> shares(devices, 1.0 / devices);
    if (mode.balanced) {
        double sum = 0;
        for (std::uint32_t i = 0; i < devices; ++i) {
            shares[i] = 1 / config.input.slowness_of(i);
            sum += shares[i];
        }
        for (double& share : shares) {
            share /= sum;
        }
    }
    return shares;
}

/// Whole samples whose sum is the batch; what is left over goes where the fraction is largest.
std::vector<std::uint64_t> samples_of(const std::vector<double>& shares, std::uint64_t batch) {
    std::vector<std::uint64_t> samples;
    std::vector<std::pair<double, std::size_t>> rests;
    std::uint64_t given = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        const double exact = shares[i] * static_cast<double>(batch);
        samples.push_back(static_cast<std::uint64_t>(exact));
        given += samples.back();
        rests.emplace_back(std::floor(exact) - exact, i);
    }
    std::ranges::sort(rests);
    for (std::size_t i = 0; given < batch; ++i, ++given) {
        ++samples[rests[i % rests.size()].second];
    }
    return samples;
}

/// The host's workers take samples of one batch after the other.
class Workers {
public:
    explicit Workers(const TrainingConfig& config)
        : config_{config}, free_(std::max(1U, config.input.workers), 0), engine_{config.input.seed} {}

    /// When a batch is prepared that must not be begun before `from`.
    double prepare(double from, std::uint64_t samples) {
        double ready = from;
        for (std::uint64_t i = 0; i < samples; ++i) {
            const auto worker = std::ranges::min_element(free_);
            const double start = std::max(*worker, from);
            const double us = sample_us();
            *worker = start + us;
            busy_ += us;
            ready = std::max(ready, *worker);
        }
        return ready;
    }

    [[nodiscard]] double busy() const { return busy_ / static_cast<double>(free_.size()); }

private:
    double sample_us() {
        constexpr double scale = 1.0 / 9007199254740992.0;  // 2^53
        const double chance = static_cast<double>(engine_() >> 11U) * scale;
        return config_.input.sample_us * (1 + config_.input.sample_spread * (2 * chance - 1));
    }

    const TrainingConfig& config_;
    std::vector<double> free_;
    std::mt19937_64 engine_;
    double busy_ = 0;
};

}  // namespace

std::vector<InputMode> input_modes() {
    return {{"one after the other", false, false, false},
            {"stages side by side", true, false, false},
            {"+ samples as devices are fast", true, true, false},
            {"+ unified memory", true, true, true}};
}

InputRun run_with_inputs(const TrainingConfig& config, const StepParts& parts, const InputMode& mode) {
    const std::uint64_t batch = config.batch * config.devices;
    const std::vector<std::uint64_t> samples = samples_of(shares_of(config, mode), batch);
    double compute = 0;
    double copy = 0;
    for (std::uint32_t i = 0; i < config.devices; ++i) {
        const auto own = static_cast<double>(samples[i]);
        compute = std::max(compute, own * parts.sample_us * config.input.slowness_of(i));
        const auto bytes = static_cast<std::uint64_t>(own * config.input.sample_kb * 1000);
        if (bytes > 0) {
            copy = std::max(copy, node::host_copy_us(config.node, node::Direction::to_device, bytes, true));
        }
    }
    if (mode.unified) {  // kernels read inputs over the same link, while they compute
        compute = std::max(compute, copy);
        copy = 0;
    }
    compute += parts.update_us;
    Workers workers{config};
    std::vector<double> taken(steps + 1, 0);  // when the devices took batch i from the queue
    double copied = 0;
    double device = 0;
    double network = 0;
    double waiting = 0;
    for (std::uint32_t i = 0; i < steps; ++i) {
        const double before = !mode.stages              ? network
                              : i >= config.input.queue ? taken[i - config.input.queue]
                                                        : 0;
        const double ready = workers.prepare(before, batch);
        copied = std::max(ready, copied) + copy;
        const double start = std::max({copied, device, mode.stages ? 0 : network});
        taken[i] = start;
        waiting += start - ready;
        device = start + compute;
        // Gradients cross while the next batch is worked on; its update waits for them.
        network = std::max(network, device) + parts.network_us;
    }
    const double all = network;
    const double count = steps;
    return {.mode = mode,
            .samples_per_s = count * static_cast<double>(batch) / all * 1e6,
            .host_busy = workers.busy() / all,
            .device_busy = count * compute / all,
            .network_busy = count * parts.network_us / all,
            .queued = waiting / all};
}

}  // namespace ascendsim::training
