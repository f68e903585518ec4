// SPDX-License-Identifier: Apache-2.0
#include "app/serving/serve_config.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>

#include <fmt/ranges.h>

#include "app/scenario/overrides.hpp"
#include "models/node/node_file.hpp"
#include "models/spec/chip_file.hpp"
#include "sim/base/error.hpp"
#include "sim/base/missing_file.hpp"
#include "sim/config/table_reader.hpp"

namespace ascendsim::serving {
namespace {

constexpr double most_tokens = 1 << 24;
constexpr double most_count = 1e6;

std::optional<TableReader> part(TableReader& root, std::string_view name) {
    return root.find_table(name);
}

Length read_length(TableReader& table, const std::string& key) {
    Length length;
    length.mean = table.get<std::uint64_t>(key, {1, most_tokens});
    length.spread = table.get_or<double>(key + "_spread", 0, {0, 1});
    return length;
}

/// A field of a trace's line: a number up to `most`.
double trace_number(std::string_view text, const std::string& place, double most) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !(value >= 0) || value > most) {
        throw UserError{"{}: '{}' is no number from 0 to {:.0f}", place, text, most};
    }
    return value;
}

/// Lines "arrival in s,prompt tokens,output tokens", behind a line of names.
std::vector<Request> read_trace(const std::filesystem::path& file) {
    std::ifstream stream{file};
    std::string line;
    if (!std::getline(stream, line)) {
        const bool empty = stream.is_open() && std::filesystem::is_regular_file(file);
        throw UserError{"{}: {}", file.string(), empty ? "is empty" : why_unreadable(file)};
    }
    std::vector<Request> requests;
    constexpr double longest_s = 1e7;
    for (std::size_t number = 2; std::getline(stream, line); ++number) {
        const std::string place = fmt::format("{}:{}", file.string(), number);
        const std::size_t first = line.find(',');
        const std::size_t second = first == std::string::npos ? first : line.find(',', first + 1);
        if (second == std::string::npos || static_cast<double>(requests.size()) >= most_count) {
            throw UserError{
                "{}: a line of a trace is 'arrival in s,prompt tokens,output tokens', at most {:.0f} of "
                "them behind a line of names",
                place,
                most_count};
        }
        const std::string_view text{line};
        const double prompt = trace_number(text.substr(first + 1, second - first - 1), place, most_tokens);
        const double output = trace_number(text.substr(second + 1), place, most_tokens);
        if (prompt < 1 || output < 1) {
            throw UserError{"{}: a request has one token of prompt and of output at least", place};
        }
        requests.push_back({.arrival_us = 1e6 * trace_number(text.substr(0, first), place, longest_s),
                            .prompt = static_cast<std::uint64_t>(prompt),
                            .output = static_cast<std::uint64_t>(output)});
    }
    if (requests.empty()) {
        throw UserError{"{}: the trace has no request", file.string()};
    }
    std::ranges::stable_sort(requests, {}, &Request::arrival_us);
    return requests;
}

RequestPlan read_requests(TableReader table) {
    RequestPlan plan;
    const std::string arrivals = table.choice("arrivals", {"all", "poisson", "closed", "trace"});
    plan.seed = table.get_or<std::uint64_t>("seed", 1);
    plan.prefix = table.get_or<std::uint64_t>("prefix", 0, {0, most_tokens});
    plan.prefix_share = table.get_or<double>("prefix_share", 1, {0, 1});
    plan.computed = table.get_or<bool>("computed", false);
    if (arrivals == "trace") {
        plan.arrivals = Arrivals::trace;
        const auto file = table.get<std::string>("file");
        plan.trace = read_trace(table.node().file().folder() / file);
        plan.count = static_cast<std::uint32_t>(plan.trace.size());
        table.finish();
        return plan;
    }
    plan.count = table.get_or<std::uint32_t>("count", 100, {1, most_count});
    plan.prompt = read_length(table, "prompt");
    plan.output = read_length(table, "output");
    if (arrivals == "poisson") {
        plan.arrivals = Arrivals::poisson;
        plan.rate = table.get<double>("rate", {1e-6, 1e6});
    } else if (arrivals == "closed") {
        plan.arrivals = Arrivals::closed;
        plan.concurrency = table.get<std::uint32_t>("concurrency", {1, most_count});
        plan.rate = table.get_or<double>("rate", 0, {0, 1e6});
    }
    table.finish();
    return plan;
}

