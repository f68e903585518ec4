// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/cli/command.hpp"
#include "app/cli/interface_calls.hpp"
#include "app/cli/text_output.hpp"
#include "app/scenario/compile_table.hpp"
#include "app/skeleton/skeleton.hpp"
#include "models/isa/instructions.hpp"
#include "models/isa/vector/vector_cost.hpp"
#include "models/spec/chip_file.hpp"
#include "runtime/launches/plan_functions.hpp"
#include "sim/base/error.hpp"
#include "sim/process/file_text.hpp"

namespace ascendsim::cli {
namespace {

using nlohmann::ordered_json;

std::string range_of(const host::Knob& knob) {
    if (!knob.allowed.empty()) {
        return fmt::format("{}", fmt::join(knob.allowed, " | "));
    }
    if (std::holds_alternative<std::int64_t>(knob.value) || std::holds_alternative<double>(knob.value)) {
        return fmt::format("{:.12g} to {:.12g} {}", knob.min, knob.max, knob.unit);
    }
    return std::holds_alternative<bool>(knob.value) ? "true | false" : "extents";
}

void describe_kernel(const std::string& name, const host::KernelHost& kernel) {
    say(fmt::format("{}: {}\n\n", name, kernel.meaning()));
    for (const host::Knob& knob : kernel.knobs()) {
        say(fmt::format("  kernel.{} = {}\n      {} ({})\n",
                        knob.name,
                        host::text(knob.value),
                        knob.meaning,
                        range_of(knob)));
    }
}

ordered_json kernel_json(const std::string& name, const host::KernelHost& kernel) {
    ordered_json knobs = ordered_json::array();
    for (const host::Knob& knob : kernel.knobs()) {
        ordered_json one{{"name", knob.name}};
        one["default"] = std::visit([](const auto& value) { return ordered_json(value); }, knob.value);
        one["allowed"] = knob.allowed;
        if (knob.max > knob.min) {
            one["min"] = knob.min;
            one["max"] = knob.max;
        }
        one["unit"] = knob.unit;
        one["meaning"] = knob.meaning;
        knobs.push_back(std::move(one));
    }
    return {{"kernel", name}, {"meaning", kernel.meaning()}, {"knobs", std::move(knobs)}};
}

std::string in_small_letters(std::string text) {
    std::ranges::transform(
        text, text.begin(), [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return text;
}

/// The interface call of that name, in any case; null if there is none.
const InterfaceCall* find_call(const std::string& name) {
    const auto found =
        std::ranges::find(interface_calls(), in_small_letters(name), [](const InterfaceCall& call) {
            return in_small_letters(std::string{call.name});
        });
    return found == interface_calls().end() ? nullptr : &*found;
}

/// The table of a chip file that says what an instruction of another unit than the vector's costs, by the
/// folder that declares it and its name.
std::string_view table_of(const isa::ListedInstruction& one) {
    const std::string_view name = one.name;
    if (one.file.starts_with("models/isa/sync/")) {
        return "sync.";
    }
    if (name.starts_with("fixpipe") || name.find("matrix_cc") != std::string_view::npos) {
        return "fixpipe.";
    }
    const bool from_gm = name == "load2d_gm";
    if ((name.starts_with("load") && !from_gm) || name == "fill_constant" || name == "copy_ubuf") {
        return "mte1.";
    }
    if (one.file.starts_with("models/isa/move/")) {
        return "port.";
    }
    return name.starts_with("mmad") ? "cube." : "scalar.";
}

/// What an instruction costs on a chip: of the vector unit's by type, of others the parameters of their unit.
ordered_json cost_json(const isa::ListedInstruction& one, const ChipFile& chip) {
    ordered_json cost{{"chip", chip.spec.name}};
    if (const auto vector = isa::vector_cost_of(one.name)) {
        const VectorSpec& unit = chip.spec.vector;
        const VectorCost& numbers = unit.*(vector->cost);
        cost["unit"] = "vector";
        cost["parameters"] = fmt::format("chip.vector.{}.*", vector->name);
        cost["head_cycles"] = numbers.head;
        cost["tail_cycles"] = numbers.tail;
        cost["least_cycles"] = unit.min_cycles;
        cost["by_type"] = ordered_json::array();
        for (const auto& [type, bytes] :
             {std::pair{"8 bits", 1U}, {"16 bits", 2U}, {"32 bits", 4U}, {"64 bits", 8U}}) {
            const double cycles = bytes <= 2 ? numbers.repeat_b16 : numbers.repeat_b32;
            const double elements = static_cast<double>(unit.repeat_bytes) / bytes;
            cost["by_type"].push_back(
                {{"type", type},
                 {"cycles_per_repeat", cycles},
                 {"elements_per_repeat", elements},
                 {"elements_per_cycle", cycles > 0 ? ordered_json(elements / cycles) : nullptr}});
        }
        return cost;
    }
    cost["unit"] = std::string{table_of(one).substr(0, table_of(one).size() - 1)};
    cost["numbers"] = ordered_json::array();
    const ordered_json described = describe_chip_json(chip);
    for (const ordered_json& parameter : described["parameters"]) {
        if (parameter["path"].get_ref<const std::string&>().starts_with(table_of(one))) {
            cost["numbers"].push_back({{"path", parameter["path"]},
                                       {"value", parameter["value"]},
                                       {"unit", parameter["unit"]},
                                       {"meaning", parameter["meaning"]}});
        }
    }
    return cost;
}

ordered_json instruction_json(const isa::ListedInstruction& one, const ChipFile& chip) {
    return {{"instruction", one.name},
            {"meaning", one.meaning},
            {"file", one.file},
            {"calls", calls_of(one.name)},
            {"cost", cost_json(one, chip)}};
}

void describe_instruction(const ordered_json& json) {
    say(fmt::format("{}: {}\n  declared in {}\n",
                    json["instruction"].get<std::string>(),
                    json["meaning"].get<std::string>(),
                    json["file"].get<std::string>()));
    const auto calls = json["calls"].get<std::vector<std::string>>();
    if (!calls.empty()) {
        say(fmt::format("  issued by {}\n", fmt::join(calls, ", ")));
    }
    const ordered_json& cost = json["cost"];
    say(fmt::format("  on {}, {} unit:\n", cost["chip"].get<std::string>(), cost["unit"].get<std::string>()));
    if (cost.contains("by_type")) {
        for (const ordered_json& row : cost["by_type"]) {
            say(fmt::format("    {:<8} {:>7.4g} cycles a repeat of {:>4.0f} elements{}\n",
                            row["type"].get<std::string>(),
                            row["cycles_per_repeat"].get<double>(),
                            row["elements_per_repeat"].get<double>(),
                            row["elements_per_cycle"].is_null()
                                ? std::string{}
                                : fmt::format(", {:.4g} a cycle", row["elements_per_cycle"].get<double>())));
        }
        say(fmt::format(
            "    at least {:g} cycles; {:g} before the first repeat of an empty unit, {:g} until a result "
            "may be used\n    set with --set {}\n",
            cost["least_cycles"].get<double>(),
            cost["head_cycles"].get<double>(),
            cost["tail_cycles"].get<double>(),
            cost["parameters"].get<std::string>()));
        return;
    }
    for (const ordered_json& row : cost["numbers"]) {
        say(fmt::format("    {:<34} {:>10} {:<8} {}\n",
                        row["path"].get<std::string>(),
                        row["value"].dump(),
                        row["unit"].get<std::string>(),
                        row["meaning"].get<std::string>()));
    }
}

isa::ListedInstruction find_instruction(const std::string& name) {
    const std::vector<isa::ListedInstruction> all = isa::list_instructions();
    const auto found = std::ranges::find(all, in_small_letters(name), &isa::ListedInstruction::name);
    if (found != all.end()) {
        return *found;
    }
    std::vector<std::string> names;
    for (const isa::ListedInstruction& one : all) {
        names.emplace_back(one.name);
    }
    throw UserError{
        "'{}' is not an instruction{} (see 'ascendsim list instructions')", name, nearest_hint(name, names)};
}

ordered_json source_json(const std::string& file, const toolchain::Installation& installation) {
    ordered_json entries = ordered_json::array();
    for (const skeleton::KernelSignature& one : skeleton::signatures(file, installation)) {
        ordered_json parameters = ordered_json::array();
        for (const skeleton::ScannedArgument& argument : one.arguments) {
            ordered_json fields = ordered_json::array();
            for (const skeleton::ScannedField& field : argument.fields) {
                fields.push_back({{"name", field.name}, {"type", field.type}, {"count", field.count}});
            }
            parameters.push_back(
                {{"name", argument.name},
                 {"role", skeleton::name(argument.use)},
                 {"type", argument.type.empty() ? ordered_json(nullptr) : ordered_json(argument.type)},
                 {"fields", std::move(fields)},
                 {"written", argument.written},
                 {"reason", argument.reason}});
        }
        entries.push_back({{"entry", one.entry},
                           {"template", one.is_template},
                           {"cores", ascendsim::name(one.cores)},
                           {"parameters", std::move(parameters)}});
    }
    return {{"source", file}, {"entries", std::move(entries)}};
}

void describe_source(const ordered_json& source) {
    for (const ordered_json& entry : source["entries"]) {
        say(fmt::format("{} on {}\n", entry["entry"].get<std::string>(), entry["cores"].get<std::string>()));
        for (const ordered_json& one : entry["parameters"]) {
            say(fmt::format("  {:<24} {:<9} {:<9} {}\n",
                            one["written"].get<std::string>(),
                            one["role"].get<std::string>(),
                            one["type"].is_null() ? "" : one["type"].get<std::string>(),
                            one["reason"].get<std::string>()));
        }
    }
    if (source["entries"].empty()) {
        say(fmt::format("{} has no kernel function\n", source["source"].get<std::string>()));
    }
}

class DescribeCommand final : public Command {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "Describe a chip, a kernel, an instruction or a source";
    }

    void declare(Options& options) override {
        options.choice("WHAT",
                       what_,
                       {"chip", "kernel", "instruction"},
                       "chip, kernel or instruction; or directly the name of one, or the file of a kernel");
        options.positional("NAME", name_, "name of the chip, kernel, instruction or interface call", false);
        options.option("--chip", chip_, "CHIP", "tell what an instruction costs on CHIP (default 910b1)");
        options.output("--json", json_, Output::file, "FILE", "write JSON instead");
    }

    [[nodiscard]] int run(const toolchain::Installation& installation) override {
        if (name_.empty() && scenario::is_source_name(what_)) {
            static_cast<void>(process::read_text(what_));  // says so if it is not there
            const ordered_json source = source_json(what_, installation);
            json_.empty() ? describe_source(source) : show(source);
            return exit_good;
        }
        if (name_.empty()) {
            find_kind(installation);
        }
        if (what_ == "chip") {
            const ChipFile chip = open_chip(name_, installation.chips());
            json_.empty() ? say(describe_chip(chip)) : show(describe_chip_json(chip));
        } else if (what_ == "kernel") {
            const host::KernelHost& kernel = runtime::open_kernel(name_, "describe", installation);
            json_.empty() ? describe_kernel(name_, kernel) : show(kernel_json(name_, kernel));
        } else if (what_ == "instruction") {
            instruction(installation);
        } else {
            throw UserError{"describe {}: must be one of chip, kernel, instruction{}",
                            what_,
                            nearest_hint(what_, {"chip", "kernel", "instruction"})};
        }
        return exit_good;
    }

private:
    /// An instruction, or all that a call of the interface issues.
    void instruction(const toolchain::Installation& installation) const {
        const ChipFile chip = open_chip(chip_, installation.chips());
        // `mmad` is an instruction, `Mmad` the call that issues it.
        const std::vector<isa::ListedInstruction> listed = isa::list_instructions();
        const bool exact = std::ranges::find(listed, name_, &isa::ListedInstruction::name) != listed.end();
        const InterfaceCall* const call = exact ? nullptr : find_call(name_);
        if (call == nullptr) {
            const ordered_json one = instruction_json(find_instruction(name_), chip);
            json_.empty() ? describe_instruction(one) : show(one);
            return;
        }
        ordered_json all = ordered_json::array();
        std::istringstream words{std::string{call->instructions}};
        for (std::string word; words >> word;) {
            all.push_back(instruction_json(find_instruction(word), chip));
        }
        if (!json_.empty()) {
            show({{"call", call->name}, {"note", call->note}, {"instructions", std::move(all)}});
            return;
        }
        say(fmt::format("{} issues {}{}\n",
                        call->name,
                        call->instructions,
                        call->note.empty() ? std::string{} : fmt::format(" ({})", call->note)));
        for (const ordered_json& one : all) {
            say("\n");
            describe_instruction(one);
        }
    }

    /// Of a name alone what it is the name of. Throws UserError with the nearest of all names.
    void find_kind(const toolchain::Installation& installation) {
        static constexpr std::array<std::string_view, 3> kinds{"chip", "kernel", "instruction"};
        if (std::ranges::find(kinds, json_) != kinds.end()) {
            throw UserError{
                "describe {0}: --json took '{1}' as its FILE; write describe {1} {0} --json", what_, json_};
        }
        name_ = what_;
        std::vector<std::string> all;
        for (const std::string_view kind : kinds) {
            const std::vector<std::string> names = names_of(kind, installation);
            if (what_ == kind) {
                throw UserError{"describe {}: say which: {}", what_, fmt::join(names, ", ")};
            }
            const std::string asked = kind == "chip" ? normalized_chip_name(name_) : in_small_letters(name_);
            // `add` is a kernel, `Add` the call of the interface.
            const bool call = kind == "kernel" && name_ != asked && find_call(name_) != nullptr;
            if (!call && std::ranges::find(names, asked) != names.end()) {
                what_ = kind;
                name_ = kind == "kernel" ? asked : name_;
                return;
            }
            all.insert(all.end(), names.begin(), names.end());
        }
        if (find_call(name_) != nullptr) {
            what_ = "instruction";
            return;
        }
        for (const InterfaceCall& call : interface_calls()) {
            all.push_back(in_small_letters(std::string{call.name}));  // names are taken in any letters
        }
        throw UserError{
            "describe {}: no chip, kernel, instruction or interface call{} (see 'ascendsim list')",
            name_,
            nearest_hint(in_small_letters(name_), all)};
    }

    static std::vector<std::string> names_of(std::string_view kind,
                                             const toolchain::Installation& installation) {
        if (kind == "kernel") {
            return installation.kernels();
        }
        if (kind == "chip") {
            return list_chips(installation.chips());
        }
        std::vector<std::string> names;
        for (const isa::ListedInstruction& one : isa::list_instructions()) {
            names.emplace_back(one.name);
        }
        return names;
    }

    void show(const ordered_json& json) const { write_json(json_, "describe", json); }

    std::string what_;
    std::string name_;
    std::string chip_ = "910b1";
    std::string json_;
};

}  // namespace

std::unique_ptr<Command> make_describe() {
    return std::make_unique<DescribeCommand>();
}

}  // namespace ascendsim::cli
