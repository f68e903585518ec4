// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/command.hpp"
#include "app/cli/text_output.hpp"
#include "models/spec/chip_file.hpp"
#include "sim/base/error.hpp"
#include "sim/base/missing_file.hpp"
#include "toolchain/build/program_build.hpp"

namespace ascendsim::cli {
namespace {

namespace fs = std::filesystem;

class BuildCommand final : public Command {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "Compile a host program without running it, and name what came of it";
    }

    void declare(Options& options) override {
        options.positionals("SOURCE", files_, "the files of the program, one of which has its main");
        options.option("--chip", chip_, "CHIP", "compile for the cores of CHIP (default 910b3)");
        options.list("-I", includes_, "DIR", "search DIR for headers");
        options.list("-D", defines_, "NAME[=VALUE]", "define a macro");
        options.list("--include", headers_, "HEADER", "include HEADER at the start of every source");
        options.list("--source", more_, "FILE", "compile FILE too, as part of the program");
        options.list("--compile-flag", flags_, "FLAG", "pass FLAG to the compiler");
        options.output(
            "--json", json_, Output::file, "FILE", "write the places of objects and plug-ins as JSON");
    }

    [[nodiscard]] int run(const toolchain::Installation& installation) override {
        const ChipFile chip = open_chip(chip_, installation.chips());
        // Flags in the order, and paths in the form, of a scenario: what is built here is found by a run.
        toolchain::ProgramSources sources{.files = {},
                                          .flags = {},
                                          .forced = {},
                                          .link = {},
                                          .arch = chip.spec.arch.empty() ? "2201" : chip.spec.arch,
                                          .coupled = !chip.spec.cores.split};
        std::vector<std::string> files = files_;
        files.insert(files.end(), more_.begin(), more_.end());
        for (const std::string& file : files) {
            if (!fs::is_regular_file(file)) {
                throw UserError{"{}: no such source{}", file, nearest_file_hint(file)};
            }
            sources.files.push_back(fs::absolute(file).lexically_normal());
        }
        for (const std::string& folder : includes_) {
            sources.flags.push_back("-I" + fs::absolute(folder).lexically_normal().string());
        }
        for (const std::string& define : defines_) {
            sources.flags.push_back("-D" + define);
        }
        sources.flags.insert(sources.flags.end(), flags_.begin(), flags_.end());
        sources.forced.assign(headers_.begin(), headers_.end());
        tell(toolchain::build_program(sources, {.installation = installation}));
        return exit_good;
    }

private:
    void tell(const toolchain::BuiltProgram& built) const {
        nlohmann::ordered_json objects = nlohmann::ordered_json::object();
        for (const auto& [source, object] : built.host_objects) {
            objects[source.string()] = object.string();
        }
        const nlohmann::ordered_json all{{"host", built.host.string()},
                                         {"vector", built.vector.string()},
                                         {"cube", built.cube.string()},
                                         {"host_objects", objects},
                                         {"launches", built.launches},
                                         {"compiled", built.compiled},
                                         {"warnings", built.warnings}};
        if (!takes_standard_output({json_})) {
            say(fmt::format("{} passes compiled; the others came from the cache\n", built.compiled));
            for (const std::string& warning : built.warnings) {
                say(warning + "\n");
            }
        }
        write_json(json_, "build", all);
    }

    std::vector<std::string> files_;
    std::vector<std::string> more_;
    std::string chip_ = "910b3";
    std::vector<std::string> includes_;
    std::vector<std::string> defines_;
    std::vector<std::string> headers_;
    std::vector<std::string> flags_;
    std::string json_;
};

}  // namespace

std::unique_ptr<Command> make_build() {
    return std::make_unique<BuildCommand>();
}

}  // namespace ascendsim::cli