void read_scheduler(TableReader table, Scheduler& scheduler) {
    scheduler.max_sequences =
        table.get_or<std::uint32_t>("max_sequences", scheduler.max_sequences, {1, 65536});
    scheduler.max_tokens = table.get_or<std::uint64_t>("max_tokens", scheduler.max_tokens, {1, most_tokens});
    scheduler.chunked = table.get_or<bool>("chunked", scheduler.chunked);
    scheduler.step_host_us = table.get_or<double>("step_host_us", scheduler.step_host_us, {0, 1e9});
    scheduler.overlapped = table.get_or<bool>("overlapped", scheduler.overlapped);
    scheduler.overlapped_us = table.get_or<double>("overlapped_us", scheduler.overlapped_us, {0, 1e9});
    scheduler.piece_us = table.get_or<double>("piece_us", scheduler.piece_us, {0, 1e9});
    scheduler.expert_layer_us = table.get_or<double>("expert_layer_us", scheduler.expert_layer_us, {0, 1e9});
    table.finish();
}

void read_layout(TableReader& table, networks::llm::Layout& layout) {
    layout.tensor = table.get_or<std::uint32_t>("tensor", 1, {1, 4096});
    layout.pipeline = table.get_or<std::uint32_t>("pipeline", 1, {1, 1024});
    layout.replicas = table.get_or<std::uint32_t>("replicas", 1, {1, 4096});
    layout.expert_parallel = table.get_or<bool>("expert_parallel", false);
    layout.gathers_from = table.get_or<std::uint64_t>("gathers_from", 0, {0, most_tokens});
    if (layout.gathers_from != 0 && (!layout.expert_parallel || layout.tensor * layout.replicas == 1)) {
        throw table.error("gathers_from",
                          "tokens are exchanged where devices share experts (expert_parallel)");
    }
    layout.row_by_row = table.get_or<std::uint64_t>("row_by_row", layout.row_by_row, {0, most_tokens});
    layout.repeated = table.get_or<bool>("repeated", false);
    if (layout.repeated && layout.gathers_from != 0) {
        throw table.error("repeated", "is of tokens that are sent, and gathers_from gathers them");
    }
    layout.whole_shared = table.get_or<bool>("whole_shared", false);
    layout.attention_by_tokens = table.get_or<bool>("attention_by_tokens", false);
    layout.filled_up = table.get_or<bool>("filled_up", false);
    if (layout.filled_up && (!layout.expert_parallel || layout.replicas == 1)) {
        throw table.error("filled_up", "replicas agree on a step where they share experts (expert_parallel)");
    }
}

/// So many layers each use what the index of one of them picks.
void share_index(networks::llm::ModelConfig& model, std::uint32_t every) {
    for (networks::llm::AttentionLayers& group : model.attention) {
        if (group.index && every > 1) {
            group.index->layers = (group.layers + every - 1) / every;
        }
    }
}

/// [prompts]: a layout, and of the scheduler's keys those that differ.
PromptServer read_prompts(TableReader table, const ServeConfig& config) {
    PromptServer prompts{.layout = {},
                         .mode = node::IssueMode::eager,
                         .memory_share = config.memory_share,
                         .scheduler = config.scheduler};
    read_layout(table, prompts.layout);
    prompts.memory_share = table.get_or<double>("memory_share", prompts.memory_share, {0.01, 1});
    const std::string mode = table.choice("mode", {"eager", "queue", "graph", "piecewise"});
    prompts.piecewise = mode == "piecewise";
    prompts.mode = prompts.piecewise ? node::IssueMode::graph : node::issue_mode(mode).value();
    Scheduler& scheduler = prompts.scheduler;
    scheduler.max_sequences =
        table.get_or<std::uint32_t>("max_sequences", scheduler.max_sequences, {1, 65536});
    scheduler.max_tokens = table.get_or<std::uint64_t>("max_tokens", scheduler.max_tokens, {1, most_tokens});
    scheduler.overlapped = table.get_or<bool>("overlapped", scheduler.overlapped);
    table.finish();
    return prompts;
}

