// SPDX-License-Identifier: Apache-2.0
#include "app/validation/calibrated_rows.hpp"

#include <gtest/gtest.h>

#include "toolchain/installation/installation.hpp"

namespace ascendsim::validation {
namespace {

Measurement row(const std::string& id, double value = 1) {
    return {.id = id, .source = "somebody's page", .value = value};
}

TEST(CalibratedRows, AreThoseThatATextNames) {
    const CalibratedRows rows{{"GEMM-005 to GEMM-008: 2 to 10 cycles",
                               "QGEMM-082 to 091 57 B/cycle, GEMM-095 72",
                               "VEC-034, -054",
                               "BW and L2 rows: task less core time"},
                              {row("GEMM-004"),
                               row("GEMM-005"),
                               row("GEMM-007"),
                               row("GEMM-009"),
                               row("GEMM-095"),
                               row("QGEMM-081"),
                               row("QGEMM-090"),
                               row("VEC-034"),
                               row("VEC-054"),
                               row("VEC-044"),
                               row("L2-003"),
                               row("BW-001"),
                               row("FA-001"),
                               row("GEMM-072")}};
    for (const char* id :
         {"GEMM-005", "GEMM-007", "GEMM-095", "QGEMM-090", "VEC-034", "VEC-054", "L2-003", "BW-001"}) {
        EXPECT_TRUE(rows.holds(row(id))) << id;
    }
    for (const char* id :
         {"GEMM-004", "GEMM-009", "GEMM-072", "QGEMM-081", "VEC-044", "FA-001", "GEMM-006"}) {
        EXPECT_FALSE(rows.holds(row(id))) << id;  // the last is named, but no row of the file
    }
}

TEST(CalibratedRows, ARowOfAnotherFileIsNone) {
    const CalibratedRows rows{{"VEC rows"}, {row("VEC-001", 5)}};
    EXPECT_TRUE(rows.holds(row("VEC-001", 5)));
    EXPECT_FALSE(rows.holds(row("VEC-001", 6)));
    EXPECT_FALSE(rows.holds(row("VEC-941", 5)));
}

TEST(CalibratedRows, TheShippedFilesNameSomeAndNotAll) {
    const auto installation = toolchain::Installation::find();
    const CalibratedRows rows{installation.chips(), installation.measurements()};
    const std::vector<Measurement> all = read_measurements(installation.measurements() / "measurements.csv");
    const auto held = [&](const std::string& id) {
        for (const Measurement& one : all) {
            if (one.id == id) {
                return rows.holds(one);
            }
        }
        return false;
    };
    EXPECT_TRUE(held("BW-001"));    // port.read_start_cycles
    EXPECT_TRUE(held("GEMM-001"));  // cube.head_cycles
    EXPECT_FALSE(held("CONV-002"));
    EXPECT_FALSE(held("VEC-208"));
}

}  // namespace
}  // namespace ascendsim::validation
