// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/auto_sync_option.hpp"
#include "app/cli/command.hpp"
#include "app/cli/text_output.hpp"
#include "app/skeleton/skeleton.hpp"
#include "kernels/plan/npy.hpp"
#include "models/numbers/half.hpp"
#include "sim/base/error.hpp"
#include "sim/process/file_text.hpp"
#include "sim/process/shell_word.hpp"
#include "sim/process/whole_file.hpp"

namespace ascendsim::cli {
namespace {

namespace fs = std::filesystem;

/// A template with the project's name in it.
std::string filled(std::string text, const std::string& name) {
    constexpr std::string_view mark = "@NAME@";
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + name.size())) {
        text.replace(at, mark.size(), name);
    }
    return text;
}

/// The tensors that the reference script writes, so that the project runs before anyone has run the script.
std::vector<fs::path> write_tensors(const fs::path& base) {
    const host::Shape shape{8, 8192};
    std::vector<half> x;
    std::vector<half> y;
    std::vector<half> z;
    for (std::size_t i = 0; i < shape[0] * shape[1]; ++i) {
        const float a = static_cast<float>(i % 97) / 8;
        const float b = static_cast<float>(i % 31) / 4;
        x.emplace_back(a);
        y.emplace_back(b);
        z.emplace_back(a + b);
    }
    std::vector<fs::path> files;
    for (const auto& [name, values] : {std::pair{"_x.npy", &x}, {"_y.npy", &y}, {"_z.npy", &z}}) {
        files.emplace_back(base.string() + name);
        host::write_npy(files.back(), isa::DataType::half, shape, std::as_bytes(std::span{*values}));
    }
    return files;
}

/// The file a word means: what it says, with .cpp where it has no ending. Throws UserError for what can be no
/// source.
fs::path source_of(const std::string& word) {
    fs::path source{word};
    if (source.filename() != "." && source.filename() != ".." && source.extension().empty() &&
        source.has_filename()) {
        source += ".cpp";
    }
    if (source.extension() != ".cpp") {
        throw UserError{"new {}: must be a source, as in my_kernel.cpp", word};
    }
    const std::string name = source.filename().string();
    const auto odd = [](unsigned char letter) {
        return letter < ' ' || letter == '"' || letter == '\\' || letter == 0x7f;
    };
    if (std::ranges::any_of(name, odd)) {  // the name goes into a scenario and a script
        throw UserError{"new {}: the name must not contain quotes, backslashes or control characters", word};
    }
    if (fs::exists(source) && !fs::is_regular_file(source)) {
        throw UserError{"{}: not a file", source.string()};
    }
    return source;
}

class NewCommand final : public Command {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "Create a kernel: source, scenario, reference and CI job";
    }

    void declare(Options& options) override {
        options.positional("KERNEL.cpp",
                           file_,
                           "an existing source gets a scenario; a new name gets a project with a vector add");
        options.option("--entry", entry_, "NAME", "kernel to run, where an existing source has several");
        auto_sync_.declare(options);
        options.output("--json", json_, Output::file, "FILE", "write what was made as JSON");
    }

    [[nodiscard]] int run(const toolchain::Installation& installation) override {
        const fs::path source = source_of(file_);
        const bool existing = fs::exists(source);
        if (existing) {
            write_scenario(source, installation);
        } else if (!entry_.empty()) {
            throw UserError{"{}: no such source; --entry chooses a kernel of one that exists",
                            source.string()};
        } else {
            write_project(source, installation);
        }
        nlohmann::ordered_json files = nlohmann::ordered_json::array();
        for (const fs::path& file : written_) {
            files.push_back(file.string());
        }
        write_json(json_,
                   "new",
                   {{"source", source.string()},
                    {"source_existed", existing},
                    {"files", std::move(files)},
                    {"next", "ascendsim run " + process::shell_word(source.string())}});
        return exit_good;
    }

private:
    /// A line for people, unless standard output is for the JSON.
    void tell(std::string_view line) const {
        if (!takes_standard_output({json_})) {
            say(line);
        }
    }

    void write_fresh(const fs::path& file, std::string_view text) {
        if (fs::exists(file)) {
            throw UserError{"{}: exists already", file.string()};
        }
        process::write_whole(file, text);
        tell(fmt::format("wrote {}\n", file.string()));
        written_.push_back(file);
    }

    void write_scenario(const fs::path& source, const toolchain::Installation& installation) {
        const fs::path scenario = fs::path{source}.replace_extension(".toml");
        write_fresh(scenario, with_auto_sync(skeleton::scenario_skeleton(source, entry_, installation)));
        tell(fmt::format(
            "check the roles and fill in the shapes and every \"?\" in {}, then: ascendsim run {}\n",
            scenario.string(),
            process::shell_word(source.string())));
    }

    void write_project(const fs::path& source, const toolchain::Installation& installation) {
        const fs::path scenario = fs::path{source}.replace_extension(".toml");
        const fs::path base = fs::path{source}.replace_extension();
        const std::string name = base.filename().string();
        for (const auto& [ending, file] : {std::pair{"toml", scenario},
                                           {"cpp", source},
                                           {"reference.py", base.string() + "_reference.py"},
                                           {"ci.yml", base.string() + "_ci.yml"}}) {
            const bool beside = std::string_view{ending}.find('.') != std::string_view::npos;
            const std::string from = fmt::format("my_kernel{}{}.in", beside ? "_" : ".", ending);
            const std::string text = filled(process::read_text(installation.templates() / from), name);
            write_fresh(file, file == scenario ? with_auto_sync(text) : text);
        }
        std::ranges::move(write_tensors(base), std::back_inserter(written_));
        tell(fmt::format("next: ascendsim run {}\n", process::shell_word(source.string())));
    }

    /// The text of a scenario with what the command line says of how to compile.
    [[nodiscard]] std::string with_auto_sync(std::string text) const {
        if (const std::optional<bool> on = auto_sync_.value()) {
            text += fmt::format("\n[compile]\nauto_sync = {}\n", *on);
        }
        return text;
    }

    std::string file_;
    std::string entry_;
    AutoSyncOption auto_sync_;
    std::string json_;
    std::vector<fs::path> written_;
};

}  // namespace

std::unique_ptr<Command> make_new() {
    return std::make_unique<NewCommand>();
}

}  // namespace ascendsim::cli
