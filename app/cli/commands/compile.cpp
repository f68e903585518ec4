// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/cli/command.hpp"
#include "app/cli/text_output.hpp"
#include "app/scenario/compile_table.hpp"
#include "models/spec/chip_file.hpp"
#include "sim/base/error.hpp"
#include "sim/base/missing_file.hpp"
#include "sim/process/in_parallel.hpp"
#include "toolchain/build/program_build.hpp"
#include "toolchain/installation/cache_files.hpp"
#include "toolchain/project/operator_project.hpp"
#include "toolchain/project/sync_option.hpp"
#include "toolchain/scan/entry_scan.hpp"
#include "toolchain/scan/source_closure.hpp"
#include "toolchain/scan/source_text.hpp"
#include "toolchain/scan/template_choice.hpp"

namespace ascendsim::cli {
namespace {

namespace fs = std::filesystem;
using toolchain::Pass;

/// What became of one source.
struct Outcome {
    std::string kind;  // "kernel" or "program"
    std::vector<std::string> entries;
    std::vector<std::string> cores;  // "aiv", "aic", "coupled" of a kernel
    std::string error;               // the compiler's words; empty if it compiles
};

/// The line of the compiler's words that says what is wrong first.
std::string first_error(const std::string& words) {
    std::size_t at = words.find("error:");
    if (at == std::string::npos) {
        return words.substr(0, words.find('\n'));
    }
    const std::size_t begin = words.rfind('\n', at);
    return words.substr(begin == std::string::npos ? 0 : begin + 1,
                        words.find('\n', at) - (begin == std::string::npos ? 0 : begin + 1));
}

/// True if the source or a header of its project names something of the cube unit. Only asked for kernels
/// that do not say on which cores they run.
bool names_the_cube(const fs::path& source, const toolchain::Installation& installation) {
    static constexpr std::string_view names[]{"Mmad",
                                              "MatmulImpl",
                                              "REGIST_MATMUL_OBJ",
                                              "MatmulType",
                                              "ASCEND_IS_AIC",
                                              "KERNEL_TYPE_MIX",
                                              "__DAV_C220_CUBE__"};
    const toolchain::SourceClosure closure{
        source, toolchain::provided_folders(installation), toolchain::cache_folder_of("compile", source)};
    return std::ranges::any_of(closure.texts(), [](const auto& file) {
        const std::string code = toolchain::without_comments(file.second);
        return std::ranges::any_of(
            names, [&](std::string_view name) { return code.find(name) != std::string::npos; });
    });
}

class CompileCommand final : public Command {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "Check which sources compile, without running them";
    }

    void declare(Options& options) override {
        options.positionals("SOURCE", files_, "kernels, host programs, unit tests");
        options.option("--chip", chip_, "CHIP", "compile for the cores of CHIP (default 910b1)");
        options.option("--jobs", jobs_, "N", "number of sources at a time (default 2)");
        options.list("-I", includes_, "DIR", "search DIR for headers");
        options.list("-D", defines_, "NAME[=VALUE]", "define a macro");
        options.list("--include", headers_, "HEADER", "include HEADER at the start of every source");
        options.list("--compile-flag", flags_, "FLAG", "pass FLAG to the compiler");
        options.output("--json", json_, Output::file, "FILE", "write the result for each source as JSON");
    }

    [[nodiscard]] int run(const toolchain::Installation& installation) override {
        const ChipFile chip = open_chip(chip_, installation.chips());
        arch_ = chip.spec.arch.empty() ? std::string{"2201"} : chip.spec.arch;
        coupled_ = !chip.spec.cores.split;
        add_flags();
        std::vector<Outcome> outcomes(files_.size());
        process::in_parallel(
            files_.size(), [&](std::size_t i) { outcomes[i] = outcome(files_[i], installation); }, jobs_);
        nlohmann::ordered_json all = nlohmann::ordered_json::array();
        std::size_t good = 0;
        for (std::size_t i = 0; i < files_.size(); ++i) {
            const Outcome& one = outcomes[i];
            good += one.error.empty() ? 1U : 0U;
            all.push_back({{"source", files_[i]},
                           {"kind", one.kind},
                           {"entries", one.entries},
                           {"cores", one.cores},
                           {"compiles", one.error.empty()},
                           {"error", first_error(one.error)}});
            if (!takes_standard_output({json_})) {
                tell(files_[i], one);
            }
        }
        if (!takes_standard_output({json_})) {
            say(fmt::format("{} of {} compile\n", good, files_.size()));
        }
        write_json(json_, "compile", {{"sources", all}});
        return good == files_.size() ? exit_good : exit_user;
    }

private:
    void add_flags() {
        for (const std::string& folder : includes_) {
            all_flags_.push_back("-I" + fs::absolute(folder).string());
        }
        for (const std::string& define : defines_) {
            all_flags_.push_back("-D" + define);
        }
        const std::vector<std::string> known = toolchain::without_sync_options(flags_);
        all_flags_.insert(all_flags_.end(), known.begin(), known.end());
    }

