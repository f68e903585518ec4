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

// Read whole, or kept as not understood: each of these once was, or nearly was, a run of another shape.
TEST(Shapes, ProseIsReadWholeOrNotAtAll) {
    struct Prose {
        const char* text;
        std::vector<Extents> tensors;  // the first of each argument
        std::map<std::string, std::uint64_t> named;
    };

    const std::vector<Prose> read{
        {"~99.9M elem", {}, {{"elem", 99900000}}},  // not 99
        {"0.5M elements", {}, {{"elem", 500000}}},
        {"1M elem", {}, {{"elem", 1048576}}},   // powers of two count in powers of two,
        {"100K elem", {}, {{"elem", 100000}}},  // others in thousands
        {"1,048,576 elem", {}, {{"elem", 1048576}}},
        {"512x2x4096 + same", {{512, 2, 4096}, {512, 2, 4096}}, {}},
        {"4x8; same", {{4, 8}, {4, 8}}, {}},
        {"16384x4096, 4096", {{16384, 4096}, {4096}}, {}},
        {"1024 x 64", {{1024, 64}}, {}},
        {"8 x 16 x 32", {{8, 16, 32}}, {}},
        {"1024x512 x 512x64", {{1024, 512}, {512, 64}}, {}},
        {"8\u00d716", {{8, 16}}, {}},
        {"(64,1280)", {{64, 1280}}, {}},
        {"M128xN256xK64", {}, {{"m", 128}, {"n", 256}, {"k", 64}}},
        {"B1 Sq4K Skv128K D128", {}, {{"b", 1}, {"sq", 4096}, {"skv", 131072}, {"d", 128}}},
        {"S1=128 S2=4096 D512+64", {}, {{"s1", 128}, {"s2", 4096}, {"d", 512}, {"d+", 64}}},
        {"12 heads, 1 KV head, S512", {}, {{"heads", 12}, {"kv_heads", 1}, {"s", 512}}},
        {"64x64 x4 reads (8 MB)", {{64, 64}}, {{"reads", 4}}},
        {"2048 table, 128 indices", {}, {{"table", 2048}, {"indices", 128}}},
    };
    for (const Prose& prose : read) {
        const ShapeText shape = parse_shape(prose.text);
        EXPECT_TRUE(shape.unread.empty()) << prose.text << ": " << shape.unread.front();
        EXPECT_EQ(shape.named, prose.named) << prose.text;
        ASSERT_EQ(shape.arguments.size(), prose.tensors.size()) << prose.text;
        for (std::size_t i = 0; i < prose.tensors.size(); ++i) {
            EXPECT_EQ(shape.arguments[i].front().extents, prose.tensors[i]) << prose.text;
        }
    }
    for (const char* const text : {"-", "n/s", "None"}) {
        EXPECT_TRUE(parse_shape(text).unread.empty()) << text;
        EXPECT_EQ(parse_shape(text).tensor(0), nullptr) << text;
    }
    for (const char* const text : {"4x8; 3x5; ... 8 tensors",
                                   "4x8 (64,1280)",
                                   "8,128",
                                   "4096, 4096",
                                   "2^20 elem",
                                   "1e6 elem",
                                   "1.5 elem",
                                   "16K",
                                   "4096x?",
                                   "64x64?",
                                   "[16, 32",
                                   "4x[128x256]",
                                   "24 x 128x128",
                                   "4096x4096 (batch 4)",
                                   "64x64 padded",
                                   "100 elem x 4",
                                   "M16 N16 M32",
                                   "m/n/k = 128/256/512",
                                   "tokens x top-k 1x6",
                                   "-1x4096"}) {
        EXPECT_FALSE(parse_shape(text).unread.empty()) << text;
    }
}

TEST(Shapes, ANameThatNobodyAsksForIsNotUnderstood) {
    const ShapeText shape = parse_shape("4096x4096, 12 tensors");
    EXPECT_NE(shape.not_understood().find("tensors"), std::string::npos);
    EXPECT_EQ(shape.get("tensors"), 12U);
    EXPECT_EQ(shape.not_understood(), "");
    EXPECT_NE(parse_shape("4096x4096 batch 4").not_understood(), "");
}

TEST(Shapes, AWordOfTheKernelSaysNothingNew) {
    Measurement measurement;
    measurement.kernel = "torch addmv";
    measurement.shape = "4096x4096 addmv";
    EXPECT_EQ(row_of(measurement).not_understood(), "");
    measurement.kernel = "torch mv";
    EXPECT_NE(row_of(measurement).not_understood(), "");
}

TEST(Types, AWordThatIsNoTypeIsNotUnderstood) {
    for (const char* const text : {"fp8_e4m3", "nf4", "fp16 (accumulated)", "mixed", "complex64"}) {
        EXPECT_NE(parse_types(text).unread, "") << text;
    }
    for (const char* const text :
         {"fp16 in->fp32", "fp16 x int8", "n/s", "-", "fp32?", "int8/bf16", "fp16,null,int32", "bytes", ""}) {
        EXPECT_EQ(parse_types(text).unread, "") << text;
    }
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

TEST(Rows, AttributesMayBeWrittenAsJsonOrPython) {
    Measurement measurement;
    measurement.notes =
        R"(case 20; {"epsilon": "1e-6", "output_size": [256, 128], "align_corners": true, "mode": null})";
    const Row row = row_of(measurement);
    EXPECT_EQ(row.attribute("epsilon"), "1e-6");
    EXPECT_EQ(row.list("output_size"), (std::vector<std::int64_t>{256, 128}));
    EXPECT_EQ(row.flag("align_corners"), true);
    EXPECT_EQ(row.integer("mode"), std::nullopt);
    measurement.notes = "{'dim': -1, 'keepdim': False, 'kernel': (3, 5)}";
    const Row python = row_of(measurement);
    EXPECT_EQ(python.integer("dim"), -1);
    EXPECT_EQ(python.flag("keepdim"), false);
    EXPECT_EQ(python.list("kernel"), (std::vector<std::int64_t>{3, 5}));
}

}  // namespace
}  // namespace ascendsim::validation