/// Weights as a file says, or as the model stores them.
networks::llm::Weights read_weights(TableReader& serve, const networks::llm::ModelConfig& model) {
    using networks::llm::Weights;
    const std::string said = serve.choice("weights", {"stored", "half", "int8", "w4a8"});
    if (said != "stored") {
        return said == "half" ? Weights::half : said == "int8" ? Weights::int8 : Weights::int4;
    }
    const networks::llm::StoredWeights& stored = model.stored;
    const bool bytes = stored.activation_bits == 8 && !stored.floating;
    if (stored.bits == 16) {
        return Weights::half;
    }
    if (bytes && (stored.bits == 8 || stored.bits == 4)) {
        return stored.bits == 8 ? Weights::int8 : Weights::int4;
    }
    throw serve.error("weights",
                      fmt::format("{} is stored as {}, whose products are not simulated: say \"half\", "
                                  "\"int8\" (W8A8) or \"w4a8\" for the same model converted to that",
                                  model.name,
                                  stored.what));
}

void read_speculation(TableReader table, Speculation& speculation) {
    speculation.drafted = table.get<std::uint32_t>("drafted", {1, 64});
    speculation.acceptance = table.get<double>("acceptance", {0, 1});
    speculation.passes = table.get_or<std::uint32_t>("passes", 0, {0, 64});
    speculation.layers = table.get_or<std::uint32_t>("layers", 1, {1, 64});
    speculation.block = table.get_or<bool>("block", false);
    speculation.captured = table.get_or<bool>("captured", true);
    speculation.on_host = table.get_or<bool>("on_host", false);
    speculation.pass_host_us = table.get_or<double>("pass_host_us", speculation.pass_host_us, {0, 1e6});
    if (speculation.on_host && speculation.passes != 0) {
        throw table.error("passes", "no layer runs where tokens are drafted on_host");
    }
    table.finish();
}

void read_copies(TableReader table, Copies& copies) {
    constexpr double most_kb = 1e9;
    copies.pinned = table.get_or<bool>("pinned", true);
    copies.request_in_kb = table.get_or<double>("request_in_kb", 0, {0, most_kb});
    copies.token_in_kb = table.get_or<double>("token_in_kb", 0, {0, most_kb});
    copies.result_out_kb = table.get_or<double>("result_out_kb", 0, {0, most_kb});
    copies.double_buffered = table.get_or<bool>("double_buffered", false);
    copies.distinct = table.get_or<std::uint32_t>("distinct", 0, {0, most_count});
    copies.cached = table.get_or<std::uint32_t>("cached", 0, {0, most_count});
    if (copies.cached != 0 && copies.distinct == 0) {
        throw table.error("cached",
                          "of requests whose inputs all differ, none is needed again: set distinct");
    }
    table.finish();
}

std::vector<Rung> read_ladder(TableReader& root) {
    std::vector<Rung> ladder;
    for (TableReader& table : root.tables("rung")) {
        Rung& rung = ladder.emplace_back();
        rung.name = table.get<std::string>("name");
        rung.settings = table.list<std::string>("set");
        if (rung.settings.empty()) {
            throw table.error("set", "a rung changes a value, as in set = [\"serve.mode=graph\"]");
        }
        table.finish();
    }
    return ladder;
}

/// A model's file, beside the serving file or below the shipped scenarios.
networks::llm::ModelConfig model_of(TableReader& serve, const toolchain::Installation& installation) {
    const auto name = serve.get<std::string>("model");
    const std::filesystem::path beside = serve.node().file().folder() / name;
    const std::filesystem::path shipped = installation.scenarios() / "serving" / "models" / (name + ".json");
    std::error_code error;
    if (std::filesystem::is_regular_file(beside, error)) {
        return networks::llm::open_model(beside);
    }
    if (std::filesystem::is_regular_file(shipped, error)) {
        return networks::llm::open_model(shipped);
    }
    std::vector<std::string> known;
    for (const auto& entry : std::filesystem::directory_iterator{shipped.parent_path(), error}) {
        if (entry.path().extension() == ".json") {
            known.push_back(entry.path().stem().string());
        }
    }
    std::ranges::sort(known);
    throw serve.error("model",
                      fmt::format("'{}' is no file beside this one and no shipped model{} (known: {})",
                                  name,
                                  nearest_hint(name, known),
                                  fmt::join(known, ", ")));
}

/// Replicas for prompts alone: their layout, their memory, and devices for all.
void check_prompts(const ServeConfig& config) {
    if (config.prompt_replicas != 0) {
        throw UserError{"{}: either serve.prompt_replicas or [prompts], not both", config.place};
    }
    const ServeConfig prompts = config.prompt_config();
    networks::llm::check_layout(prompts.deployment(), config.place + ": [prompts]");
    (void)cache_blocks(prompts);
    if (config.devices() > config.node.size()) {
        throw UserError{"{}: [layout] and [prompts] take {} devices, and {} has {}",
                        config.place,
                        config.devices(),
                        config.node.name,
                        config.node.size()};
    }
}

