// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kernels/host/entry_scan.hpp"
#include "kernels/host/npy.hpp"
#include "models/isa/numbers/half.hpp"
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

/// A template with the project's name in it.
std::string filled(std::string text, const std::string& name) {
    constexpr std::string_view mark = "@NAME@";
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + name.size())) {
        text.replace(at, mark.size(), name);
    }
    return text;
}

/// The tensors that the reference script writes, so that the project runs before anyone has run the script.
void write_tensors(const fs::path& base) {
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
    for (const auto& [name, values] : {std::pair{"_x.npy", &x}, {"_y.npy", &y}, {"_z.npy", &z}}) {
        host::write_npy(base.string() + name, isa::DataType::half, shape, std::as_bytes(std::span{*values}));
    }
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
        return "Start a kernel of one's own: source, scenario, reference and CI job";
    }

    void declare(Options& options) override {
        options.positional(
            "KERNEL.cpp", file_, "if it exists, a scenario for it; otherwise a project, for a vector add");
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
            fs::path base = source;
            base.replace_extension();
            const std::string name = base.filename().string();
            for (const auto& [ending, file] : {std::pair{"toml", scenario},
                                               {"cpp", source},
                                               {"reference.py", base.string() + "_reference.py"},
                                               {"ci.yml", base.string() + "_ci.yml"}}) {
                const bool beside = std::string_view{ending}.find('.') != std::string_view::npos;
                const std::string from = fmt::format("my_kernel{}{}.in", beside ? "_" : ".", ending);
                write_fresh(file, filled(read_text(folder / from), name));
            }
            write_tensors(base);
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