    [[nodiscard]] Outcome outcome(const fs::path& file, const toolchain::Installation& installation) const {
        Outcome result;
        try {
            if (!fs::is_regular_file(file)) {
                throw UserError{"{}: no such source{}", file.string(), nearest_file_hint(file)};
            }
            scenario::is_program_file(file) ? program(file, installation, result)
                                            : kernel(file, installation, result);
        } catch (const UserError& error) {
            result.error = error.what();
        }
        return result;
    }

    void program(const fs::path& file, const toolchain::Installation& installation, Outcome& result) const {
        result.kind = "program";
        toolchain::ProgramSources sources{.files = {file},
                                          .flags = all_flags_,
                                          .forced = {},
                                          .link = {},
                                          .arch = arch_,
                                          .coupled = coupled_};
        sources.forced.assign(headers_.begin(), headers_.end());
        toolchain::check_program_syntax(sources, {.installation = installation});
    }

    /// Every kernel of the file in the passes of the cores they run on; templates with the first arguments
    /// that the project declares, or not instantiated.
    void kernel(const fs::path& file, const toolchain::Installation& installation, Outcome& result) const {
        result.kind = "kernel";
        bool vector = false;
        bool cube = false;
        bool unsaid = false;
        std::vector<std::string> entries;
        for (const toolchain::ScannedEntry& entry : toolchain::scan_entries(process::text_of(file))) {
            const std::string arguments =
                entry.is_template ? toolchain::first_template_arguments(file) : std::string{};
            if (!entry.is_template || !arguments.empty()) {
                entries.push_back(entry.is_template ? fmt::format("{}<{}>", entry.name, arguments)
                                                    : entry.name);
            }
            vector = vector || (entry.cores && *entry.cores != CoreUse::aic);
            cube = cube || (entry.cores && *entry.cores != CoreUse::aiv);
            unsaid = unsaid || !entry.cores;
        }
        vector = vector || unsaid || !cube;
        cube = cube || (unsaid && names_the_cube(file, installation));
        result.entries = entries;
        std::vector<toolchain::Pass> passes{toolchain::Pass::coupled};
        if (!coupled_) {
            passes.clear();
            vector ? passes.push_back(toolchain::Pass::aiv) : void();
            cube ? passes.push_back(toolchain::Pass::aic) : void();
        }
        std::vector<std::string> flags = all_flags_;
        for (const std::string& header : headers_) {
            flags.insert(flags.end(), {"-include", header});
        }
        for (const toolchain::Pass pass : passes) {
            result.cores.emplace_back(name(pass));
            toolchain::check_syntax(
                {.source = file, .pass = pass, .arch = arch_, .entries = entries, .flags = flags},
                {.installation = installation});
        }
    }

    static void tell(const std::string& file, const Outcome& one) {
        if (one.error.empty()) {
            say(fmt::format("compiles  {} ({})\n",
                            file,
                            one.cores.empty() ? one.kind : fmt::format("{}", fmt::join(one.cores, ", "))));
        } else {
            say(fmt::format("does not  {}\n          {}\n", file, first_error(one.error)));
        }
    }

    std::vector<std::string> files_;
    std::string chip_ = "910b1";
    std::uint32_t jobs_ = 2;
    std::vector<std::string> includes_;
    std::vector<std::string> defines_;
    std::vector<std::string> headers_;
    std::vector<std::string> flags_;
    std::string json_;
    std::vector<std::string> all_flags_;
    std::string arch_;
    bool coupled_ = false;
};

}  // namespace

std::unique_ptr<Command> make_compile() {
    return std::make_unique<CompileCommand>();
}

}  // namespace ascendsim::cli