void check(const ServeConfig& config) {
    networks::llm::check_layout(config.deployment(), config.place);
    if (config.prompts) {
        check_prompts(config);
    }
    if (config.requests.computed && (config.prompts || config.prompt_replicas != 0)) {
        throw UserError{"{}: requests.computed leaves nothing to do for replicas of prompts alone",
                        config.place};
    }
    const std::uint64_t blocks = cache_blocks(config) / config.layout.pipeline;  // of a scheduler
    const Length& prompt = config.requests.prompt;
    const Length& output = config.requests.output;
    const double longest = static_cast<double>(prompt.mean) * (1 + prompt.spread) +
                           static_cast<double>(output.mean) * (1 + output.spread);
    std::uint64_t tokens = config.requests.trace.empty() ? static_cast<std::uint64_t>(longest) : 0;
    for (const Request& request : config.requests.trace) {
        tokens = std::max(tokens, request.prompt + request.output);
    }
    if (tokens > blocks * config.cache_block) {
        throw UserError{
            "{}: a request may take {} tokens, and the cache of a device has room for {}: {} fewer",
            config.place,
            tokens,
            blocks * config.cache_block,
            tokens - blocks * config.cache_block};
    }
    if (!config.scheduler.chunked && config.scheduler.max_tokens < config.requests.prompt.mean) {
        throw UserError{
            "{}: prompts have {} tokens, and a step takes {}: with scheduler.chunked = false a prompt must "
            "fit a step",
            config.place,
            config.requests.prompt.mean,
            config.scheduler.max_tokens};
    }
    if (config.prompt_replicas >= config.layout.replicas && config.prompt_replicas != 0) {
        throw UserError{"{}: {} replicas for prompts leave none of {} to decode",
                        config.place,
                        config.prompt_replicas,
                        config.layout.replicas};
    }
}

/// Sets a chip's values by path; says which of them are others now.
std::vector<std::string> override_values(ChipFile& chip, const TableReader& values) {
    const auto texts = [&] {
        std::vector<std::pair<std::string, std::string>> all;
        for (const FieldRef& one : fields_of(chip.spec)) {
            all.emplace_back(one.path, one.text());
        }
        return all;
    };
    const auto before = texts();
    override_fields(chip, values);
    std::vector<std::string> others;
    const auto after = texts();
    for (std::size_t i = 0; i < after.size(); ++i) {
        if (after[i].second != before[i].second) {
            others.push_back(fmt::format("{} = {}", after[i].first, after[i].second));
        }
    }
    return others;
}

