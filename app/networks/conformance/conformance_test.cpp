// SPDX-License-Identifier: Apache-2.0
#include "app/networks/conformance/conformance.hpp"

#include <fstream>
#include <iterator>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "models/spec/chip_file.hpp"

namespace ascendsim::report {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

ConformanceTest test_of(std::string name, std::string outcome, std::string by, std::string reason) {
    return {.folder = {},
            .suite = "node",
            .name = std::move(name),
            .outcome = std::move(outcome),
            .reason = std::move(reason),
            .by = std::move(by),
            .operators = {"Add"}};
}

std::vector<ConformanceTest> example_tests() {
    return {test_of("test_a", "passed", "kernels", ""),
            test_of("test_b", "passed", "folding", ""),
            test_of("test_c", "refused", "", "a|b"),
            test_of("test_d", "wrong", "", "element 0 is 1, not 2")};
}

TEST(Conformance, CountsOutcomes) {
    const nlohmann::ordered_json json = to_json(example_tests(), "910b3");
    EXPECT_EQ(json["summary"].dump(), R"({"passed":2,"refused":1,"wrong":1,"crashed":0})");
    EXPECT_EQ(json["tests"][0]["by"], "kernels");
    EXPECT_EQ(json["tests"][2]["reason"], "a|b");
}

TEST(Conformance, SaysWhatIsWrong) {
    std::ostringstream text;
    print_conformance(text, example_tests());
    EXPECT_THAT(text.str(), StartsWith("4 tests: 2 passed, 1 refused, 1 wrong, 0 crashed\n"));
    EXPECT_THAT(text.str(), HasSubstr("wrong: node/test_d: element 0 is 1, not 2\n"));
}

TEST(Conformance, WritesATableOfOperators) {
    const std::string page = conformance_page(example_tests(), "910b3");
    EXPECT_THAT(page, HasSubstr("| 4 | 2 | 1 | 1 | 0 |\n"));
    EXPECT_THAT(page, HasSubstr("| Add | 1 | 1 | 1 |\n"));
    EXPECT_THAT(page, HasSubstr("| 1 | a/b |\n"));  // no cell of its own
}

/// The line of a table that begins with this cell.
std::string row_of(const std::string& page, const std::string& cell) {
    const std::size_t begin = page.find("\n| " + cell + " |");
    return begin == std::string::npos ? "" : page.substr(begin + 1, page.find('\n', begin + 1) - begin - 1);
}

TEST(Conformance, ThePageInTheTreeIsWhatTheCommandWrites) {
    const toolchain::Installation installation = toolchain::Installation::find();
    std::ifstream stream{installation.root / "docs" / "onnx.md"};
    const std::string kept{std::istreambuf_iterator<char>{stream}, {}};
    const std::string page = conformance_page(example_tests(), "910b3");
    EXPECT_THAT(kept, StartsWith(page.substr(0, page.find("| 4 | 2"))));
    const std::filesystem::path data = "/usr/share/libonnx-testdata/data";
    if (!std::filesystem::exists(data)) {
        GTEST_SKIP() << "libonnx-testdata is not installed";
    }
    // Tests of operators that occur in no others: their rows are the whole page's.
    setenv("XDG_CACHE_HOME", (installation.libraries.parent_path() / "test_cache").c_str(), 1);
    const ChipSpec chip = load_chip("910b3", installation.chips());
    for (const auto& [only, op] :
         {std::pair{"test_hardmax", "Hardmax"}, std::pair{"test_bitshift", "BitShift"}}) {
        const std::string sample =
            conformance_page(run_conformance(data, chip, installation, {.jobs = 1, .only = only}), chip.name);
        EXPECT_NE(row_of(sample, op), "");
        EXPECT_EQ(row_of(kept, op), row_of(sample, op));
    }
}

TEST(Conformance, AFolderWithoutTestsIsRefused) {
    const toolchain::Installation installation = toolchain::Installation::find();
    const ChipSpec chip = load_chip("910b3", installation.chips());
    EXPECT_THROW(static_cast<void>(run_conformance("/nowhere", chip, installation, {})), UserError);
}

}  // namespace
}  // namespace ascendsim::report
