// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/cli/command.hpp"
#include "app/cli/text_output.hpp"
#include "app/scenario/compile_table.hpp"
#include "app/skeleton/skeleton.hpp"
#include "models/isa/instructions.hpp"
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

isa::ListedInstruction find_instruction(const std::string& name) {
    const std::vector<isa::ListedInstruction> all = isa::list_instructions();
    const auto found = std::ranges::find(all, name, &isa::ListedInstruction::name);
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
        options.positional("NAME", name_, "name of the chip, kernel or instruction", false);
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
            const isa::ListedInstruction one = find_instruction(name_);
            if (json_.empty()) {
                say(fmt::format("{}: {}\ndeclared in {}\n", one.name, one.meaning, one.file));
            } else {
                show({{"instruction", one.name}, {"meaning", one.meaning}, {"file", one.file}});
            }
        } else {
            throw UserError{"describe {}: must be one of chip, kernel, instruction{}",
                            what_,
                            nearest_hint(what_, {"chip", "kernel", "instruction"})};
        }
        return exit_good;
    }

private:
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
            if (std::ranges::find(names, name_) != names.end()) {
                what_ = kind;
                return;
            }
            all.insert(all.end(), names.begin(), names.end());
        }
        throw UserError{"describe {}: no chip, kernel or instruction{} (see 'ascendsim list')",
                        name_,
                        nearest_hint(name_, all)};
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

    void show(const ordered_json& json) const { write_json(json_, json); }

    std::string what_;
    std::string name_;
    std::string json_;
};

}  // namespace

std::unique_ptr<Command> make_describe() {
    return std::make_unique<DescribeCommand>();
}

}  // namespace ascendsim::cli