ServeConfig read_from(const TomlFile& file, const toolchain::Installation& installation) {
    TableReader root = file.reader();
    TableReader serve = root.require_table("serve");
    const std::filesystem::path models = installation.root / "models";
    ServeConfig config;
    config.place = file.name();
    config.model = model_of(serve, installation);
    config.title = serve.get_or<std::string>("title", config.model.name);
    config.node = node::open_node(serve.get<std::string>("node"), models / "nodes").spec;
    if (serve.choice("expansion", {"aiv", "ai_cpu"}) == "ai_cpu") {
        if (config.node.collective.direct_bytes == 0) {
            throw serve.error(
                "expansion",
                fmt::format("exchanges of {} take one way whatever their size", config.node.name));
        }
        config.node.collective.direct_bytes = 0;  // that protocol is the vector cores'
    }
    ChipFile chip = open_chip(serve.get_or<std::string>("chip", config.node.chip), installation.chips());
    if (const auto values = part(root, "chip")) {
        config.chip_values = override_values(chip, *values);
        settle_chip(chip);
    }
    config.chip = chip.spec;
    config.power = chip.power;
    config.host = node::open_host(serve.get_or<std::string>("host", config.node.host), models / "hosts").spec;
    const std::string mode = serve.choice("mode", {"graph", "piecewise", "queue", "eager"});
    config.piecewise = mode == "piecewise";
    config.mode = config.piecewise ? node::IssueMode::graph : node::issue_mode(mode).value();
    config.weights = read_weights(serve, config.model);
    config.cache = serve.choice("cache", {"half", "int8"}) == "int8" ? networks::llm::Cache::int8
                                                                     : networks::llm::Cache::half;
    config.attention = serve.choice("attention", {"fused", "apart"}) == "fused"
                           ? networks::llm::AttentionKernels::fused
                           : networks::llm::AttentionKernels::apart;
    const std::string routing = serve.choice("routing", {"trained", "drawn", "even"});
    config.routing = routing == "trained" ? networks::llm::Routing::trained
                     : routing == "drawn" ? networks::llm::Routing::drawn
                                          : networks::llm::Routing::even;
    config.framework_calls = serve.get_or<std::uint32_t>("framework_calls", 0, {0, 1000});
    config.memory_share = serve.get_or<double>("memory_share", config.memory_share, {0.01, 1});
    config.cache_block = serve.get_or<std::uint64_t>("cache_block", config.cache_block, {16, 1024});
    const auto every = serve.get_or<std::uint32_t>("index_every", 1, {1, 4096});
    if (every > 1 && !config.model.picks_keys()) {
        throw serve.error("index_every", "the attention of this model picks no keys by an index");
    }
    share_index(config.model, every);
    config.prompt_replicas = serve.get_or<std::uint32_t>("prompt_replicas", 0, {0, 4096});
    serve.finish();
    if (auto table = part(root, "layout")) {
        read_layout(*table, config.layout);
        table->finish();
    }
    if (auto table = part(root, "scheduler")) {
        read_scheduler(*table, config.scheduler);
    }
    if (auto table = part(root, "prompts")) {
        config.prompts = read_prompts(*table, config);
    }
    if (auto table = part(root, "speculation")) {
        read_speculation(*table, config.speculation);
    }
    if (auto table = part(root, "copies")) {
        read_copies(*table, config.copies);
    }
    config.ladder = read_ladder(root);
    config.requests = read_requests(root.require_table("requests"));
    root.finish();
    check(config);
    return config;
}

}  // namespace

ServeConfig read_serving(const std::filesystem::path& file,
                         const Settings& settings,
                         const toolchain::Installation& installation) {
    std::vector<scenario::Override> overrides;
    for (const std::string& setting : settings) {
        overrides.push_back(scenario::parse_override(setting));
    }
    return read_from(scenario::with_overrides(TomlFile::open(file), overrides), installation);
}

ServeConfig parse_serving(const std::string& text,
                          const std::filesystem::path& file,
                          const toolchain::Installation& installation) {
    return read_from(TomlFile::parse(text, file.string()), installation);
}

ServeConfig ServeConfig::prompt_config() const {
    ServeConfig result = *this;
    if (prompts) {
        result.layout = prompts->layout;
        result.mode = prompts->mode;
        result.piecewise = prompts->piecewise;
        result.memory_share = prompts->memory_share;
        result.scheduler = prompts->scheduler;
        result.prompts.reset();
    }
    return result;
}

std::uint64_t cache_blocks(const ServeConfig& config) {
    const networks::llm::MemoryUse use =
        networks::llm::memory_of(config.deployment(), config.scheduler.max_tokens);
    const auto room =
        static_cast<std::uint64_t>(config.memory_share * static_cast<double>(config.chip.hbm.bytes));
    const std::uint64_t sequences =
        std::min<std::uint64_t>(config.scheduler.max_sequences,
                                std::max<std::uint64_t>(1, config.requests.count));  // at once, at most
    const std::uint64_t states = use.state * sequences;
    const std::uint64_t taken = use.weights + use.activations + states;
    const std::uint64_t block = use.cache_of_token * config.cache_block;
    constexpr double gib = 1024.0 * 1024 * 1024;
    if (taken + block > room) {
        throw UserError{
            "{}: {} does not fit: weights take {:.1f} GiB of a device, activations {:.1f} GiB, what {} "
            "sequences keep however long they are {:.1f} GiB, and a block of the cache {:.3f} GiB, which is "
            "{:.1f} GiB more than {:.0f} % of the {:.1f} GiB that {} has; "
            "more devices (layout.tensor), int8 weights, an int8 cache or fewer tokens of a step make it "
            "smaller",
            config.place,
            config.model.name,
            static_cast<double>(use.weights) / gib,
            static_cast<double>(use.activations) / gib,
            sequences,
            static_cast<double>(states) / gib,
            static_cast<double>(block) / gib,
            static_cast<double>(taken + block - room) / gib,
            100 * config.memory_share,
            static_cast<double>(config.chip.hbm.bytes) / gib,
            config.chip.name};
    }
    return (room - taken) / block;
}

}  // namespace ascendsim::serving
