// SPDX-License-Identifier: Apache-2.0
#include "networks/run/testing/numbers_fixture.hpp"

namespace ascendsim::networks {
namespace {

TEST_F(NetworkNumbers, OfARowThatIsMaskedWhollyAreWeightsInFloat16Too) {
    precision_ = Precision::half;
    graph_.constants["keep"] = constant(isa::DataType::boolean, {2, 4}, {1, 0, 0, 0, 0, 0, 0, 0});
    table("masked", {}, {-1e9});
    add("Where", {"keep", "x", "masked"}, "a");
    add("Softmax", {"a"}, "y");
    EXPECT_EQ(last({2, 4}, {0.5, 0.25, 1, 0, 0.5, 0.25, 1, 0}),
              (std::vector<double>{1, 0, 0, 0, 0.25, 0.25, 0.25, 0.25}));
}

TEST_F(NetworkNumbers, PassFromKernelToKernel) {
    table("w", {2, 1, 1, 1}, {1, -2});
    table("b", {2}, {0.5, 100});
    add("Conv", {"x", "w", "b"}, "c");  // x + 0.5 and 100 - 2 x
    add("MaxPool", {"c"}, "y", {{"kernel_shape", Axes64{2, 2}}, {"strides", Axes64{2, 2}}});
    // Rows 0..3, 4..7: the windows' largest x are 5 and 7, their smallest 0 and 2.
    EXPECT_EQ(last({1, 1, 2, 4}, counting_up(8)), (std::vector<double>{5.5, 7.5, 100, 96}));
}

TEST_F(NetworkNumbers, AConvolutionOfAnyWindow) {
    table("w", {1, 1, 1, 2}, {1, 10});
    add("Conv", {"x", "w"}, "y", {{"pads", Axes64{0, 0, 0, 1}}});
    // x0 + 10 x1 along each row, with a zero behind it.
    EXPECT_EQ(last({1, 1, 2, 3}, counting_up(6)), (std::vector<double>{10, 21, 2, 43, 54, 5}));
}

TEST_F(NetworkNumbers, AWindowOfPaddingAlone) {
    table("w", {1, 1, 1, 1}, {2});
    add("Conv", {"x", "w"}, "y", {{"pads", Axes64{0, 1, 0, 0}}});
    EXPECT_EQ(last({1, 1, 1, 2}, {3, 4}), (std::vector<double>{0, 6, 8}));
}

TEST_F(NetworkNumbers, ATransposedConvolutionWithAStride) {
    table("w", {1, 1, 1, 3}, {1, 10, 100});
    add("ConvTranspose", {"x", "w"}, "y", {{"strides", Axes64{1, 2}}});
    // 1, 10, 100 and, two places on, twice that.
    EXPECT_EQ(last({1, 1, 1, 2}, {1, 2}), (std::vector<double>{1, 10, 102, 20, 200}));
}

TEST_F(NetworkNumbers, AConvolutionOfFilms) {
    table("w", {1, 1, 2, 1, 2}, {1, 0, 10, 100});
    add("Conv", {"x", "w"}, "y");
    // Of images (0 1), (2 3), (4 5): 0 + 10 * 2 + 100 * 3, and 2 + 10 * 4 + 100 * 5.
    EXPECT_EQ(last({1, 1, 3, 1, 2}, counting_up(6)), (std::vector<double>{320, 542}));
}

TEST_F(NetworkNumbers, AConvolutionInStrips) {
    table("w", {1, 1, 3}, {1, 10, 100});
    add("Conv", {"x", "w"}, "y", {{"pads", Axes64{1, 1}}});
    std::vector<double> x(6000, 0);
    x[0] = x[2000] = x[4095] = x[5999] = 1;
    std::vector<double> y(6000, 0);
    for (const std::size_t i : {0U, 2000U, 4095U, 5999U}) {
        y[i] = 10;
        y[i + 1 < y.size() ? i + 1 : i] += i + 1 < y.size() ? 1 : 0;
        y[i > 0 ? i - 1 : i] += i > 0 ? 100 : 0;
    }
    EXPECT_EQ(last({1, 1, 6000}, x), y);
}

TEST_F(NetworkNumbers, ARecurrenceInBothDirections) {
    table("w", {2, 1, 1}, {1, 1});
    table("r", {2, 1, 1}, {2, 2});
    add("RNN",
        {"x", "w", "r"},
        "y",
        {{"direction", "bidirectional"},
         {"hidden_size", std::int64_t{1}},
         {"activations", std::vector<std::string>{"Relu", "Relu"}}});
    // Forward 1, 2 + 2 * 1, 3 + 2 * 4; backward 3, 2 + 2 * 3, 1 + 2 * 8.
    EXPECT_EQ(last({3, 1, 1}, {1, 2, 3}), (std::vector<double>{1, 17, 4, 8, 11, 3}));
}

TEST_F(NetworkNumbers, SequencesThatEndBeforeTheLastStep) {
    table("w", {1, 1, 1}, {1});
    table("r", {1, 1, 1}, {2});
    graph_.constants["lengths"] = constant(isa::DataType::int32, {2}, {3, 2});
    add("RNN",
        {"x", "w", "r", "", "lengths"},
        "y",
        {{"direction", "reverse"}, {"activations", std::vector<std::string>{"Relu"}}});
    // Of 1, 2, 3 from behind: 17, 8, 3; of 10, 20 from behind: 50, 20, and nothing.
    EXPECT_EQ(last({3, 2, 1}, {1, 10, 2, 20, 3, 30}), (std::vector<double>{17, 50, 8, 20, 3, 0}));
}

TEST_F(NetworkNumbers, GatesInTheirOrder) {
    const std::vector<std::string> affine{"Affine", "Affine", "Affine"};
    table("w", {1, 4, 1}, {0, 0, 0, 0});
    table("r", {1, 4, 1}, {0, 0, 0, 0});
    table("b", {1, 8}, {1, 2, 3, 4, 0, 0, 0, 0});  // input 1, output 2, forget 3, cell 4
    add("LSTM", {"x", "w", "r", "b"}, "y", {{"activations", affine}});
    // Cells 4 and 3 * 4 + 4, twice.
    EXPECT_EQ(last({2, 1, 1}, {0, 0}), (std::vector<double>{8, 32}));
}

TEST_F(NetworkNumbers, GatesOfAGatedUnit) {
    const std::vector<std::string> affine{"Affine", "Affine"};
    table("w", {1, 3, 1}, {0, 0, 0});
    table("r", {1, 3, 1}, {0, 0, 1});
    table("b", {1, 6}, {0.5, 2, 4, 0, 0, 0});  // update 0.5, reset 2
    add("GRU", {"x", "w", "r", "b"}, "y", {{"activations", affine}});
    // 0.5 * 4; then 0.5 * (4 + 2 * 2) + 0.5 * 2.
    EXPECT_EQ(last({2, 1, 1}, {0, 0}), (std::vector<double>{2, 5}));
}

/// Factors whose products by ones cancel. 1 is lost beside 2^24 in fp32, and a kernel, which adds them up in
/// their order, makes 0 of it; the reference, which adds up 32 at a time, does not.
std::vector<double> cancelling() {
    std::vector<double> factors(96, 0);
    factors[0] = 0x1p24;
    factors[40] = 1;
    factors[80] = -0x1p24;
    return factors;
}

TEST_F(NetworkNumbers, AProductMayBeOffByWhatItsSumRounds) {
    table("w", {96, 1}, cancelling());
    add("MatMul", {"x", "w"}, "y");
    EXPECT_EQ(last({1, 96}, std::vector<double>(96, 1)), (std::vector<double>{0}));
}

TEST_F(NetworkNumbers, AConvolutionMayBeOffByWhatItsSumRounds) {
    table("w", {1, 96, 1, 1}, cancelling());
    add("Conv", {"x", "w"}, "y");
    EXPECT_EQ(last({1, 96, 1, 1}, std::vector<double>(96, 1)), (std::vector<double>{0}));
}

TEST_F(NetworkNumbers, NumbersThatFloat16CannotHoldAreFloat32) {
    precision_ = Precision::half;
    table("large", {}, {0x1p20});
    add("Mul", {"x", "large"}, "a");
    add("Log", {"a"}, "y");
    // ln 2^20 = 13.8629 and ln(3 x 2^20) = 14.9616, in steps of 2^-7.
    EXPECT_EQ(last({2}, {1, 3}), (std::vector<double>{13.859375, 14.9609375}));
}

TEST_F(NetworkNumbers, SumsByLetters) {
    table("w", {2, 3}, {1, 10, 100, 1, 2, 3});
    add("Einsum", {"x", "w"}, "y", {{"equation", "...ij, kj -> k...i"}});
    // Rows 0 1 2 and 3 4 5 by 1 10 100, then by 1 2 3.
    EXPECT_EQ(last({1, 2, 3}, counting_up(6)), (std::vector<double>{210, 543, 8, 26}));
}

TEST_F(NetworkNumbers, RunningSums) {
    graph_.constants["axis"] = constant(isa::DataType::int64, {}, {0});
    add("CumSum", {"x", "axis"}, "y", {{"exclusive", std::int64_t{1}}, {"reverse", std::int64_t{1}}});
    EXPECT_EQ(last({3, 2}, {1, 2, 3, 4, 5, 6}), (std::vector<double>{8, 10, 5, 6, 0, 0}));
}

TEST_F(NetworkNumbers, TheAiCpuComputesBetweenKernels) {
    graph_.constants["three"] = constant(isa::DataType::int64, {}, {3});
    add("Relu", {"x"}, "a");
    add("Cast", {"a"}, "i", {{"to", std::int64_t{7}}});
    add("Mod", {"i", "three"}, "m");
    add("Cast", {"m"}, "y", {{"to", std::int64_t{1}}});
    EXPECT_EQ(last({3}, {7, -4, 5}), (std::vector<double>{1, 0, 2}));
}

TEST_F(NetworkNumbers, PartsOfFloatsAreComparedAsFloats) {
    table("t", {1}, {0.1F});
    add("Concat", {"x", "t"}, "y", {{"axis", std::int64_t{0}}});
    EXPECT_EQ(last({1}, {0.3F}), (std::vector<double>{0.3F, 0.1F}));
}

TEST_F(NetworkNumbers, MorePartsThanAKernelJoins) {
    std::vector<std::string> parts{"x"};
    std::vector<double> all{5};
    for (int i = 0; i < 20; ++i) {
        table(fmt::format("t{}", i), {1}, {static_cast<double>(i)});
        parts.push_back(fmt::format("t{}", i));
        all.push_back(i);
    }
    add("Concat", parts, "y", {{"axis", std::int64_t{0}}});
    EXPECT_EQ(last({1}, {5}), all);
}

TEST_F(NetworkNumbers, PartsAreJoinedAndCutAsTheyLie) {
    table("more", {2, 1}, {8, 9});
    graph_.constants["reverse"] = constant(isa::DataType::int64, {1}, {-1});
    graph_.constants["from"] = constant(isa::DataType::int64, {1}, {3});
    graph_.constants["to"] = constant(isa::DataType::int64, {1}, {-9});
    graph_.constants["axis"] = constant(isa::DataType::int64, {1}, {1});
    add("Concat", {"x", "more"}, "c", {{"axis", std::int64_t{1}}});
    add("Slice", {"c", "from", "to", "axis", "reverse"}, "y");
    EXPECT_EQ(last({2, 3}, counting_up(6)), (std::vector<double>{8, 2, 1, 0, 9, 5, 4, 3}));
}

TEST_F(NetworkNumbers, RowsAreGatheredByAnIndexThatAKernelReads) {
    graph_.constants["i"] = constant(isa::DataType::int64, {3}, {3, 0, -1});
    add("Gather", {"x", "i"}, "y");
    EXPECT_EQ(last({4, 2}, counting_up(8)), (std::vector<double>{6, 7, 0, 1, 6, 7}));
}

TEST_F(NetworkNumbers, FusedKernelsComputeTheSame) {
    table("w", {3}, {1, 2, 4});
    add("Mul", {"x", "w"}, "a");
    add("Abs", {"a"}, "b");
    add("ReduceSum", {"b", "last"}, "y");
    graph_.constants["last"] = constant(isa::DataType::int64, {1}, {1});
    fused_ = true;
    // |-1| + 2 |2| + 4 |-3|, and 4 + 2 * 5 + 4 * 6
    EXPECT_EQ(last({2, 3}, {-1, 2, -3, 4, 5, 6}), (std::vector<double>{17, 38}));
}

TEST(NetworkNumbersOf, APlanNameEveryNodeThatCannotRun) {
    const toolchain::Installation installation = toolchain::Installation::find();
    NetworkPlan plan;
    plan.nodes = {{.name = "a", .op = "Foo", .inputs = {"x"}, .outputs = {"a"}, .refusal = "no kernel"},
                  {.name = "b", .op = "Relu", .inputs = {"a"}, .outputs = {"b"}, .refusal = "'a' is missing"},
                  {.name = "c", .op = "Bar", .inputs = {"x"}, .outputs = {"c"}, .refusal = "no kernel, too"}};
    try {
        static_cast<void>(ready_tasks(plan, load_chip("910b3", installation.chips()), installation));
        FAIL() << "nothing was thrown";
    } catch (const UserError& error) {
        EXPECT_STREQ(error.what(), "Foo 'a': no kernel\n  Bar 'c': no kernel, too");
    }
}

TEST_F(NetworkNumbers, FoldedNormsComputeTheSame) {
    table("w", {2, 1, 1, 1}, {1, -2});
    table("b", {2}, {0.5, 100});
    table("g", {2}, {3, 4});
    table("beta", {2}, {0, 1});
    table("m", {2}, {0.5, 90});
    table("v", {2}, {1, 4});
    add("Conv", {"x", "w", "b"}, "c");  // x + 0.5 and 100 - 2 x
    add("BatchNormalization", {"c", "g", "beta", "m", "v"}, "y", {{"epsilon", 0.0}});
    rewritten_ = true;
    // 3 (x + 0.5 - 0.5) and 4 (100 - 2 x - 90) / 2 + 1
    EXPECT_EQ(last({1, 1, 1, 4}, counting_up(4)), (std::vector<double>{0, 3, 6, 9, 21, 17, 13, 9}));
}

TEST_F(NetworkNumbers, OtherResultsAreMeasuredAgainstTheReference) {
    add("Relu", {"x"}, "y");
    const runtime::IsolatedResult result = runtime::run_isolated([&] {
        graph_.inputs = {{.name = "x", .type = isa::DataType::float32, .shape = {}}};
        const NetworkPlan plan = plan_network(graph_, {{"x", {4}}}, as_stated());
        const ReadyTasks tasks = ready_tasks(plan, chip_, installation_);
        std::vector<Difference> differences;
        const runtime::RunRequest request{.chip = chip_, .work = {}, .options = {}};
        const runtime::SessionOutcome outcome =
            runtime::run_sequence(request, {tasks[0].get()}, [&](const runtime::RunPlan& run) {
                differences = compare_nodes(plan, tasks, {{"x", {-1, 2, 4, 3}}, {"y", {0, 2, 5, 3}}}, run);
            });
        EXPECT_EQ(outcome.failure, nullptr);
        return nlohmann::ordered_json{{"count", differences.size()},
                                      {"apart", differences.at(0).apart},
                                      {"fused", differences.at(0).fused},
                                      {"allowed", differences.at(0).allowed}};
    });
    ASSERT_EQ(result.error, "");
    EXPECT_EQ(result.value["count"], 1);
    EXPECT_EQ(result.value["apart"], 0.25);  // 5 instead of 4, and no element is larger than that
    EXPECT_EQ(result.value["fused"], 0);
    EXPECT_EQ(result.value["allowed"], 1e-5);
}

TEST(Differences, PassAsFarAsTheyAreAllowed) {
    EXPECT_TRUE((Difference{.apart = 1e-3, .fused = 1.05e-3, .allowed = 1e-4}.passed()));
    EXPECT_FALSE((Difference{.apart = 1e-3, .fused = 1.15e-3, .allowed = 1e-4}.passed()));
}

TEST(TensorBytes, HoldWhatTheTypeHolds) {
    const std::vector<double> elements{1.0 / 3, 300, -1};
    const auto there_and_back = [&](isa::DataType type) {
        return elements_of(type, bytes_of(type, elements), 3);
    };
    EXPECT_EQ(there_and_back(isa::DataType::uint8), (std::vector<double>{0, 255, 0}));
    EXPECT_EQ(there_and_back(isa::DataType::float64), elements);
    EXPECT_NEAR(there_and_back(isa::DataType::half)[0], 1.0 / 3, 0x1p-12);
}

TEST_F(NetworkNumbers, PlacesBetweenElementsAreSampled) {
    // In the unit of the grid the columns of a row of two are -0.5 and 0.5, and the row's middle is 0.
    table("grid", {1, 1, 4, 2}, {-0.5, 0, 0, 0, 0.5, 0, 1, 0});
    add("GridSample", {"x", "grid"}, "y");
    EXPECT_EQ(last({1, 2, 1, 2}, {2, 4, 10, 30}), (std::vector<double>{2, 3, 4, 2, 10, 20, 30, 15}));
    graph_.nodes.clear();
    add("GridSample", {"x", "grid"}, "z", {{"padding_mode", std::string{"border"}}});
    EXPECT_EQ(last({1, 2, 1, 2}, {2, 4, 10, 30}), (std::vector<double>{2, 3, 4, 4, 10, 20, 30, 30}));
}

TEST_F(NetworkNumbers, ProductsOverAnOddNumberOfRows) {
    add("ReduceProd", {"x"}, "y", {{"axes", Axes64{0}}, {"keepdims", std::int64_t{0}}});
    graph_.opset = 13;
    EXPECT_EQ(last({5, 2}, {1, 2, 3, 1, 2, 5, 2, 1, 1, 3}), (std::vector<double>{12, 30}));
}

TEST_F(NetworkNumbers, ATransformOfAWaveHasTwoPeaks) {
    add("DFT", {"x"}, "y");
    // cos(2 pi i / 4) is 2 at the frequencies 1 and 3, and its sum is 0.
    const std::vector<double> y = last({1, 4, 1}, {1, 0, -1, 0});
    const std::vector<double> expected{0, 0, 2, 0, 0, 0, 2, 0};
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(y.at(i), expected[i], 1e-6);
    }
}

TEST_F(NetworkNumbers, AScatterAddsTwiceToOnePlace) {
    graph_.constants["at"] = constant(isa::DataType::int64, {3}, {1, 1, 2});
    table("more", {3}, {10, 20, 30});
    add("ScatterElements", {"x", "at", "more"}, "y", {{"reduction", std::string{"add"}}});
    EXPECT_EQ(last({3}, {1, 2, 3}), (std::vector<double>{1, 32, 33}));
}

TEST_F(NetworkNumbers, ABatchIsNormalisedByItsOwnStatistics) {
    table("one", {1}, {1});
    table("zero", {1}, {0});
    add("BatchNormalization",
        {"x", "one", "zero", "zero", "one"},
        "y",
        {{"training_mode", std::int64_t{1}}, {"epsilon", 0.0}});
    // Mean 3 and variance 4.
    EXPECT_EQ(last({2, 1, 2}, {1, 5, 1, 5}), (std::vector<double>{-1, 1, -1, 1}));
}

/// Filters that add channel c of 16 and the one behind it, or hand each on.
std::vector<double> pairs(bool both) {
    std::vector<double> filters(256, 0);
    for (std::size_t c = 0; c < 16; ++c) {
        filters[c * 16 + c] = 1;
        filters[c * 16 + (c + 1) % 16] += both ? 1 : 0;
    }
    return filters;
}

TEST_F(NetworkNumbers, ConvolutionsHandBlocksOfChannelsToEachOther) {
    // Filters come in 16 channels, two blocks of float32: one conversion before the first, one behind the
    // last.
    table("w", {16, 16, 1, 1}, pairs(true));
    table("same", {16, 16, 1, 1}, pairs(false));
    add("Conv", {"x", "w"}, "a");
    add("Relu", {"a"}, "b");
    add("Conv", {"b", "same"}, "y");
    converted_ = 2;
    std::vector<double> x(32);
    std::vector<double> expected(32);
    for (std::size_t i = 0; i < 32; ++i) {
        x[i] = i < 30 ? static_cast<double>(i) : -100.0;  // channel i / 2, position i % 2
    }
    for (std::size_t i = 0; i < 32; ++i) {
        expected[i] = std::max(0.0, x[i] + x[(i + 2) % 32]);
    }
    EXPECT_EQ(last({1, 16, 1, 2}, x), expected);
}

TEST_F(NetworkNumbers, BlocksThatHoldZerosAreTakenApart) {
    table("w", {3, 3, 1, 1}, {1, 0, 0, 0, 1, 0, 1, 1, 1});
    add("Conv", {"x", "w"}, "y");
    converted_ = 2;
    EXPECT_EQ(last({2, 3, 1, 2}, {1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60}),
              (std::vector<double>{1, 2, 3, 4, 9, 12, 10, 20, 30, 40, 90, 120}));
}

TEST_F(NetworkNumbers, JoinedChannelsStayInBlocks) {
    table("same", {16, 16, 1, 1}, pairs(false));
    table("sum", {1, 32, 1, 1}, std::vector<double>(32, 1));
    add("Conv", {"x", "same"}, "a");
    add("Conv", {"a", "same"}, "b");
    add("Concat", {"a", "b"}, "ab", {{"axis", std::int64_t{1}}});
    add("Conv", {"ab", "sum"}, "y");
    converted_ = 2;
    EXPECT_EQ(last({1, 16, 1, 2}, counting_up(32)), (std::vector<double>{480, 512}));  // twice 240, twice 256
}

/// Networks on a chip whose copies take whole blocks of 32 B, with rows that are none.
class RaggedRows : public NetworkNumbers {
protected:
    void SetUp() override {
        NetworkNumbers::SetUp();
        chip_ = load_chip("310p3", installation_.chips());
    }
};

TEST_F(RaggedRows, PoolsTakeBlocksOfChannels) {
    const std::map<std::string, Attribute, std::less<>> windows{
        {"kernel_shape", Axes64{2, 3}}, {"strides", Axes64{1, 2}}, {"pads", Axes64{0, 1, 0, 1}}};
    add("MaxPool", {"x"}, "y", windows);
    // Rows 0 1 2 3 4, 5 6 7 8 9, negative in the second channel: three windows around columns 0, 2 and 4.
    std::vector<double> x = counting_up(10);
    for (int i = 0; i < 10; ++i) {
        x.push_back(-i);
    }
    EXPECT_EQ(last({1, 2, 2, 5}, x), (std::vector<double>{6, 8, 9, 0, -1, -3}));
    graph_.nodes.clear();
    add("AveragePool", {"x"}, "y", windows);
    EXPECT_EQ(last({1, 2, 2, 5}, x), (std::vector<double>{3, 4.5, 6, -3, -4.5, -6}));
    graph_.nodes.clear();
    add("GlobalAveragePool", {"x"}, "y");
    EXPECT_EQ(last({1, 2, 2, 5}, x), (std::vector<double>{4.5, -4.5}));
}

TEST_F(RaggedRows, AxesChangePlaces) {
    add("Transpose", {"x"}, "y", {{"perm", Axes64{1, 0}}});
    EXPECT_EQ(last({2, 3}, {1, 2, 3, 4, 5, 6}), (std::vector<double>{1, 4, 2, 5, 3, 6}));
}

TEST_F(RaggedRows, PartsLieBesideEachOther) {
    table("more", {2, 1}, {10, 20});
    add("Concat", {"x", "more"}, "y", {{"axis", std::int64_t{1}}});
    EXPECT_EQ(last({2, 2}, {1, 2, 3, 4}), (std::vector<double>{1, 2, 10, 3, 4, 20}));
}

TEST_F(RaggedRows, RowsAreFilledUp) {
    table("row", {2, 1}, {10, 20});
    add("Add", {"x", "row"}, "y");
    EXPECT_EQ(last({2, 3}, {1, 2, 3, 4, 5, 6}), (std::vector<double>{11, 12, 13, 24, 25, 26}));
    graph_.nodes.clear();
    add("ReduceMax", {"x"}, "y", {{"axes", Axes64{1}}, {"keepdims", std::int64_t{0}}});
    EXPECT_EQ(last({2, 3}, {-1, -2, -3, 4, 6, 5}), (std::vector<double>{-1, 6}));
    graph_.nodes.clear();
    add("Softmax", {"x"}, "y");
    const std::vector<double> y = last({1, 3}, {0, 0, 0});
    EXPECT_NEAR(y.at(2), 1.0 / 3, 1e-6);
}

/// i -> 37 i mod 5003, a prime: each of 0 to 5002 once.
std::vector<double> shuffled() {
    std::vector<double> x(5003);
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<double>(37 * i % x.size());
    }
    return x;
}

TEST_F(NetworkNumbers, TheBestOfARowThatNoBufferHolds) {
    graph_.constants["k"] = constant(isa::DataType::int64, {1}, {3});
    add("TopK", {"x", "k"}, "y");
    graph_.nodes.back().outputs.emplace_back("places");
    EXPECT_EQ(last({5003}, shuffled()), (std::vector<double>{5002, 5001, 5000}));
}

TEST_F(NetworkNumbers, PlacesOfTheLeastOfARowThatNoBufferHolds) {
    graph_.constants["k"] = constant(isa::DataType::int64, {1}, {3});
    add("TopK", {"x", "k"}, "least", {{"largest", std::int64_t{0}}});
    graph_.nodes.back().outputs.emplace_back("places");
    add("Cast", {"places"}, "y", {{"to", std::int64_t{1}}});
    // 37 x 3110 = 115070 = 23 x 5003 + 1
    EXPECT_EQ(last({5003}, shuffled()), (std::vector<double>{0, 3110, 1217}));
}

}  // namespace
}  // namespace ascendsim::networks
