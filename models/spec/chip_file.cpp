// SPDX-License-Identifier: Apache-2.0
#include "models/spec/chip_file.hpp"

#include <algorithm>
#include <optional>
#include <system_error>

#include "sim/base/lower_case.hpp"
#include "sim/config/text.hpp"

namespace ascendsim {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_bases = 8;  // of a chip file, one upon another

bool looks_like_path(std::string_view name) {
    return name.ends_with(".toml") || name.find('/') != std::string_view::npos;
}

/// The file in `folder` whose aliases name the chip.
std::optional<fs::path> find_by_alias(const std::string& name, const fs::path& folder) {
    for (const std::string& chip : list_chips(folder)) {
        fs::path path = folder / (chip + ".toml");
        TableReader table = TomlFile::open(path).reader();
        const std::vector<std::string> aliases = table.list<std::string>("aliases");
        if (std::ranges::find(aliases, name, normalized_chip_name) != aliases.end()) {
            return path;
        }
    }
    return std::nullopt;
}

/// The file that holds the chip; `asker` precedes the message if there is none.
fs::path resolve(std::string_view name_or_path, const fs::path& folder, std::string_view asker) {
    if (looks_like_path(name_or_path)) {
        return fs::path{name_or_path};
    }
    const std::string name = normalized_chip_name(name_or_path);
    const std::vector<std::string> known = list_chips(folder);
    if (std::ranges::find(known, name) != known.end()) {
        return folder / (name + ".toml");
    }
    if (const std::optional<fs::path> path = find_by_alias(name, folder)) {
        return *path;
    }
    throw UserError{"{}chip {}: {} (in {}: {})",
                    asker,
                    in_quotes(name_or_path),
                    "no such chip" + nearest_hint(name.substr(0, 64), known),
                    folder.string(),
                    fmt::join(known, ", ")};
}

void read_chip(ChipFile& chip, const fs::path& path, const fs::path& folder, std::vector<fs::path>& opened) {
    if (std::ranges::find(opened, path) != opened.end() || opened.size() > max_bases) {
        throw UserError{"{}: the chip is its own base", path.string()};
    }
    opened.push_back(path);
    const TomlFile file = TomlFile::open(path);
    TableReader table = file.reader();
    if (const std::optional<Node> base = table.find("base")) {
        const auto name = base->as<std::string>();
        const fs::path relative = looks_like_path(name) ? file.folder() / name : fs::path{name};
        read_chip(chip, resolve(relative.string(), folder, base->place() + ": base: "), folder, opened);
    }
    chip.spec.title = table.get_or<std::string>("title", chip.spec.title);
    chip.spec.arch = table.get_or<std::string>("arch", chip.spec.arch);
    chip.aliases = table.list<std::string>("aliases");
    read_fields(all_fields(chip), table, Completeness::with_source, chip.provenance);
}

void require_complete(ChipFile& chip) {
    const std::string file = chip.path.string();
    if (chip.spec.title.empty() || chip.spec.arch.empty()) {
        throw UserError{"{}:1: {} is missing", file, chip.spec.title.empty() ? "title" : "arch"};
    }
    for (const FieldRef& field : all_fields(chip)) {
        if (!chip.provenance.contains(field.path)) {
            throw UserError{
                "{}:1: {} is missing; every parameter needs a value, or the file a base", file, field.path};
        }
    }
}

bool is_overridden(const ChipFile& chip, std::string_view path) {
    return chip.provenance.find(path)->second.tag == "set";
}

}  // namespace

std::vector<FieldRef> all_fields(ChipFile& chip) {
    std::vector<FieldRef> fields = fields_of(chip.spec);
    for (FieldRef field : fields_of(chip.power)) {
        field.path.insert(0, "power.");
        fields.push_back(std::move(field));
    }
    return fields;
}

std::string normalized_chip_name(std::string_view name) {
    std::string result = lower(name);
    if (result.starts_with("ascend")) {
        result.erase(0, 6);
        result.erase(0, result.find_first_not_of(" _-"));
    }
    return result;
}

std::vector<std::string> list_chips(const fs::path& folder) {
    std::error_code failure;
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator{folder, failure}) {
        if (entry.path().extension() == ".toml") {
            names.push_back(entry.path().stem().string());
        }
    }
    if (failure) {
        throw UserError{"{}: the folder of chips cannot be read: {}", folder.string(), failure.message()};
    }
    std::ranges::sort(names);
    return names;
}

ChipFile open_chip(std::string_view name_or_path, const fs::path& folder) {
    ChipFile chip;
    chip.path = resolve(name_or_path, folder, {});
    chip.spec.name = chip.path.stem().string();
    std::vector<fs::path> opened;
    read_chip(chip, chip.path, folder, opened);
    require_complete(chip);
    settle_chip(chip);
    return chip;
}

ChipSpec load_chip(std::string_view name_or_path, const fs::path& folder) {
    return open_chip(name_or_path, folder).spec;
}

void override_field(ChipFile& chip, std::string_view path, std::string_view text) {
    set_field(all_fields(chip), path, text, "--set chip.");
    chip.provenance[std::string{path}] = {.tag = "set", .source = "--set", .place = "--set"};
}

void override_fields(ChipFile& chip, const TableReader& table) {
    read_fields(all_fields(chip), table, Completeness::partial, chip.provenance);
}

void settle_chip(ChipFile& chip) {
    CoresSpec& cores = chip.spec.cores;
    const auto fail = [&](const std::string& path, std::string_view message) {
        throw UserError{"{}: {}: {}", chip.provenance.at(path).place, path, message};
    };
    const std::uint32_t vector_cores = cores.split ? cores.aic * cores.aiv_per_aic : 0;
    const bool groups_overridden =
        is_overridden(chip, "cores.aic") || is_overridden(chip, "cores.aiv_per_aic");
    if (groups_overridden && !is_overridden(chip, "cores.aiv") && cores.aiv != vector_cores) {
        cores.aiv = vector_cores;
        chip.provenance["cores.aiv"].source = "follows cores.aic x cores.aiv_per_aic";
    }
    if (cores.aiv != vector_cores) {
        fail("cores.aiv",
             cores.split ? fmt::format("{} is not cores.aic x cores.aiv_per_aic, {}", cores.aiv, vector_cores)
                         : fmt::format("{} is not 0, yet a coupled chip has no vector cores of their own",
                                       cores.aiv));
    }
    if (chip.spec.port.min_request > chip.spec.port.max_request) {
        fail("port.min_request", "is above port.max_request");
    }
    if (chip.power.limit_w <= chip.power.idle.cost) {
        fail("power.limit_w", fmt::format("is not above power.idle.cost, {} W", chip.power.idle.cost));
    }
    const ScalarSpec& scalar = chip.spec.scalar;
    if (const std::uint32_t most = ScalarSpec::stack_bytes / scalar.dcache_line; scalar.pipe_lines > most) {
        fail("scalar.pipe_lines",
             fmt::format("{} lines of {} B run over a core's stack of {} B; allowed are 0 to {}",
                         scalar.pipe_lines,
                         scalar.dcache_line,
                         ScalarSpec::stack_bytes,
                         most));
    }
}

double peak_fp16_tflops(const ChipSpec& spec) {
    constexpr double fp16_bytes = 2;
    const double multiplies = static_cast<double>(spec.cube.m0) * spec.cube.n0 *
                              (static_cast<double>(spec.cube.k0_bytes) / fp16_bytes);
    return 2 * multiplies * spec.cores.aic * spec.cores.clock_ghz / 1000;
}

}  // namespace ascendsim
