// SPDX-License-Identifier: Apache-2.0
#include "app/scenario/scenario.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <limits>
#include <system_error>

#include <fmt/ranges.h>

#include "app/analysis/run_summary.hpp"
#include "app/scenario/library_operator.hpp"
#include "sim/base/error.hpp"
#include "sim/base/missing_file.hpp"
#include "sim/config/table_reader.hpp"
#include "sim/record/format.hpp"
#include "toolchain/scan/entry_scan.hpp"

namespace ascendsim::scenario {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> names_in(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code missing;
    for (const fs::directory_entry& file : fs::directory_iterator{folder, missing}) {
        if (file.path().extension() == ".toml") {
            names.push_back(file.path().stem().string());
        }
    }
    std::ranges::sort(names);
    return names;
}

/// The file that `name` means: itself, the .toml beside a source, or one of the scenarios folder. The name of
/// a shipped kernel stays as it is.
fs::path resolve(const std::string& name, const toolchain::Installation& installation) {
    const fs::path path{name};
    if (is_source_name(path)) {
        if (!fs::is_regular_file(path)) {
            throw UserError{"{}: no such source{}", name, nearest_file_hint(path)};
        }
        fs::path beside = path;
        beside.replace_extension(".toml");
        if (!fs::is_regular_file(beside)) {
            if (is_program_file(path)) {
                return path;
            }
            throw UserError{
                "{}: there is no {} beside it to say how to start it; 'ascendsim new {}' writes one",
                name,
                beside.filename().string(),
                name};
        }
        return beside;
    }
    const fs::path shipped = installation.scenarios() / (name + ".toml");
    if (!fs::exists(path) && path.extension().empty() && fs::is_regular_file(shipped)) {
        return shipped;
    }
    if (!fs::exists(path) && path.extension().empty() && !path.has_parent_path()) {
        if (!installation.kernel_source(name).empty()) {
            return path;
        }
        const std::vector<std::string> known = names_in(installation.scenarios());
        std::vector<std::string> names = installation.kernels();
        names.insert(names.end(), known.begin(), known.end());
        throw UserError{
            "{}: neither a file nor a scenario nor a kernel{} (scenarios: {}; 'ascendsim list "
            "kernels' has the kernels)",
            name,
            nearest_hint(name, names),
            fmt::join(known, ", ")};
    }
    return path;
}

bool is_recording(const fs::path& path) {
    std::error_code unreadable;
    if (!fs::is_regular_file(path, unreadable)) {  // nothing is taken out of a pipe
        return false;
    }
    std::array<char, record::file_magic.size()> first{};
    std::ifstream{path, std::ios::binary}.read(first.data(), first.size());
    return first == record::file_magic;
}

/// A host program or a shipped kernel without a scenario file is one with nothing but defaults.
TomlFile open_file(const fs::path& path, const toolchain::Installation& installation) {
    if (is_recording(path)) {
        throw UserError{
            "{0}: is a recording, which does not run again: 'ascendsim explain {0}' and 'ascendsim-gui {0}' "
            "show it; to run, name a scenario or a source",
            path.string()};
    }
    if (is_source_name(path)) {
        return TomlFile::parse("[scenario]\n[program]\n", path.string());
    }
    // resolve() leaves the name of a kernel only where no file has it.
    return !fs::exists(path) && !installation.kernel_source(path.string()).empty()
               ? TomlFile::parse(fmt::format("[scenario]\nkernel = \"{}\"\n", path.string()), path.string())
               : TomlFile::open(path);
}

host::KnobValue knob_value(const Node& node) {
    const auto& data = node.value().data;
    if (std::holds_alternative<bool>(data)) {
        return node.as<bool>();
    }
    if (std::holds_alternative<std::int64_t>(data)) {
        return node.as<std::int64_t>();
    }
    if (std::holds_alternative<double>(data)) {
        return node.as<double>();
    }
    if (node.is_array()) {
        return node.list<std::uint64_t>();
    }
    return node.as<std::string>();
}

void read_knobs(TableReader& root, Scenario& scenario) {
    const std::optional<Node> table = root.find("kernel");
    if (!table) {
        return;
    }
    for (const Node& member : table->members()) {
        scenario.knobs.push_back({.name = member.key(),
                                  .value = knob_value(member),
                                  .is_text = member.is_string(),
                                  .place = member.place()});
    }
}

/// The files of [data] or [results], relative to the scenario.
std::vector<BufferFile> read_files(TableReader& root, const char* name) {
    std::vector<BufferFile> files;
    if (const std::optional<Node> table = root.find(name)) {
        for (const Node& member : table->members()) {
            files.push_back({.buffer = member.key(),
                             .file = root.node().file().folder() / member.as<std::string>(),
                             .place = member.place()});
        }
    }
    return files;
}

/// Refuses a figure that no run has. Figures of pipes, routes and whatever else depends on the run are left
/// to it.
void check_figure(const Node& member) {
    static const nlohmann::ordered_json known = [] {
        nlohmann::ordered_json figures = analysis::to_json(analysis::RunSummary{});
        for (const char* key :
             {"outcome", "error", "races", "program", "variant", "launches", "recording", "auto_sync"}) {
            figures[key] = nullptr;
        }
        figures["numerics"]["outputs"] = nullptr;
        return figures;
    }();
    const nlohmann::ordered_json* place = &known;
    std::string_view rest = member.key();
    while (!rest.empty() && place->is_object() && !place->empty()) {
        const std::string key{rest.substr(0, rest.find('.'))};
        const auto found = place->find(key);
        if (found == place->end()) {
            std::vector<std::string> names;
            for (const auto& [name, value] : place->items()) {
                names.push_back(name);
            }
            throw member.error(fmt::format("no run has a figure '{}'{} (known: {})",
                                           member.key(),
                                           nearest_hint(key, names),
                                           fmt::join(names, ", ")));
        }
        place = &*found;
        rest.remove_prefix(std::min(key.size() + 1, rest.size()));
    }
}

/// Limits that no figure can break, or none can meet, are mistakes.
void check_limits(const Node& member, const Expectation& expectation) {
    const std::optional<double> min = expectation.min;
    const std::optional<double> max = expectation.max;
    if (!min && !max) {
        throw member.error("expects nothing: give min, max or both");
    }
    for (const std::optional<double>& limit : {min, max}) {
        if (limit && !std::isfinite(*limit)) {
            throw member.error("must be a finite number; leave min or max out where there is no limit");
        }
    }
    if (min && max && *min > *max) {
        throw member.error(fmt::format("nothing is at least {} and at most {}", *min, *max));
    }
}

Expectation read_expectation(const Node& member) {
    check_figure(member);
    Expectation expectation{
        .path = member.key(), .min = {}, .max = {}, .word = {}, .when = {}, .place = member.place()};
    if (member.is_table()) {
        TableReader limits = member.table();
        for (auto [key, limit] : {std::pair{"min", &expectation.min}, {"max", &expectation.max}}) {
            if (const std::optional<Node> node = limits.find(key)) {
                *limit = node->as<double>();
            }
        }
        limits.finish();
    } else if (member.is_string()) {
        expectation.word = member.as<std::string>();
        if (expectation.path == "races" && expectation.word != "none") {
            throw member.error("must be \"none\"");
        }
    } else if (std::holds_alternative<bool>(member.value().data)) {
        expectation.min = expectation.max = member.as<bool>() ? 1 : 0;
    } else {
        expectation.min = expectation.max = member.as<double>();
    }
    if (!expectation.word) {
        check_limits(member, expectation);
    }
    return expectation;
}

void read_expectations(TableReader& root, Scenario& scenario) {
    const std::optional<Node> table = root.find("expect");
    if (!table) {
        return;
    }
    for (const Node& member : table->members()) {
        if (member.key().find('=') == std::string::npos) {
            scenario.expectations.push_back(read_expectation(member));
            continue;
        }
        const Override when = parse_override(member.key());
        for (const Node& limit : member.members()) {
            scenario.expectations.push_back(read_expectation(limit));
            scenario.expectations.back().when.push_back(when);
        }
    }
}

void read_run_options(TableReader& root, Scenario& scenario) {
    if (std::optional<TableReader> l2 = root.find_table("l2")) {
        scenario.l2 = read_l2_state(*l2, "state");
        l2->finish();
    }
    // What a scenario expects of races is looked for where nothing is computed, too.
    scenario.sanitize =
        scenario.functional || std::ranges::any_of(scenario.expectations, [](const Expectation& one) {
            return one.path == "races" || one.path.starts_with("hazards");
        });
    if (std::optional<TableReader> run = root.find_table("run")) {
        scenario.sanitize = run->get_or<bool>("sanitize", scenario.sanitize);
        scenario.time_order = run->get_or<bool>("time_order", false);
        constexpr double most_timings = 1000;
        scenario.perturb = run->get_or<std::uint32_t>("perturb", 0, {0, most_timings});
        scenario.perturb_seed = run->get_or<std::uint64_t>("perturb_seed", 1);
        scenario.poison = run->get_or<std::uint64_t>("poison", 0);
        constexpr double most = 1e6;
        scenario.warm_up = run->get_or<std::uint32_t>("warm_up", 0, {0, most});
        scenario.repeat = run->get_or<std::uint32_t>("repeat", 1, {1, most});
        if (const std::optional<Node> bytes = run->find("argument_bytes")) {
            scenario.argument_bytes = bytes->as<std::uint32_t>();
        }
        scenario.from_idle = run->get_or<bool>("from_idle", false);
        scenario.launch_overhead = run->get_or<bool>("launch_overhead", true);
        scenario.verbose = run->get_or<bool>("verbose", false);
        run->finish();
    }
    if (std::optional<TableReader> limits = root.find_table("limits")) {
        ProgramLimits& program = scenario.limits;
        program.instructions = limits->get_or<std::uint64_t>("instructions", program.instructions, {1, 1e18});
        program.cycles = limits->get_or<std::uint64_t>("cycles", program.cycles, {1, 1e18});
        program.arithmetic_cycles =
            limits->get_or<std::uint32_t>("arithmetic_cycles", program.arithmetic_cycles, {1, 2e9});
        program.strict = limits->get_or<bool>("strict", program.strict);
        scenario.idle_limit_s = limits->get_or<double>("idle_s", scenario.idle_limit_s, {0.1, 1e6});
        limits->finish();
    }
}

/// [[allow]]: kind, why, and optionally file and line.
void read_allowances(TableReader& root, Scenario& scenario) {
    for (TableReader& table : root.tables("allow")) {
        const Node kind = table.require("kind");
        const auto word = kind.as<std::string>();
        const std::optional<sanitize::Kind> known = sanitize::kind_named(word);
        if (!known || !sanitize::is_error(*known)) {
            std::vector<std::string> words;
            for (std::size_t i = 0; i < sanitize::kind_count; ++i) {
                if (sanitize::is_error(static_cast<sanitize::Kind>(i))) {
                    words.emplace_back(sanitize::name(static_cast<sanitize::Kind>(i)));
                }
            }
            throw kind.error(fmt::format("'{}' is no kind of hazard{}; they are: {}",
                                         word,
                                         nearest_hint(word, words),
                                         fmt::join(words, ", ")));
        }
        constexpr double most_lines = 1e9;
        scenario.allowed.push_back({.kind = *known,
                                    .file = table.get_or<std::string>("file", {}),
                                    .line = table.get_or<std::uint32_t>("line", 0, {1, most_lines}),
                                    .why = table.get<std::string>("why")});
        table.finish();
    }
}

/// The chip that a scenario names, or the usual one. A name of nothing is told at its line.
ChipFile chip_of(const std::optional<Node>& node, const fs::path& folder) {
    const std::string name = node ? node->as<std::string>() : "910b3";
    try {
        return open_chip(name, folder);
    } catch (const UserError& error) {
        if (node && node->line() != 0 && std::string_view{error.what()}.starts_with("chip \"")) {
            throw UserError{"{}: {}: {}", node->place(), node->path(), error.what()};
        }
        throw;  // it names the option, or the line of the chip's own file
    }
}

/// [scenario]: title, chip, mode, seed and where the kernel is from. Returns the kernel's source if it brings
/// one.
fs::path read_head(TableReader& root,
                   Scenario& scenario,
                   const toolchain::Installation& installation,
                   const fs::path& given) {
    TableReader head = root.require_table("scenario");
    scenario.title = head.get_or<std::string>("title", scenario.name);
    static_cast<void>(head.get_or<std::string>("description", {}));
    static_cast<void>(head.get_or<std::string>("lesson", {}));
    scenario.functional = head.choice("mode", {"functional", "timing"}) == "functional";
    scenario.seed = head.get_or<std::uint64_t>("seed", 1);
    const bool is_operator = root.find("operator").has_value();
    const std::optional<Node> kernel = head.find("kernel");
    const std::optional<Node> source = head.find("source");
    const std::optional<Node> chip = head.find("chip");
    const auto ranks = head.get_or<std::uint32_t>("ranks", 0, {2, runtime::most_chips});
    head.finish();
    scenario.ranks = read_ranks(root, ranks);
    if (kernel && source) {
        throw source->error("give either kernel or source");
    }
    if (is_operator && (kernel || source)) {
        throw(kernel ? kernel : source)->error("[operator] says what runs");
    }
    if (!kernel && !source && given.empty() && !is_operator) {
        throw head.error("kernel", "must name a kernel; or give source = \"my_kernel.cpp\"");
    }
    scenario.chip = chip_of(chip, installation.chips());
    if (is_operator) {
        return {};
    }
    if (kernel) {
        scenario.kernel = kernel->as<std::string>();
        scenario.kernel_place = kernel->place() + ": " + kernel->path();
        return {};
    }
    const fs::path path = source ? root.node().file().folder() / source->as<std::string>() : given;
    if (!fs::is_regular_file(path)) {
        throw source->error(fmt::format("{}: {}", path.string(), why_unreadable(path)));
    }
    return path;
}

}  // namespace

