// SPDX-License-Identifier: Apache-2.0
#include "app/cli/testing/command_line.hpp"
#include "kernels/plan/element.hpp"
#include "kernels/plan/npy.hpp"
#include "sim/process/file_text.hpp"
#include "sim/record/recording.hpp"

namespace ascendsim::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A network of two operators in ONNX's text form.
class ModelOfNetwork : public CommandLine {
protected:
    void SetUp() override {
        CommandLine::SetUp();
        write("net.onnxtxt",
              "<ir_version: 8, opset_import: [\"\" : 17]>\n"
              "net (float[N,4] x, float[4] bias) => (float[N,4] y) {\n"
              "  s = Add(x, bias)\n"
              "  y = Relu(s)\n"
              "}\n");
    }

    [[nodiscard]] Outcome model(const std::string& arguments) const {
        return ascendsim(fmt::format("model '{}' {}", (folder / "net.onnxtxt").string(), arguments));
    }

    void array(const std::string& name, const host::Shape& shape, const std::vector<float>& values) const {
        host::write_npy(folder / name, isa::DataType::float32, shape, std::as_bytes(std::span{values}));
    }
};

TEST_F(ModelOfNetwork, ReportsTimes) {
    const Outcome outcome = model("--batch 2");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("2 in 2 kernels"));
}

TEST_F(ModelOfNetwork, ComputesItsInputsToItsOutputs) {
    array("x.npy", {2, 4}, {-3, -2, -1, 0, 1, 2, 3, 4});
    array("bias.npy", {4}, {1, 1, 1, 10});
    const Outcome outcome =
        model(fmt::format("--batch 2 --functional --precision as_stated --inputs '{}' --outputs '{}'",
                          folder.string(),
                          (folder / "out").string()));
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("16 elements compared with float64"));
    const host::NpyArray y = host::read_npy(folder / "out" / "y.npy");
    std::vector<float> values(8);
    std::memcpy(values.data(), y.bytes.data(), y.bytes.size());
    EXPECT_EQ(values, (std::vector<float>{0, 0, 0, 10, 2, 3, 4, 14}));
}

/// A matrix product keeps data from being folded; what is not zero of it is taken.
TEST_F(ModelOfNetwork, ComputesWhatDataDecidesBeforeItPlansTheRest) {
    write("chosen.onnxtxt",
          "<ir_version: 8, opset_import: [\"\" : 17]>\n"
          "net (float[1,4] x, float[4,4] w) => (float[K] y, float[1,4] z) {\n"
          "  m = MatMul(x, w)\n"
          "  places = NonZero(m)\n"
          "  turned = Transpose(places)\n"
          "  y = GatherND(m, turned)\n"
          "  sum = ReduceSum<keepdims = 0>(m)\n"
          "  zero = Constant<value = float {0}>()\n"
          "  above = Greater(sum, zero)\n"
          "  z = If(above)<then_branch = a () => (float[1,4] t) { t = Relu(m) }, "
          "else_branch = b () => (float[1,4] e) { e = Neg(m) }>\n"
          "}\n");
    array("x.npy", {1, 4}, {0, 2, 0, -4});
    array("w.npy", {4, 4}, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1});
    const Outcome outcome = ascendsim(fmt::format("model '{}' --functional --inputs '{}' --outputs '{}'",
                                                  (folder / "chosen.onnxtxt").string(),
                                                  folder.string(),
                                                  (folder / "out").string()));
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    const host::NpyArray y = host::read_npy(folder / "out" / "y.npy");
    EXPECT_EQ(y.shape, (host::Shape{2}));
    EXPECT_EQ(host::read_element(y.type, y.bytes, 0), 2);
    EXPECT_EQ(host::read_element(y.type, y.bytes, 1), -4);
    const host::NpyArray z = host::read_npy(folder / "out" / "z.npy");  // the sum is -2
    EXPECT_EQ(host::read_element(z.type, z.bytes, 3), 4);
    const Outcome times = ascendsim(fmt::format("model '{}'", (folder / "chosen.onnxtxt").string()));
    EXPECT_EQ(times.exit, 0) << times.output;
    EXPECT_THAT(times.output, HasSubstr("the most that it can"));
}

