// SPDX-License-Identifier: Apache-2.0
#include "app/validation/serving/nightly_runs.hpp"

#include <algorithm>

#include "sim/base/lower_case.hpp"

namespace ascendsim::validation {
namespace {

constexpr double most_number = 1 << 24;

std::optional<std::uint64_t> number_if_there(TableReader& table, std::string_view key, double least = 1) {
    const auto node = table.find(key);
    return node ? std::optional{node->as<std::uint64_t>({least, most_number})} : std::nullopt;
}

/// What a row's chip says of its machine.
std::string machine_of(const SystemRow& row) {
    const std::string chip = lower(row.chip);
    for (const auto& [word, machine] : {std::pair{"310p", "310p"},
                                        std::pair{"a3", "a3"},
                                        std::pair{"910c", "a3"},
                                        std::pair{"910b", "a2"}}) {
        if (chip.find(word) != std::string::npos) {
            return machine;
        }
    }
    return {};
}

/// What any server's command says.
ServerCommand laid_out(TableReader& table) {
    ServerCommand command;
    command.tensor = table.get<std::uint64_t>("tensor", {1, 4096});
    command.pipeline = table.get_or<std::uint64_t>("pipeline", 1, {1, 1024});
    command.replicas = table.get_or<std::uint64_t>("replicas", 1, {1, 4096});
    command.expert_parallel = table.get_or<bool>("expert_parallel", false);
    command.filled_up = table.get_or<bool>("filled_up", false);
    command.repeated = table.get_or<bool>("repeated", false);
    command.attention_by_tokens = table.get_or<bool>("attention_by_tokens", false);
    command.gathers_from = number_if_there(table, "gathers_from", 0);
    command.row_by_row = number_if_there(table, "row_by_row", 0);
    command.mode = table.choice("mode", {"piecewise", "full", "eager"});
    command.max_sequences = number_if_there(table, "max_sequences");
    command.max_tokens = number_if_there(table, "max_tokens");
    if (table.find("memory_share")) {
        command.memory_share = table.get<double>("memory_share", {0.01, 1});
    }
    command.prefix_cache = table.get_or<bool>("prefix_cache", true);
    return command;
}

}  // namespace

ServerCommand read_prompt_command(TableReader table) {
    ServerCommand command = laid_out(table);
    table.finish();
    return command;
}

ServerCommand read_command(TableReader table) {
    ServerCommand command = laid_out(table);
    command.expansion = table.choice("expansion", {"aiv", "ai_cpu"});
    command.synchronous = table.get_or<bool>("synchronous", false);
    command.drafted = table.get_or<std::uint64_t>("drafted", 0, {0, 64});
    command.draft = table.get_or<std::string>("draft", "");
    if (table.find("accepted")) {
        command.accepted = table.get<double>("accepted", {0, static_cast<double>(command.drafted)});
    }
    command.even_experts = table.get_or<bool>("even_experts", false);
    command.draft_eager = table.get_or<bool>("draft_eager", false);
    command.chunked = table.get_or<bool>("chunked", true);
    command.cache = table.get_or<std::string>("cache", "");
    command.index_every = table.get_or<std::uint64_t>("index_every", 1, {1, 4096});
    command.framework_calls = table.get_or<std::uint64_t>("framework_calls", 0, {0, 1000});
    table.finish();
    return command;
}

std::vector<NightlyRun> read_nightly_runs(const std::filesystem::path& file) {
    const TomlFile toml = TomlFile::open(file);
    TableReader root = toml.reader();
    std::vector<NightlyRun> runs;
    for (TableReader& table : root.tables("run")) {
        NightlyRun& run = runs.emplace_back();
        run.name = table.get<std::string>("name");
        run.model = table.get<std::string>("model");
        (void)table.get<std::string>("file");
        run.machine = table.choice("machine", {"a3", "a2", "310p"});
        run.devices = table.get_or<std::uint64_t>("devices", 0, {0, most_number});
        run.loads = table.list<std::string>("loads");
        run.floor = table.get_or<std::string>("floor", {});
        run.server = read_command(table.require_table("server"));
        if (auto prompts = table.find_table("prompts")) {
            run.prompts = read_prompt_command(*prompts);
        }
        table.finish();
    }
    root.finish();
    return runs;
}

const NightlyRun* nightly_run(const std::vector<NightlyRun>& runs, const SystemRow& row) {
    const std::size_t open = row.workload.find('[');
    const std::size_t close = row.workload.rfind(']');
    if (open == std::string::npos || close == std::string::npos || close < open) {
        return nullptr;
    }
    const std::string name = row.workload.substr(open + 1, close - open - 1);
    std::vector<const NightlyRun*> found;
    for (const NightlyRun& run : runs) {
        if (run.name == name && row.workload.find(run.model) != std::string::npos) {
            found.push_back(&run);
        }
    }
    const auto keep = [&](const auto& holds) {
        std::vector<const NightlyRun*> kept;
        std::ranges::copy_if(found, std::back_inserter(kept), holds);
        if (!kept.empty()) {
            found = std::move(kept);
        }
    };
    const std::string machine = machine_of(row);
    if (found.size() > 1 && !machine.empty()) {
        keep([&](const NightlyRun* run) { return run->machine == machine; });
    }
    if (found.size() > 1) {
        keep([&](const NightlyRun* run) {
            return std::ranges::any_of(run->loads, [&](const std::string& load) {
                return (row.shape + " ").starts_with(load + " ");
            });
        });
    }
    return found.size() == 1 ? found.front() : nullptr;
}

}  // namespace ascendsim::validation
