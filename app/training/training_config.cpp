// SPDX-License-Identifier: Apache-2.0
#include "app/training/training_config.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "app/scenario/overrides.hpp"
#include "models/node/node_file.hpp"
#include "sim/base/error.hpp"
#include "sim/config/table_reader.hpp"

namespace ascendsim::training {
namespace {

namespace fs = std::filesystem;

/// A shipped network by its name, or a file beside the configuration.
fs::path network_of(const std::string& name,
                    const fs::path& folder,
                    const toolchain::Installation& installation,
                    TableReader& table) {
    const fs::path shipped = installation.root / "scenarios" / "networks" / (name + ".onnxtxt");
    std::error_code error;
    for (const fs::path& file : {folder / name, fs::path{name}, shipped}) {
        if (fs::is_regular_file(file, error)) {
            return file;
        }
    }
    throw table.error("network", "'" + name + "' is neither a file nor a network of scenarios/networks");
}

void read_step(TableReader& table, TrainingConfig& config) {
    constexpr double most_batch = 1 << 20;
    config.batch = table.get_or<std::uint64_t>("batch", 1, {1, most_batch});
    config.inputs = table.list<std::string>("inputs");
    config.layers = table.get_or<std::uint32_t>("layers", 1, {1, 1000});
    const std::string precision = table.choice("precision", {"half", "as_stated"});
    config.precision = precision == "half" ? networks::Precision::half : networks::Precision::as_stated;
    config.inference = table.choice("phase", {"training", "inference"}) == "inference";
    const std::string optimiser = table.choice("optimizer", {"adamw", "adam", "sgd"});
    config.options.optimiser = optimiser == "sgd"    ? networks::Optimiser::sgd
                               : optimiser == "adam" ? networks::Optimiser::adam
                                                     : networks::Optimiser::adamw;
    const std::string loss = table.choice("loss", {"automatic", "cross_entropy", "mean_square", "sum"});
    config.options.loss = loss == "cross_entropy" ? networks::Loss::cross_entropy
                          : loss == "mean_square" ? networks::Loss::mean_square
                          : loss == "sum"         ? networks::Loss::sum
                                                  : networks::Loss::automatic;
}

void read_layout(TableReader& table, TrainingConfig& config) {
    constexpr double most_devices = 65536;
    config.devices = table.get_or<std::uint32_t>("devices", config.node.size(), {1, most_devices});
    config.tensor = table.get_or<std::uint32_t>("tensor", 1, {1, 1024});
    config.cut = table.choice("cut", {"strips", "slabs"}) == "slabs" ? LayerCut::slabs : LayerCut::strips;
    config.experts = table.get_or<std::uint32_t>("experts", 1, {1, 4096});
    config.pipeline = table.get_or<std::uint32_t>("pipeline", 1, {1, 1024});
    config.interleave = table.get_or<std::uint32_t>("interleave", 1, {1, 1000});
    config.accumulation = table.get_or<std::uint32_t>("accumulation", 1, {1, 4096});
    config.zero = table.get_or<std::uint32_t>("zero", 0, {0, 3});
    config.recompute = table.get_or<bool>("recompute", false);
    config.overlap = table.get_or<bool>("overlap", true);
    constexpr double usual_bucket_mb = 25;  // bucket_cap_mb of PyTorch's DistributedDataParallel
    constexpr double bytes_a_mb = 1 << 20;
    config.bucket_bytes = static_cast<std::uint64_t>(
        table.get_or<double>("bucket_mb", usual_bucket_mb, {0.01, 1e6}) * bytes_a_mb);
    for (const std::uint32_t devices : table.list<std::uint32_t>("scaling")) {
        config.scaling.push_back(devices);
    }
}

void check_interleave(const TrainingConfig& config) {
    if (config.interleave == 1) {
        return;
    }
    if (config.pipeline == 1) {
        throw UserError{"interleave = {} divides the stages of a pipeline, and pipeline is 1",
                        config.interleave};
    }
    if (config.layers / config.pipeline % config.interleave != 0) {
        throw UserError{"interleave = {} cannot divide the {} layers of a stage evenly",
                        config.interleave,
                        config.layers / config.pipeline};
    }
    if (config.accumulation % config.pipeline != 0) {
        throw UserError{
            "interleave = {}: passes go through the chunks in groups of pipeline = {}, and accumulation = {} "
            "is no multiple of it",
            config.interleave,
            config.pipeline,
            config.accumulation};
    }
}

/// Forward passes need neither stages that wait for each other nor state.
void check_inference(const TrainingConfig& config) {
    if (config.inference && (config.pipeline > 1 || config.accumulation > 1 || config.zero > 0 ||
                             config.recompute || config.experts > 1)) {
        throw UserError{
            "phase = \"inference\" goes with pipeline = 1, accumulation = 1, zero = 0, experts = 1 and "
            "recompute = false: nothing waits for a backward pass"};
    }
}

void check_layout(const TrainingConfig& config) {
    check_inference(config);
    if (config.devices > config.node.size()) {
        throw UserError{"devices = {}: '{}' has {}", config.devices, config.node.title, config.node.size()};
    }
    if (config.devices % (config.pipeline * config.tensor) != 0) {
        throw UserError{"devices = {} are no multiple of pipeline = {}{}",
                        config.devices,
                        config.pipeline,
                        config.tensor > 1 ? fmt::format(" times tensor = {}", config.tensor) : ""};
    }
    if (config.layers % config.pipeline != 0) {
        throw UserError{"layers = {} cannot be shared by pipeline = {} stages: each has as many as another",
                        config.layers,
                        config.pipeline};
    }
    check_interleave(config);
    if (config.cut == LayerCut::slabs && (config.tensor == 1 || config.experts > 1)) {
        throw UserError{"cut = \"slabs\" takes tensor = 2 or more, and experts = 1"};
    }
    if (config.copies() % config.experts != 0) {
        throw UserError{
            "experts = {} copies hold other experts, and there are {} copies (devices / pipeline / "
            "tensor), "
            "which is no multiple of it",
            config.experts,
            config.copies()};
    }
    if (config.experts > 1 && config.zero > 1) {
        throw UserError{"zero = {} with experts = {}: weights of experts are spread already; take zero = 1",
                        config.zero,
                        config.experts};
    }
    if (config.pipeline > 1 && config.zero > 1) {
        throw UserError{
            "zero = {} with pipeline = {}: gradients are kept between passes, so that they cannot "
            "be given away in each; take zero = 1",
            config.zero,
            config.pipeline};
    }
}

TrainingInput read_input(TableReader table) {
    constexpr double most_us = 1e9;
    TrainingInput input;
    input.workers = table.get<std::uint32_t>("workers", {1, 65536});
    input.sample_us = table.get<double>("sample_us", {0, most_us});
    input.sample_spread = table.get_or<double>("sample_spread", 0, {0, 1});
    input.sample_kb = table.get_or<double>("sample_kb", 0, {0, most_us});
    input.queue = table.get_or<std::uint32_t>("queue", 2, {1, 1000});
    input.slowness = table.list<double>("slowness");
    input.seed = table.get_or<std::uint64_t>("seed", 1);
    for (const double slowness : input.slowness) {
        if (!(slowness > 0) || slowness > 1000) {
            throw table.error("slowness", "a device takes from 0 to 1000 times as long as others");
        }
    }
    table.finish();
    return input;
}

std::vector<TrainingRung> read_ladder(TableReader& root) {
    std::vector<TrainingRung> ladder;
    for (TableReader& table : root.tables("rung")) {
        TrainingRung& rung = ladder.emplace_back();
        rung.name = table.get<std::string>("name");
        rung.settings = table.list<std::string>("set");
        if (rung.settings.empty()) {
            throw table.error("set", "a rung changes a value, as in set = [\"training.zero=1\"]");
        }
        table.finish();
    }
    return ladder;
}

}  // namespace

TrainingConfig read_training(const fs::path& file,
                             const toolchain::Installation& installation,
                             const std::vector<std::string>& settings) {
    std::vector<scenario::Override> overrides;
    for (const std::string& setting : settings) {
        overrides.push_back(scenario::parse_override(setting));
    }
    const TomlFile toml = scenario::with_overrides(TomlFile::open(file), overrides);
    TableReader root = toml.reader();
    TableReader table = root.require_table("training");
    TrainingConfig config;
    config.title = table.get_or<std::string>("title", file.stem().string());
    config.network = network_of(table.get<std::string>("network"), file.parent_path(), installation, table);
    const fs::path models = installation.root / "models";
    config.node = node::open_node(table.get_or<std::string>("node", "atlas800t_a2"), models / "nodes").spec;
    config.host = node::open_host(table.get_or<std::string>("host", config.node.host), models / "hosts").spec;
    config.chip = open_chip(table.get_or<std::string>("chip", config.node.chip), installation.chips());
    config.mode =
        node::issue_mode(table.choice("mode", {"graph", "eager", "queue", "launch", "triton"})).value();
    read_step(table, config);
    read_layout(table, config);
    config.tokens = table.get_or<std::uint32_t>("tokens", 0, {0, 1 << 24});
    config.fusing = report::fusing_of(table.choice("fuse", {"none", "graph", "ub", "all"}));
    if (config.fusing != report::Fusing::none && (config.tensor > 1 || config.experts > 1)) {
        throw table.error("fuse", "is not simulated with tensor or experts: exchanges stay apart");
    }
    table.finish();
    if (auto input = root.find_table("input")) {
        config.input = read_input(*input);
    }
    config.ladder = read_ladder(root);
    root.finish();
    try {
        check_layout(config);
        for (const std::uint32_t devices : config.scaling) {
            static_cast<void>(on_devices(config, devices));
        }
    } catch (const UserError& error) {
        const std::string text = error.what();
        throw UserError{"{}: {}", file.string(), text};
    }
    return config;
}

TrainingConfig on_devices(TrainingConfig config, std::uint32_t devices) {
    config.devices = devices;
    check_layout(config);
    return config;
}

}  // namespace ascendsim::training
