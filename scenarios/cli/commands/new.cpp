// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "kernels/host/entry_scan.hpp"
#include "scenarios/cli/command.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::cli {
namespace {

namespace fs = std::filesystem;

std::string read_text(const fs::path& file) {
    std::ifstream stream{file};
    return {std::istreambuf_iterator<char>{stream}, std::istreambuf_iterator<char>{}};
}

/// The last word of a parameter: its name.
std::string parameter_name(const std::string& parameter) {
    const auto at =
        parameter.find_last_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return at == std::string::npos ? parameter : parameter.substr(at + 1);
}

/// A scenario with one [[args]] for each parameter, to be completed by the user.
std::string skeleton(const fs::path& source) {
    const std::vector<host::ScannedEntry> entries = host::scan_entries(read_text(source));
    if (entries.empty()) {
        throw UserError{"{}: has no __global__ function", source.string()};
    }
    const host::ScannedEntry& entry = entries.front();
    constexpr std::string_view words[]{"aiv", "aic", "mix_1_1", "mix_1_2"};
    const auto cores = static_cast<std::size_t>(entry.cores.value_or(host::CoreUse::aiv));
    std::string result = fmt::format(
        "[scenario]\ntitle = \"{}\"\nchip = \"910b3\"\n\n[launch]\nentry = \"{}{}\"\nblocks = 8\ncores = "
        "\"{}\"\n",
        source.stem().string(),
        entry.name,
        entry.is_template ? "<half>" : "",
        words[cores]);
    for (const std::string& parameter : entry.parameters) {
        const bool address =
            parameter.find("GM_ADDR") != std::string::npos || parameter.find('*') != std::string::npos;
        result +=
            fmt::format("\n[[args]]            # {}\nname = \"{}\"\n", parameter, parameter_name(parameter));
        result += address ? "type = \"float16\"    # role = \"output\", \"workspace\", \"tiling\" where it "
                            "is one\nshape = [8, 2048]\n"
                          : "role = \"value\"      # or \"struct\" with fields = [{ name = \"n\", type = "
                            "\"uint32\", value = 1 }]\n"
                            "type = \"uint32\"\nvalue = 1\n";
    }
    return result;
}

void write_fresh(const fs::path& file, std::string_view text) {
    if (fs::exists(file)) {
        throw UserError{"{}: exists already", file.string()};
    }
    std::ofstream stream{file};
    stream << text;
    stream.flush();
    if (!stream) {
        throw UserError{"{}: cannot be written", file.string()};
    }
    fmt::print("wrote {}\n", file.string());
}

class NewCommand final : public Command {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "Start a kernel of one's own: a source and its scenario";
    }

    void declare(Options& options) override {
        options.positional(
            "KERNEL.cpp", file_, "if it exists, a scenario for it; otherwise both, for a vector add");
    }

    [[nodiscard]] int run(const host::Installation& installation) override {
        fs::path source{file_};
        if (source.extension() != ".cpp") {
            source += ".cpp";
        }
        fs::path scenario = source;
        scenario.replace_extension(".toml");
        if (fs::exists(source)) {
            write_fresh(scenario, skeleton(source));
            fmt::print(
                "complete the arguments in {}, then: ascendsim run {}\n", scenario.string(), source.string());
        } else {
            const fs::path folder = installation.scenarios() / "templates";
            write_fresh(scenario, read_text(folder / "my_kernel.toml.in"));
            write_fresh(source, read_text(folder / "my_kernel.cpp.in"));
            fmt::print("next: ascendsim run {}\n", source.string());
        }
        return exit_good;
    }

private:
    std::string file_;
};

}  // namespace

std::unique_ptr<Command> make_new() {
    return std::make_unique<NewCommand>();
}

}  // namespace ascendsim::cli