TEST_F(ModelOfNetwork, RunsALoopAsOftenAsItsDataSay) {
    write("loop.onnxtxt",
          "<ir_version: 8, opset_import: [\"\" : 17]>\n"
          "net (float[1,2] x, float[2,2] w) => (float[1,2] y) {\n"
          "  most = Constant<value = int64 {9223372036854775807}>()\n"
          "  yes = Constant<value = bool {1}>()\n"
          "  limit = Constant<value = float {10}>()\n"
          "  y = Loop(most, yes, x)<body = b (int64 i, bool on, float[1,2] v) => (bool goes, float[1,2] "
          "next) {\n"
          "    next = MatMul(v, w)\n"
          "    most_of = ReduceMax<keepdims = 0>(next)\n"
          "    goes = Less(most_of, limit)\n"
          "  }>\n"
          "}\n");
    array("x.npy", {1, 2}, {1, 0.5});
    array("w.npy", {2, 2}, {2, 0, 0, 2});
    const Outcome outcome = ascendsim(fmt::format("model '{}' --functional --inputs '{}' --outputs '{}'",
                                                  (folder / "loop.onnxtxt").string(),
                                                  folder.string(),
                                                  (folder / "out").string()));
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    const host::NpyArray y = host::read_npy(folder / "out" / "y.npy");  // 2, 4, 8, 16
    EXPECT_EQ(host::read_element(y.type, y.bytes, 0), 16);
    EXPECT_EQ(host::read_element(y.type, y.bytes, 1), 8);
}

TEST_F(ModelOfNetwork, TakesRandomWeightsInThePlaceOfTheFiles) {
    write("product.onnxtxt",
          "<ir_version: 8, opset_import: [\"\" : 17]>\n"
          "product (float[1,3] x) => (float[1,2] y)\n"
          "<float[3,2] w = {100, 200, 300, 400, 500, 600}, float[2] b = {10, 20}> {\n"
          "  m = MatMul(x, w)\n"
          "  y = Add(m, b)\n"
          "}\n");
    array("x.npy", {1, 3}, {1, 1, 1});
    const auto result = [&](const std::string& weights) {
        const Outcome outcome = ascendsim(
            fmt::format("model '{}' --functional --precision as_stated --inputs '{}' --outputs '{}' {}",
                        (folder / "product.onnxtxt").string(),
                        folder.string(),
                        (folder / "out").string(),
                        weights));
        EXPECT_EQ(outcome.exit, 0) << outcome.output;
        const host::NpyArray y = host::read_npy(folder / "out" / "y.npy");
        return std::pair{host::read_element(y.type, y.bytes, 0), host::read_element(y.type, y.bytes, 1)};
    };
    EXPECT_EQ(result("--weights file"), (std::pair{910.0, 1220.0}));
    const auto [first, second] = result("--weights random");
    EXPECT_NEAR(first, 10, 3);  // weights of a sum of 3 are within sqrt(3 / 3), and the row stays
    EXPECT_NEAR(second, 20, 3);
    EXPECT_NE(first, 10);
    EXPECT_EQ(result("--weights random"), (std::pair{first, second}));
    EXPECT_THAT(model("--functional --weights none").output, HasSubstr("--weights none: file or random"));
    EXPECT_THAT(model("--weights random").output, HasSubstr("--weights random goes with --functional"));
}

