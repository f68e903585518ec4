// SPDX-License-Identifier: Apache-2.0
#include "app/cli/python_driver.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include <unistd.h>

#include "app/scenario/compile_table.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::cli {
namespace {

namespace fs = std::filesystem;

/// The folder that holds the Python package: of the build tree, or below the prefix. Empty if it is in
/// neither.
fs::path package_folder(const fs::path& bin) {
    for (const char* place : {"python", "lib/python3/dist-packages"}) {
        const fs::path folder = bin.parent_path() / place;
        if (fs::exists(folder / "ascendsim" / "suite.py")) {
            return folder;
        }
    }
    return {};
}

/// Debian's, for which the package is built, before others in PATH.
std::string python() {
    return fs::exists("/usr/bin/python3") ? "/usr/bin/python3" : "python3";
}

bool is_program(const fs::path& file) {
    std::error_code none;
    return fs::is_regular_file(file, none) && access(file.c_str(), X_OK) == 0;
}

}  // namespace

bool is_command(const std::string& word, const toolchain::Installation& installation) {
    const fs::path name{word};
    if (name.has_extension() &&
        (name.extension() == ".toml" || name.extension() == ".rec" || scenario::is_source_name(name))) {
        return false;
    }
    std::error_code none;
    if (word.find('/') != std::string::npos ||
        fs::exists(installation.scenarios() / (word + ".toml"), none)) {
        return word.find('/') != std::string::npos && is_program(name);
    }
    const char* path = std::getenv("PATH");
    std::istringstream folders{path == nullptr ? "" : path};
    for (std::string folder; std::getline(folders, folder, ':');) {
        if (is_program(fs::path{folder} / name)) {
            return true;
        }
    }
    return false;
}

void become_suite(const std::vector<std::string>& words, const toolchain::Installation& /*installation*/) {
    const fs::path self = fs::canonical("/proc/self/exe");
    const fs::path folder = package_folder(self.parent_path());
    if (folder.empty()) {
        throw UserError{
            "the Python package is not beside {}: it is built where python3-dev, python3-numpy and "
            "pybind11-dev are "
            "installed (./install.sh)",
            self.string()};
    }
    const char* before = std::getenv("PYTHONPATH");
    const std::string path = folder.string() + (before == nullptr ? "" : ":" + std::string{before});
    setenv("PYTHONPATH", path.c_str(), 1);
    setenv("ASCENDSIM", self.c_str(), 1);
    std::vector<std::string> command{python(), "-m", "ascendsim.suite"};
    command.insert(command.end(), words.begin(), words.end());
    std::vector<char*> pointers;
    for (std::string& word : command) {
        pointers.push_back(word.data());
    }
    pointers.push_back(nullptr);
    execvp(pointers.front(), pointers.data());
    throw UserError{"{} cannot be started: {}; install python3", command.front(), std::strerror(errno)};
}

}  // namespace ascendsim::cli