ScenarioFile::ScenarioFile(const std::string& name,
                           const toolchain::Installation& installation,
                           std::vector<Override> overrides)
    : installation_{installation},
      overrides_{std::move(overrides)},
      file_{open_file(resolve(name, installation), installation)} {
    fs::path beside{path()};
    if (is_source_name(name)) {
        source_ = name;
    } else if (is_source_name(beside)) {
        source_ = beside;
    } else if (fs::is_regular_file(beside.replace_extension(".cpp"))) {
        source_ = beside;
    }
}

std::vector<Variants> ScenarioFile::variants() const {
    std::vector<Variants> result;
    TableReader root = with_overrides(file_, overrides_).reader();
    const std::optional<Node> table = root.find("variants");
    if (!table) {
        return result;
    }
    for (const Node& member : table->members()) {
        const bool chosen = std::ranges::find(overrides_, member.key(), &Override::path) != overrides_.end();
        if (chosen) {
            continue;
        }
        Variants variant{.path = member.key(), .values = {}};
        for (const Node& value : member.items()) {
            variant.values.push_back(text(value.value()));
        }
        if (variant.values.empty()) {
            throw member.error("must list at least one value");
        }
        result.push_back(std::move(variant));
    }
    return result;
}

std::vector<std::vector<Override>> ScenarioFile::runs() const {
    constexpr std::size_t most = 10000;
    std::vector<std::vector<Override>> result{overrides_};
    for (const Variants& variant : variants()) {
        std::vector<std::vector<Override>> longer;
        for (const std::vector<Override>& run : result) {
            for (const std::string& value : variant.values) {
                longer.push_back(run);
                longer.back().push_back({variant.path, value});
            }
        }
        result = std::move(longer);
        if (result.size() > most) {
            throw UserError{"{}: variants make more than {} runs", path(), most};
        }
    }
    return result;
}

