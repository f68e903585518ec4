// SPDX-License-Identifier: Apache-2.0
#include "app/validation/row.hpp"

#include <gtest/gtest.h>

namespace ascendsim::validation {
namespace {

using isa::DataType;

Row row_of(const Measurement& measurement) {
    return Row{measurement};
}

TEST(Shapes, NamedNumbersAreReadInAnySpelling) {
    for (const char* const text :
         {"M8192 N4096 K1024", "m8192, n4096, k1024", "M=8192 N=4096 K=1024 (per rank)"}) {
        const ShapeText shape = parse_shape(text);
        EXPECT_EQ(shape.get("m"), 8192U) << text;
        EXPECT_EQ(shape.get("n"), 4096U) << text;
        EXPECT_EQ(shape.get("k"), 1024U) << text;
    }
    const ShapeText attention = parse_shape("B1 H1 Sq128 Skv4096 D64");
    EXPECT_EQ(attention.get("sq"), 128U);
    EXPECT_EQ(attention.get("skv"), 4096U);
}

TEST(Shapes, ArgumentsArePartedBySemicolons) {
    const ShapeText shape = parse_shape("1x4096; 4096x6400; 6400; -; 6400");
    ASSERT_EQ(shape.arguments.size(), 5U);
    EXPECT_EQ(*shape.tensor(1), (Extents{4096, 6400}));
    EXPECT_EQ(*shape.tensor(2), (Extents{6400}));
    EXPECT_EQ(shape.tensor(3), nullptr);
    EXPECT_EQ(*shape.tensor(4), (Extents{6400}));
    EXPECT_EQ(shape.tensor(5), nullptr);
}

TEST(Shapes, BracketsHoldAListOrOneTensor) {
    const ShapeText list = parse_shape("[2048x1024, 8x3]; [7]");
    ASSERT_EQ(list.arguments.size(), 2U);
    ASSERT_EQ(list.arguments[0].size(), 2U);
    EXPECT_EQ(list.arguments[0][1].extents, (Extents{8, 3}));
    EXPECT_EQ(*list.tensor(1), (Extents{7}));
    const ShapeText tensors = parse_shape("x[8192,1024] w[8,1024,8192] NZ");
    EXPECT_EQ(*tensors.tensor(0), (Extents{8192, 1024}));
    EXPECT_EQ(*tensors.tensor(1), (Extents{8, 1024, 8192}));
    const ShapeText convolution = parse_shape("X NC1HWC0 [4,16,12,64,16] K [144,192,16,16]");
    EXPECT_EQ(*convolution.tensor(0), (Extents{4, 16, 12, 64, 16}));
    EXPECT_EQ(*convolution.tensor(1), (Extents{144, 192, 16, 16}));
}

TEST(Shapes, ResultsStandBehindAnArrowOrInTheNotes) {
    const ShapeText split = parse_shape("8x30 -> 8x10; 8x20");
    ASSERT_EQ(split.arguments.size(), 1U);
    EXPECT_EQ(split.arguments[0].size(), 1U);
    EXPECT_EQ(split.outputs, (std::vector<Extents>{{8, 10}, {8, 20}}));
    Measurement row;
    row.shape = "4x9";
    row.notes = "out 4,3";
    EXPECT_EQ(row_of(row).shape.outputs, (std::vector<Extents>{{4, 3}}));
    EXPECT_TRUE(parse_shape("-> 4096").arguments.empty());
}

TEST(Shapes, CountsAndWordsGoTogether) {
    EXPECT_EQ(parse_shape("30000 elem").elements(), 30000U);
    const ShapeText groups = parse_shape("16x64x256x256 8 groups");
    EXPECT_EQ(*groups.tensor(0), (Extents{16, 64, 256, 256}));
    EXPECT_EQ(groups.get("groups"), 8U);
    const ShapeText top = parse_shape("4800x1024 k1000");
    EXPECT_EQ(top.get("k"), 1000U);
    EXPECT_EQ(parse_shape("scalar").elements(), 1U);
    EXPECT_EQ(*parse_shape("12288x12288 (302 MB)").tensor(0), (Extents{12288, 12288}));
}

TEST(Types, InputsAndOutputAreTold) {
    const TypeText types = parse_types("int8 -> fp16");
    EXPECT_EQ(types.inputs, std::vector{DataType::int8});
    EXPECT_EQ(types.output, DataType::half);
    EXPECT_EQ(parse_types("bf16+int8+fp32").inputs,
              (std::vector{DataType::bfloat16, DataType::int8, DataType::float32}));
    EXPECT_EQ(parse_types("fp32?").inputs, std::vector{DataType::float32});
    EXPECT_TRUE(parse_types("n/s").inputs.empty());
}

TEST(Rows, WhatCannotBeMeantIsToldFromWhatIsUnusual) {
    const auto nonsense = [](const char* shape, const char* type) {
        return nonsense_of({.kernel = "gelu", .shape = shape, .dtype = type});
    };
    for (const char* shape : {"0x4096", "4096x0", "-5x4096", "8x-5x4", "4x4; 0x2"}) {
        EXPECT_NE(nonsense(shape, "fp16"), "") << shape;
    }
    for (const char* shape :
         {"100x4096", "10x20; 4x0256", "4096; -; 4096", "M64 N64 K64", "4x4 dim -1", "4x4 -> 10"}) {
        EXPECT_EQ(nonsense(shape, "fp16+int32"), "") << shape;
    }
    EXPECT_EQ(nonsense("4x4", "fp12"), "the type 'fp12' is not supported");
    for (const char* type : {"fp16 in->fp32", "fp32->4bit", "bf16+int8+fp32", "bytes", "n/s", "-"}) {
        EXPECT_EQ(nonsense("4x4", type), "") << type;
    }
}

TEST(Cores, OnlyCertainCountsCount) {
    EXPECT_EQ(parse_cores("24 AIC+48 AIV").aiv, 48U);
    EXPECT_EQ(parse_cores("20 AIC").aic, 20U);
    EXPECT_EQ(parse_cores("24").count, 24U);
    EXPECT_FALSE(parse_cores("24 AIC avail").aic);
    EXPECT_FALSE(parse_cores("8?").count);
    EXPECT_FALSE(parse_cores("1 or 2").count);
}

TEST(Rows, AttributesOfNotesAreRead) {
    Measurement measurement;
    measurement.kernel = "grouped_matmul (GroupedMatMulV4)";
    measurement.notes =
        "case 13; group_list: [512, 1024], split_item: 2, transpose_weight: true, epsilon: 1e-6; k: -3";
    const Row row = row_of(measurement);
    EXPECT_EQ(row.list("group_list"), (std::vector<std::int64_t>{512, 1024}));
    EXPECT_EQ(row.integer("split_item"), 2);
    EXPECT_EQ(row.integer("k"), -3);
    EXPECT_EQ(row.flag("transpose_weight"), true);
    EXPECT_EQ(row.attribute("epsilon"), "1e-6");
    EXPECT_FALSE(row.attribute("list"));  // part of a longer word
    EXPECT_TRUE(row.kernel_has({"Grouped Matmul"}) || row.kernel_has({"groupedmatmul"}));
}

}  // namespace
}  // namespace ascendsim::validation