TEST_F(ModelOfNetwork, RefusesInputsThatDoNotFit) {
    array("x.npy", {3, 4}, std::vector<float>(12));
    const Outcome shape = model("--batch 2 --functional --inputs x=" + (folder / "x.npy").string());
    EXPECT_EQ(shape.exit, 2);
    EXPECT_THAT(shape.output, HasSubstr("input 'x' is float32 [2, 4]"));
    const Outcome name = model("--functional --inputs y=x.npy");
    EXPECT_EQ(name.exit, 2);
    EXPECT_THAT(name.output, HasSubstr("neither a folder nor an input of the network"));
    const Outcome mode = model("--inputs x=x.npy");
    EXPECT_EQ(mode.exit, 2);
    EXPECT_THAT(mode.output, HasSubstr("go with --functional"));
}

TEST_F(ModelOfNetwork, RunsEachBatchOfAList) {
    const Outcome outcome = model("--batch 1,64 --json -");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    const auto json = nlohmann::json::parse(outcome.output);
    ASSERT_EQ(json["batches"].size(), 2U);
    EXPECT_EQ(json["batches"][1]["batch"], 64);
    EXPECT_EQ(json["batches"][1]["operators"][0]["outputs"][0]["shape"], nlohmann::json({64, 4}));
    EXPECT_LT(json["batches"][1]["us_per_element"], json["batches"][0]["us_per_element"]);
    const Outcome wrong = model("--batch 1,x");
    EXPECT_EQ(wrong.exit, 2);
    EXPECT_THAT(wrong.output, HasSubstr("--batch 1,x: numbers from 1"));
    const Outcome functional = model("--batch 1,2 --functional");
    EXPECT_EQ(functional.exit, 2);
    EXPECT_THAT(functional.output, HasSubstr("go with one batch"));
}

TEST_F(ModelOfNetwork, FusesAndWritesKernels) {
    const std::string sources = (folder / "fused").string();
    const Outcome outcome = model(fmt::format("--batch 2 --fuse ub --sources '{}'", sources));
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("1 in 1 kernel;"));
    EXPECT_THAT(outcome.output, HasSubstr("fusion: 1 generated kernel saves"));
    const Outcome run = ascendsim(fmt::format("run '{}/01_fused_add_relu/fused_add_relu.toml'", sources));
    EXPECT_EQ(run.exit, 0) << run.output;
    const Outcome part = model("--batch 2 --fuse ub --op Relu");
    EXPECT_EQ(part.exit, 0) << part.output;
    EXPECT_THAT(part.output, HasSubstr("Add + Relu"));
    const Outcome word = model("--fuse al");
    EXPECT_EQ(word.exit, 2);
    EXPECT_THAT(word.output, HasSubstr("--fuse al: none, graph, ub, all or search"));
    const Outcome budget = model("--fuse all --budget 3");
    EXPECT_EQ(budget.exit, 2);
    EXPECT_THAT(budget.output, HasSubstr("--budget goes with --fuse search"));
    const Outcome score = model("--fuse ub --score 1,2");
    EXPECT_EQ(score.exit, 2);
    EXPECT_THAT(score.output, HasSubstr("--score 1,2: three numbers"));
}

TEST_F(ModelOfNetwork, SearchesTilingsWithinABudget) {
    const Outcome outcome = model("--batch 64 --fuse search --budget 2 --json -");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    const auto search = nlohmann::json::parse(outcome.output)["fusion"]["search"];
    EXPECT_EQ(search["budget"], 2);
    EXPECT_LE(search["simulations"], 2);
    EXPECT_GE(search["gain_us"], 0);
    ASSERT_FALSE(search["kernels"].empty());
    EXPECT_LE(search["kernels"][0]["after_us"], search["kernels"][0]["before_us"]);
}

TEST_F(ModelOfNetwork, SaysWhichBatchesShareAPlan) {
    const Outcome outcome = model("--batch 2,64 --fuse ub");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("fusion by batch"));
    EXPECT_THAT(outcome.output, HasSubstr("fused_add_relu: 2, 64"));
}

TEST_F(ModelOfNetwork, ComparesFusedNumbersWithThoseApart) {
    const Outcome outcome = model("--batch 2 --fuse all --functional --json -");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("\"fused_against_apart\""));
    EXPECT_THAT(outcome.output, HasSubstr("\"op\": \"Add + Relu\""));
    // Both are rounded once: as far off as each other.
    EXPECT_THAT(outcome.output, HasSubstr("\"passed\": true"));
}