namespace {

/// What runs: a whole program, a kernel of the user's own, or neither: then a kernel of the tree does.
void read_source(TableReader& root,
                 const fs::path& source,
                 const toolchain::Installation& installation,
                 Scenario& scenario) {
    if (const std::optional<Node> table = root.find("operator")) {
        scenario.user = library_kernel(read_operator(*table), scenario.chip.spec, installation);
        scenario.allowed.push_back(
            {.kind = sanitize::Kind::never_written,
             .file = {},
             .why = "an operator may leave outputs that this call does not ask for, or that "
                    "depend on what it finds",
             .usual = true});
        const CompileChoice choice = read_compile(root);
        scenario.user->flags.insert(scenario.user->flags.begin(), choice.flags.begin(), choice.flags.end());
        return;
    }
    const bool program = root.find("program").has_value() ||
                         (!source.empty() && !root.find("launch") && is_program_file(source));
    if (program && source.empty()) {
        throw root.error("program",
                         "needs scenario.source = \"main.cpp\"; files more go into compile.sources");
    }
    if (program) {
        scenario.program = read_host_program(root, source);
    } else if (!source.empty()) {
        if (!scenario.knobs.empty()) {
            throw UserError{"{}: kernel.{}: a kernel of one's own has no knobs; use [[args]]",
                            scenario.knobs.front().place,
                            scenario.knobs.front().name};
        }
        scenario.user = read_user_kernel(root, source);
        if (scenario.user->tiling) {
            complete_tiling(*scenario.user, *scenario.user->tiling, scenario.chip.spec, installation);
        }
    }
}

/// A kernel has no main that words could be for.
void refuse_words(TableReader& root) {
    std::optional<TableReader> command = root.find_table("command");
    const std::vector<std::string> words =
        command ? command->list<std::string>("arguments") : std::vector<std::string>{};
    if (!words.empty()) {
        throw UserError{
            "{}: '{}' is not expected behind it: words there are for the main of a program; one command "
            "takes "
            "one scenario",
            root.node().file().name(),
            words.front()};
    }
}

}  // namespace

