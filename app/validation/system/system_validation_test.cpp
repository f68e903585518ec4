// SPDX-License-Identifier: Apache-2.0
#include "app/validation/system/system_validation.hpp"

#include <cmath>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sim/base/error.hpp"
#include "sim/process/temporary_folder.hpp"

namespace ascendsim::validation {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

const std::string system_header =
    "id,category,chip,devices,software,workload,shape,metric,value,unit,source,reliability,notes\n";

SystemValidation judged(const std::string& row) {
    const process::TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "row.csv";
    std::ofstream{file} << system_header << row << "\n";
    return validate_system(file, toolchain::Installation::find());
}

TEST(SystemRow, ReadsAmountsOfBytes) {
    EXPECT_EQ(bytes_in("block 64KiB, total 128 MiB"), 65536U);
    EXPECT_EQ(bytes_in("1.3 MB"), 1'300'000U);
    EXPECT_EQ(bytes_in("4096 B x100"), 4096U);
    EXPECT_EQ(bytes_in("b128"), std::nullopt);
    EXPECT_EQ(bytes_in("batch 16"), std::nullopt);
    EXPECT_EQ(number_after("heads 16 batch 2", "batch"), 2U);
    EXPECT_EQ(number_in("16 dies"), 16U);
    EXPECT_EQ(number_in("n/s"), std::nullopt);
}

TEST(SystemRow, NamesLineAndColumnOfABadFile) {
    EXPECT_THAT([] { (void)parse_system_rows("id,value\n", "own.csv"); },
                ThrowsMessage<UserError>(HasSubstr("own.csv:1: no column 'category'")));
    EXPECT_THAT([] { (void)parse_system_rows(system_header + "A,b,c,d,e,f,g,h,fast,us,i,j,k\n", "own.csv"); },
                ThrowsMessage<UserError>("own.csv:2: value 'fast' is not a number"));
    EXPECT_THAT([] { (void)parse_system_rows(system_header + "A,b\n", "own.csv"); },
                ThrowsMessage<UserError>("own.csv:2: 2 cells where the header has 13"));
}

TEST(SystemValidation, KeepsItsErrorsWithinTheTargets) {
    const SystemValidation result = validate_system({}, toolchain::Installation::find());
    for (const SystemGroup& group : system_groups()) {
        const Fit fit = result.fit_of(group.name);
        EXPECT_GE(fit.cases, 5U) << group.name;
        EXPECT_LE(fit.mape, group.target) << group.name;
    }
    EXPECT_EQ(system_json(result)["rows"].size(), result.rows.size());
}

JudgedSystemRow row_of_unit(const char* unit, double measured, double simulated) {
    JudgedSystemRow judged{.row = {.value = measured, .unit = unit}, .group = "g"};
    judged.simulated = simulated;
    return judged;
}

TEST(SystemValidation, ComparesTheOrderOfRowsOfOneUnit) {
    SystemValidation result{
        .data = {}, .groups = {{.name = "g", .title = "g", .order_target = 0.8}}, .rows = {}};
    result.rows = {row_of_unit("ms", 1, 10),
                   row_of_unit("ms", 2, 30),
                   row_of_unit("s", 0.003, 0.02),  // 3 ms: behind the one of 2 ms, and simulated before it
                   row_of_unit("tok/s", 1, 5),
                   row_of_unit("tok/s", 2, 6)};
    // of three pairs of times two are kept: 1/3; the one of rates is: (3 x 1/3 + 1 x 1) / 4
    EXPECT_DOUBLE_EQ(result.order_of("g"), 0.5);
    EXPECT_DOUBLE_EQ(result.order_of("none"), 0);
    EXPECT_THAT(system_text(result), HasSubstr("Kendall's tau 0.50 (goal: 0.80)  missed"));
    EXPECT_DOUBLE_EQ(system_json(result)["groups"]["g"]["kendall"].get<double>(), 0.5);
}

TEST(SystemValidation, SaysHowManyOfAPartRan) {
    SystemValidation result{.data = {}, .groups = {}, .rows = {}};
    result.coverage = {{.name = "night", .title = "runs at night", .rows = 40, .ran = 30, .target = 0.8}};
    EXPECT_THAT(system_text(result), HasSubstr("runs at night: 30 of 40 run, 75 % (goal: 80 %)  missed"));
    EXPECT_EQ(system_json(result)["coverage"]["night"]["ran"].get<int>(), 30);
    result.coverage.front().rows = 0;  // a file without such rows
    EXPECT_THAT(system_text(result), Not(HasSubstr("runs at night")));
}

TEST(SystemValidation, SaysWhyARowDoesNotRun) {
    const auto why = [](const std::string& row) { return judged(row).rows.front().why_not; };
    EXPECT_EQ(why("A,collective,TPU,8,s,HCCL allReduce,1 MB,time,5,us,x,high,"),
              "no machine of this chip is described");
    EXPECT_EQ(why("A,p2p_transfer,910B,1 server,s,HIXL HCCS (hixl_cs) H2rD,block 64KiB,bw,5,GB/s,x,high,"),
              "atlas800t_a2_x2 has no path H2rD over HCCS");
    EXPECT_THAT(why("A,power,910B3,1,s,training,AICore 93 %,chip power,147,W,x,medium,"),
                HasSubstr("the operators of the job are not stated"));
    EXPECT_EQ(why("A,collective,910B,64 ranks,s,HCCL allReduce,1 MB,time,5,us,x,high,"),
              "its ranks are not stated, or more than the machine has");
}

TEST(SystemValidation, CountsTheArrivalOfRanksWithinAModel) {
    const auto time = [](const std::string& metric) {
        return *judged("A,collective,910C,16 dies,s,HCCL allGather,74 KB," + metric + ",25.9,us,x,high,")
                    .rows.front()
                    .simulated;
    };
    EXPECT_NEAR(time("in-model profiler median") - time("bench time"), 14.6, 1e-9);  // S26
}

}  // namespace
}  // namespace ascendsim::validation
