// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstring>
#include <filesystem>

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
    }

    /// Becomes the dashboard, which stands beside this program.
    [[nodiscard]] int run(const toolchain::Installation& installation) override {
        const std::string shown = run_.empty() ? run_ : place_of(run_, installation);
        const std::filesystem::path program =
            std::filesystem::canonical("/proc/self/exe").parent_path() / "ascendsim-gui";
        if (!std::filesystem::exists(program)) {
            throw UserError{
                "{}: not found; the dashboard is built when its libraries are installed (./install.sh)",
                program.string()};
        }
        if (run_.empty()) {
            execl(program.c_str(), "ascendsim-gui", static_cast<char*>(nullptr));
        } else {
            execl(program.c_str(), "ascendsim-gui", shown.c_str(), static_cast<char*>(nullptr));
        }
        throw UserError{"{}: cannot be started: {}", program.string(), std::strerror(errno)};
    }

private:
    /// The file to open for a name that `list` prints, of a run, or of a file.
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
        return find_recording(name).string();
    }

    std::string run_;
};

}  // namespace

std::unique_ptr<Command> make_gui() {
    return std::make_unique<GuiCommand>();
}

}  // namespace ascendsim::cli