Scenario ScenarioFile::read(const std::vector<Override>& run) const {
    Scenario scenario = read_one(run);
    if (!scenario.ranks.ranks.empty() && scenario.program) {
        throw UserError{
            "{}: [[ranks]] are for kernels; a host program makes its ranks itself (HcclCommInitAll)", path()};
    }
    if (!scenario.ranks.ranks.empty() && scenario.warm_up + scenario.repeat != 1) {
        throw UserError{"{}: run.warm_up and run.repeat: a run with [[ranks]] is one execution", path()};
    }
    std::uint64_t seed = scenario.seed;
    for (const RankSetting& rank : scenario.ranks.ranks) {
        const bool of_chip = std::ranges::any_of(rank.set, [](const Override& one) {
            return one.path == "chip" || one.path.starts_with("chip.") || one.path == "scenario.chip";
        });
        std::vector<Override> own = run;
        own.insert(own.end(), rank.set.begin(), rank.set.end());
        Scenario of_rank = read_one(own);
        if (of_chip || of_rank.functional != scenario.functional) {
            throw UserError{"{}: set: all ranks have one chip and one mode", rank.place};
        }
        of_rank.seed = of_rank.seed == scenario.seed ? seed++ : of_rank.seed;
        scenario.of_ranks.push_back(std::move(of_rank));
    }
    return scenario;
}