TEST_F(ModelOfNetwork, RecordsOperatorsAndPipes) {
    const std::string file = (folder / "net.rec").string();
    const std::string page = (folder / "net.html").string();
    const Outcome outcome = model(fmt::format("--batch 2 --fuse ub --record '{}' --html '{}'", file, page));
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    const record::Recording recording{file};
    EXPECT_TRUE(recording.complete());
    EXPECT_EQ(recording.metadata()["network"]["recorded"], 1);
    EXPECT_EQ(recording.metadata()["network"]["before"]["frames"].size(), 1U) << "Add and Relu";
    ASSERT_EQ(recording.metadata()["sources"].size(), 1U);
    const std::string source = recording.metadata()["sources"].begin().key();
    const bool timed = std::ranges::any_of(recording.sites(), [&](const record::SourceLine& line) {
        return line.file == source && line.line > 1;
    });
    EXPECT_TRUE(timed) << "instructions lead to lines of " << source;
    const Outcome explained = ascendsim(fmt::format("explain '{}'", file));
    EXPECT_EQ(explained.exit, 0) << explained.output;
    EXPECT_THAT(explained.output, HasSubstr("Add + Relu takes 100.0 % of the time, in 1 of 1 kernels"));
    EXPECT_THAT(explained.output, Not(HasSubstr("Worth trying")));
    EXPECT_THAT(process::text_of(page), HasSubstr("Graph before fusion"));
    const Outcome list = model(fmt::format("--batch 1,2 --record '{}'", file));
    EXPECT_EQ(list.exit, 2);
    EXPECT_THAT(list.output, HasSubstr("--record and --sources go with one batch"));
}

TEST_F(ModelOfNetwork, TrainsAStep) {
    const Outcome none = model("--train");
    EXPECT_EQ(none.exit, 2);
    EXPECT_THAT(none.output, HasSubstr("the network has no weights to train"));
    const Outcome word = model("--train --optimizer adama");
    EXPECT_EQ(word.exit, 2);
    EXPECT_THAT(word.output, HasSubstr("--optimizer adama: adam, adamw, sgd, did you mean 'adam'"));
    const Outcome alone = model("--loss sum");
    EXPECT_EQ(alone.exit, 2);
    EXPECT_THAT(alone.output, HasSubstr("go with --train"));
    write("net.onnxtxt",
          "<ir_version: 8, opset_import: [\"\" : 17]>\n"
          "net (float[N,16] x, float[16] weights_bias) => (float[N,16] y) {\n"
          "  y = Add(x, weights_bias)\n"
          "}\n");
    const Outcome outcome = model("--batch 2 --train --optimizer sgd --loss sum --functional --json -");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    const auto json = nlohmann::json::parse(outcome.output);
    EXPECT_EQ(json["training"]["optimiser"], "sgd");
    EXPECT_EQ(json["training"]["phases"]["optimiser"]["kernels"], 1);
    // 16 in float16, and twice as many bytes each of master and momentum.
    EXPECT_EQ(json["training"]["memory"]["weight_bytes"], 32);
    EXPECT_EQ(json["training"]["memory"]["optimiser_bytes"], 128);
    EXPECT_EQ(json["numerics"]["passed"], true);
    EXPECT_EQ(json["operators"].back()["phase"], "optimiser");
    const Outcome steps = model("--batch 2 --train --optimizer sgd --functional --steps 3 --loss-scale 8");
    EXPECT_EQ(steps.exit, 0) << steps.output;
    EXPECT_THAT(steps.output, HasSubstr("3 steps taken, 0 skipped"));
    const Outcome times = model("--batch 2 --train --steps 3");
    EXPECT_EQ(times.exit, 2);
    EXPECT_THAT(times.output, HasSubstr("--steps goes with --train and --functional"));
}

