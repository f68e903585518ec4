// SPDX-License-Identifier: Apache-2.0
#include "app/validation/measurement.hpp"

#include <gtest/gtest.h>

#include "sim/base/error.hpp"

namespace ascendsim::validation {
namespace {

constexpr const char* header =
    "id,source,chip,kernel,shape,dtype,metric,value,unit,cores,notes,reliability\n";

std::string message_of(const std::string& text) {
    try {
        static_cast<void>(parse_measurements(text, "f.csv"));
    } catch (const UserError& error) {
        return error.what();
    }
    return {};
}

TEST(Measurements, QuotedCellsMayHoldCommasQuotesAndLineEnds) {
    const auto rows = parse_measurements(
        std::string{header} +
            "VEC-1,src,\"910B1 (1.85 GHz)\",Add,\"8,8\",fp16,time,1.5,us,1,\"a \"\"b\"\"\nc\",high\r\n\n"
            "VEC-1.2,src,910B1,Add,8,fp16,aiv_time,2,us,1,,high",
        "f.csv");
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].shape, "8,8");
    EXPECT_EQ(rows[0].notes, "a \"b\"\nc");
    EXPECT_EQ(rows[0].value, 1.5);
    EXPECT_EQ(rows[1].place, "f.csv:5");  // header, two lines of a row, an empty one
    EXPECT_TRUE(rows[1].is_breakdown());
    EXPECT_EQ(rows[1].run_id(), "VEC-1");
    EXPECT_EQ(rows[1].family(), "VEC");
}

TEST(Measurements, ColumnsMayComeInAnyOrderWithOthers) {
    const auto rows = parse_measurements(
        "reliability,extra,id,source,chip,kernel,shape,dtype,metric,value,unit,cores,notes\n"
        "high,?,GEMM-7,s,c,k,sh,d,m,3e2,us,co,n\n",
        "f.csv");
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].reliability, "high");
    EXPECT_EQ(rows[0].value, 300);
}

TEST(Measurements, MistakesAreNamedWithFileAndLine) {
    const std::string row = "A-1,s,c,k,sh,d,m,1,us,1,n,high\n";
    EXPECT_EQ(message_of("id,value\n"), "f.csv:1: no column 'source' (there are: id, value)");
    EXPECT_EQ(message_of(header + row + "A-2,s\n"), "f.csv:3: 2 cells where the header has 12");
    EXPECT_EQ(message_of(header + row + row), "f.csv:3: the id 'A-1' was given before");
    EXPECT_EQ(message_of(std::string{header} + "A-1,s,c,k,sh,d,m,12 us,us,1,n,high\n"),
              "f.csv:2: value '12 us' is not a number");
    EXPECT_EQ(message_of(std::string{header} + "A-1,\"s\n\n"), "f.csv:2: a quote that is never closed");
    EXPECT_EQ(message_of(""), "f.csv: holds no header");
}

}  // namespace
}  // namespace ascendsim::validation
