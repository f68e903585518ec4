// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "app/cli/command.hpp"
#include "app/cli/find_run.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::cli {
namespace {

class GuiCommand final : public Command {
public:
    [[nodiscard]] std::string_view meaning() const override { return "Open the dashboard"; }

    void declare(Options& options) override {
        options.positional("RUN", run_, "a recording, a scenario, the name of a run, or a kernel", false);
        options.option("--base", base_, "RUN", "a run to compare with: run B");
        options.flag("--headless", headless_, "make pictures without a display");
        for (Passed& each : passed_) {
            options.option(each.name, each.value, each.value_name, each.meaning);
        }
    }

    /// Becomes the dashboard, which stands beside this program.
    [[nodiscard]] int run(const toolchain::Installation& installation) override {
        const std::filesystem::path program =
            std::filesystem::canonical("/proc/self/exe").parent_path() / "ascendsim-gui";
        if (!std::filesystem::exists(program)) {
            throw UserError{
                "{}: not found; the dashboard is built when its libraries are installed (./install.sh)",
                program.string()};
        }
        std::vector<std::string> words = words_of(installation);
        std::vector<char*> arguments;
        for (std::string& word : words) {
            arguments.push_back(word.data());
        }
        arguments.push_back(nullptr);
        execv(program.c_str(), arguments.data());
        throw UserError{"{}: cannot be started: {}", program.string(), std::strerror(errno)};
    }

private:
    /// An option that the dashboard reads itself.
    struct Passed {
        const char* name;
        const char* value_name;
        const char* meaning;
        std::string value;
    };

    /// What the dashboard is called with.
    [[nodiscard]] std::vector<std::string> words_of(const toolchain::Installation& installation) const {
        std::vector<std::string> words{"ascendsim-gui"};
        if (!run_.empty()) {
            words.push_back(place_of(run_, installation));
        }
        if (!base_.empty()) {
            words.push_back("--base=" + place_of(base_, installation));
        }
        if (headless_) {
            words.emplace_back("--headless");
        }
        for (const Passed& each : passed_) {
            if (!each.value.empty()) {
                words.push_back(fmt::format("{}={}", each.name, each.value));
            }
        }
        return words;
    }

    /// The file to open for a name that `list` prints, of a run, or of a file; a kernel that has not run yet
    /// is run first, as `explain` does.
    [[nodiscard]] static std::string place_of(const std::string& name,
                                              const toolchain::Installation& installation) {
        if (std::filesystem::exists(name)) {
            return name;
        }
        for (const std::filesystem::path& folder : {installation.scenarios(), installation.lessons()}) {
            if (std::filesystem::is_regular_file(folder / (name + ".toml"))) {
                return (folder / (name + ".toml")).string();
            }
        }
        return find_or_run(name, installation).string();
    }

    std::string run_;
    std::string base_;
    bool headless_ = false;
    std::vector<Passed> passed_{
        {"--panel", "VIEW", "bring a view to the front; pictures are of it alone", {}},
        {"--shot", "FILE.png", "write the picture", {}},
        {"--svg", "FILE.svg", "write the picture as a drawing", {}},
        {"--csv", "FILE.csv", "write the table of --panel", {}},
        {"--text", "FILE", "write the words on the screen", {}},
        {"--script", "FILE", "play user actions", {}},
        {"--out", "DIR", "folder of what a script or the user saves", {}},
        {"--size", "WxH", "pixels of the window or picture", {}},
        {"--scale", "FACTOR", "size of text, 0.5 to 4", {}},
        {"--theme", "NAME", "dark or light", {}},
    };
};

}  // namespace

std::unique_ptr<Command> make_gui() {
    return std::make_unique<GuiCommand>();
}

}  // namespace ascendsim::cli
