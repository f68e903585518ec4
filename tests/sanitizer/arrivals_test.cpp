// SPDX-License-Identifier: Apache-2.0
// Kernels that read bytes nobody wrote beside others, run as a user runs them: what arrives in a result is
// found, what is dropped is not.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/scenario/result.hpp"
#include "app/scenario/scenario.hpp"
#include "sim/process/temporary_folder.hpp"
#include "tests/sanitizer/corpus_case.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

std::vector<CorpusCase> arrivals() {
    std::vector<CorpusCase> cases = read_corpus(fs::path{ASCENDSIM_ARRIVALS} / "vector.cpp");
    const std::vector<CorpusCase> more = read_corpus(fs::path{ASCENDSIM_ARRIVALS} / "cube.cpp");
    cases.insert(cases.end(), more.begin(), more.end());
    return cases;
}

/// Two inputs of 64 KiB, an output and a workspace, as corpus.h has them.
std::string scenario_of(const CorpusCase& one) {
    std::string text = fmt::format(
        "[scenario]\ntitle = \"{0}\"\nsource = \"{1}/{2}.cpp\"\nchip = \"910b3\"\n[launch]\nentry = "
        "\"{0}\"\nblocks = "
        "1\ncores = \"{3}\"\n",
        one.kernel,
        ASCENDSIM_ARRIVALS,
        one.file,
        one.cores);
    for (const char* argument : {"x\"\nrole = \"input", "y\"\nrole = \"input", "z\"\nrole = \"output"}) {
        text += fmt::format("[[args]]\nname = \"{}\"\ntype = \"float32\"\nshape = [16384]\n", argument);
    }
    return text +
           "[[args]]\nname = \"w\"\nrole = \"workspace\"\nbytes = 65536\n"
           "[[allow]]\nkind = \"never_written\"\nwhy = \"the output has room for all kernels\"\n";
}

class Arrivals : public ::testing::TestWithParam<CorpusCase> {};

TEST_P(Arrivals, AreFoundWhereResultsDependOnThem) {
    const CorpusCase& one = GetParam();
    const process::TemporaryFolder temporary;
    const fs::path& folder = temporary.path();
    const fs::path file = folder / (one.kernel + ".toml");
    std::ofstream{file} << scenario_of(one);
    const toolchain::Installation installation = toolchain::Installation::find();
    const scenario::RunResult result =
        scenario::execute_apart(scenario::ScenarioFile{file.string(), installation, {}},
                                {},
                                installation,
                                folder / (one.kernel + ".rec"),
                                {});
    const ordered_json& hazards = result.json["hazards"];
    std::size_t errors = 0;
    for (const ordered_json& hazard : hazards) {
        errors += hazard["severity"] == "error" ? 1U : 0U;
    }
    EXPECT_EQ(errors, one.expected.size()) << result.hazards;
    for (const Expected& expected : one.expected) {
        EXPECT_TRUE(std::ranges::any_of(hazards, [&](const ordered_json& hazard) {
            return hazard["kind"] == expected.kind &&
                   hazard["later"]["line"] == expected.parties.at(0).line &&
                   hazard["later"]["pipe"] == expected.parties.at(0).pipe &&
                   hazard["message"].get<std::string>().find("and output 'z' from byte ") !=
                       std::string::npos;
        })) << result.hazards;
    }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Arrivals, ::testing::ValuesIn(arrivals()), [](const auto& one) {
    return one.param.kernel;
});

}  // namespace
}  // namespace ascendsim::testing