TEST_F(ModelOfNetwork, WritesTheTableAndTheTraceOfTheProfiler) {
    const std::string table = (folder / "net.csv").string();
    const std::string trace = (folder / "net.json").string();
    const Outcome outcome = model(fmt::format("--batch 2 --csv '{}' --trace '{}'", table, trace));
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    const std::string lines = process::text_of(table);
    EXPECT_EQ(std::ranges::count(lines, '\n'), 3) << "a head, and two kernels";
    EXPECT_THAT(lines, HasSubstr("Duration(us)"));
    const auto json = nlohmann::json::parse(process::text_of(trace));
    const nlohmann::json& events = json.is_array() ? json : json["traceEvents"];
    const auto complete = std::ranges::count_if(
        events, [](const nlohmann::json& event) { return event.value("ph", std::string{}) == "X"; });
    EXPECT_GE(complete, 4) << "two operators, and two kernels";
    EXPECT_EQ(model("--batch 2 --csv -").output, lines) << "and nothing else on standard output";
}

TEST_F(ModelOfNetwork, SaysWhatIsWrongWithItsInput) {
    const auto expect = [](const Outcome& outcome, const std::string& words) {
        EXPECT_EQ(outcome.exit, 2) << outcome.output;
        EXPECT_THAT(outcome.output, HasSubstr(words));
    };
    expect(ascendsim("model nothing.onnx"), "nothing.onnx");
    write("text.onnx", "no protobuf");
    expect(ascendsim("model text.onnx"), "text.onnx");
    write("cut.onnxtxt", "<ir_version: 8, opset_import: [\"\" : 17]>\nnet (float[N,4] x) => (");
    expect(ascendsim("model cut.onnxtxt"), "cut.onnxtxt");
    expect(model("--input z=2x4"), "z");
    expect(model("--input x=2x5"), "5");
    expect(model("--op Reluu"), "did you mean 'Relu'");
    expect(model("--chip 910b9"), "910b9");
    expect(model("--precision double"), "--precision double: half or as_stated");
    expect(model("--batch 0"), "--batch 0");
    expect(model("--budget 3"), "--budget goes with --fuse search");
    expect(model("--sources fused"), "--sources goes with --fuse");
}

TEST_F(ModelOfNetwork, KeepsItsDecisionsBetweenRuns) {
    // A cache of its own: tests beside this one keep their decisions in the common one.
    setenv("XDG_CACHE_HOME", (folder / "cache").c_str(), 1);
    const std::filesystem::path plans = folder / "cache" / "ascendsim" / "plans";
    const std::string arguments = "--batch 2 --fuse all --json -";
    const Outcome first = model(arguments);
    EXPECT_EQ(first.exit, 0) << first.output;
    const auto kept = [&plans] {
        return std::vector<std::filesystem::path>(std::filesystem::directory_iterator{plans}, {});
    };
    ASSERT_EQ(kept().size(), 1U);
    EXPECT_EQ(model(arguments).output, first.output);
    EXPECT_EQ(kept().size(), 1U);
    std::ofstream{kept()[0]} << "damaged";
    EXPECT_EQ(model(arguments).output, first.output);
    EXPECT_GT(std::filesystem::file_size(kept()[0]), 100U) << "written anew";
    EXPECT_EQ(model("--batch 3 --fuse all").exit, 0);
    EXPECT_EQ(kept().size(), 2U) << "another batch is another plan";
}

TEST_F(ModelOfNetwork, NeedsANetworkOrTests) {
    const Outcome outcome = ascendsim("model");
    EXPECT_EQ(outcome.exit, 2);
    EXPECT_THAT(outcome.output, HasSubstr("give a network, --conformance DIR or --decisions"));
    const Outcome none = ascendsim(fmt::format("model --conformance '{}'", folder.string()));
    EXPECT_EQ(none.exit, 2);
    EXPECT_THAT(none.output, HasSubstr("no test (a folder with model.onnx"));
}

}  // namespace
}  // namespace ascendsim::cli
