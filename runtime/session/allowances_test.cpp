// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/allowances.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/process/temporary_folder.hpp"

namespace ascendsim::runtime {
namespace {

using sanitize::Finding;
using sanitize::Kind;

Finding race_at(const std::string& file, std::uint32_t later, std::uint32_t earlier) {
    return {.kind = Kind::core_race,
            .later = {.file = file, .line = later},
            .earlier = sanitize::Party{.file = file, .line = earlier}};
}

TEST(Allowances, OfALineNameKindsAndTheReason) {
    const auto found =
        allowances_of_line("    DataCopy(z, t, N);  // ascendsim: allow core_race, race: equal values");
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].kind, Kind::core_race);
    EXPECT_EQ(found[1].kind, Kind::race);
    EXPECT_EQ(found[1].why, "equal values");
    EXPECT_TRUE(allowances_of_line("ascendsim: allow race").empty());           // no comment
    EXPECT_TRUE(allowances_of_line("// ascendsim: allow everything").empty());  // no kind
}

TEST(Allowances, HoldForAKindAtAPlaceOfEitherSide) {
    const std::vector<Allowance> stated{
        {.kind = Kind::core_race, .file = "k.cpp", .line = 7, .why = "meant"}};
    Allowances allowances{stated};
    EXPECT_EQ(allowances.reason(race_at("/x/k.cpp", 7, 1)), "meant");
    EXPECT_EQ(allowances.reason(race_at("/x/k.cpp", 1, 7)), "meant");
    EXPECT_EQ(allowances.reason(race_at("/x/k.cpp", 8, 9)), std::nullopt);
    EXPECT_EQ(allowances.reason(race_at("/x/other.cpp", 7, 7)), std::nullopt);
    Finding other = race_at("/x/k.cpp", 7, 1);
    other.kind = Kind::race;
    EXPECT_EQ(allowances.reason(other), std::nullopt);
    EXPECT_THAT(allowances.unused(), testing::IsEmpty());
}

TEST(Allowances, ThatAllowNothingAreNamed) {
    const std::vector<Allowance> stated{{.kind = Kind::race, .file = {}, .line = 7, .why = "meant"}};
    Allowances allowances{stated};
    EXPECT_EQ(allowances.reason(race_at("k.cpp", 7, 1)), std::nullopt);
    EXPECT_THAT(allowances.unused(), testing::ElementsAre("race at line 7"));
    const std::vector<Allowance> usual{
        {.kind = Kind::never_written, .file = {}, .why = "left", .usual = true}};
    EXPECT_THAT(Allowances{usual}.unused(), testing::IsEmpty());
}

TEST(Allowances, DoNotHoldForWhatEndedTheRun) {
    const std::vector<Allowance> stated{{.kind = Kind::core_race, .file = {}, .line = 0, .why = "meant"}};
    Finding finding = race_at("k.cpp", 7, 1);
    finding.stops = true;
    EXPECT_EQ(Allowances{stated}.reason(finding), std::nullopt);
}

TEST(Allowances, AreReadOffTheLinesThatAFindingNames) {
    const process::TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "allowed_kernel.cpp";
    std::ofstream{file} << "one\ntwo  // ascendsim: allow core_race: each writes the same\nthree\n";
    const std::vector<Allowance> none;
    EXPECT_EQ(Allowances{none}.reason(race_at(file, 3, 2)), "each writes the same");
    EXPECT_EQ(Allowances{none}.reason(race_at(file, 3, 1)), std::nullopt);
}

}  // namespace
}  // namespace ascendsim::runtime
