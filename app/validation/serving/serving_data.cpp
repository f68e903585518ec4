// SPDX-License-Identifier: Apache-2.0
#include "app/validation/serving/served_row.hpp"
#include "sim/config/table_reader.hpp"

namespace ascendsim::validation {
namespace {

std::vector<DraftMethod> read_drafts(const std::filesystem::path& file) {
    const TomlFile toml = TomlFile::open(file);
    TableReader root = toml.reader();
    std::vector<DraftMethod> methods;
    for (TableReader& table : root.tables("method")) {
        DraftMethod& method = methods.emplace_back();
        method.names = table.list<std::string>("names");
        method.passes = table.get_or<std::uint64_t>("passes", 0, {0, 64});
        TableReader acceptance = table.require_table("acceptance");
        method.acceptance = acceptance.get<double>("value", {0, 1});
        method.least = acceptance.get<double>("low", {0, method.acceptance});
        method.most = acceptance.get<double>("high", {method.acceptance, 1});
        (void)acceptance.get<std::string>("tag");
        (void)acceptance.get<std::string>("source");
        acceptance.finish();
        table.finish();
    }
    root.finish();
    return methods;
}

}  // namespace

ServingData read_serving_data(const toolchain::Installation& installation) {
    return {.names = ModelNames{installation.scenarios() / "serving" / "models" / "names.toml"},
            .nightly = read_nightly_runs(installation.measurements() / "nightly.toml"),
            .drafts = read_drafts(installation.measurements() / "drafts.toml")};
}

}  // namespace ascendsim::validation