Scenario ScenarioFile::read_one(const std::vector<Override>& run) const {
    Scenario scenario;
    scenario.file = path();
    scenario.name = run_name(scenario.file);
    scenario.overrides = run;
    TableReader root = with_overrides(file_, run).reader();
    const fs::path source = read_head(root, scenario, installation_, source_);
    static_cast<void>(root.find("variants"));
    static_cast<void>(root.find("tune"));
    static_cast<void>(root.find("baseline"));
    static_cast<void>(root.find("benchmark"));  // app/benchmark reads it
    static_cast<void>(root.find("lesson"));     // scenarios/lessons reads it
    if (std::optional<TableReader> chip = root.find_table("chip")) {
        override_fields(scenario.chip, *chip);
    }
    settle_chip(scenario.chip);
    if (std::optional<TableReader> machine = root.find_table("whatif")) {
        scenario.planned_for = scenario.chip.spec;
        override_fields(scenario.chip, *machine);
        settle_chip(scenario.chip);
    }
    read_knobs(root, scenario);
    if (!scenario.kernel.empty()) {
        scenario.data = read_files(root, "data");
        scenario.results = read_files(root, "results");
    }
    read_expectations(root, scenario);
    read_run_options(root, scenario);
    read_allowances(root, scenario);
    scenario.facts = read_facts(root);
    scenario.claims = read_claims(root);
    read_source(root, source, installation_, scenario);
    if (!scenario.program) {
        refuse_words(root);
    }
    if (source.empty() && !scenario.user && root.find("command")) {
        throw UserError{
            "{}: kernel '{}' comes with the simulator and is compiled as it is: options for the compiler "
            "(-D, -I, --cce-auto-sync and others) are for sources of your own",
            scenario.file.string(),
            scenario.kernel};
    }
    root.finish();
    if (!source.empty() || scenario.user) {
        const std::string& arch = scenario.chip.spec.arch;
        scenario.auto_sync = read_sync_option(with_overrides(file_, run).reader(),
                                              scenario.user ? scenario.user->source : source,
                                              arch.empty() ? "2201" : arch,
                                              installation_.scenarios());
    }
    return scenario;
}

}  // namespace ascendsim::scenario
