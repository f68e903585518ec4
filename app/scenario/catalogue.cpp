// SPDX-License-Identifier: Apache-2.0
#include "app/scenario/catalogue.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <system_error>

#include "sim/base/error.hpp"
#include "sim/config/table_reader.hpp"

namespace ascendsim::scenario {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_in(const fs::path& folder, std::string_view extension) {
    std::vector<fs::path> files;
    std::error_code missing;
    for (const fs::directory_entry& file : fs::directory_iterator{folder, missing}) {
        if (file.path().extension() == extension) {
            files.push_back(file.path());
        }
    }
    std::ranges::sort(files);
    return files;
}

}  // namespace

std::vector<ListedScenario> list_scenarios(const toolchain::Installation& installation) {
    std::vector<ListedScenario> result;
    std::vector<fs::path> files = files_in(installation.scenarios(), ".toml");
    std::ranges::copy(files_in(installation.lessons(), ".toml"), std::back_inserter(files));
    for (const fs::path& file : files) {
        ListedScenario one{.name = fs::relative(file, installation.scenarios()).replace_extension().string(),
                           .title = {},
                           .lesson = {},
                           .file = file};
        try {
            TableReader root = TomlFile::open(file).reader();
            TableReader head = root.require_table("scenario");
            one.title = head.get_or<std::string>("title", one.name);
            if (std::optional<TableReader> lesson = root.find_table("lesson")) {
                one.lesson = lesson->get_or<std::string>("title", one.title);
            }
        } catch (const UserError& error) {
            one.title = error.what();
        }
        result.push_back(std::move(one));
    }
    return result;
}

}  // namespace ascendsim::scenario
