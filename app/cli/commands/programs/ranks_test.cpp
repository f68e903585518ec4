// SPDX-License-Identifier: Apache-2.0
// Scenarios with [[ranks]] as `ascendsim run` takes them.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "app/cli/testing/small_programs.hpp"

namespace ascendsim::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// z = x + x, in one core.
constexpr const char* double_kernel =
    "#include \"kernel_operator.h\"\n"
    R"(
extern "C" __global__ __aicore__ void twice(GM_ADDR x, GM_ADDR z) {
    AscendC::TPipe pipe;
    AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    AscendC::LocalTensor<float> local = buffer.Get<float>();
    AscendC::GlobalTensor<float> from;
    AscendC::GlobalTensor<float> to;
    from.SetGlobalBuffer((__gm__ float*)x);
    to.SetGlobalBuffer((__gm__ float*)z);
    AscendC::DataCopy(local, from, 64);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::Add(local, local, local, 64);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::DataCopy(to, local, 64);
}
)";

class ScenarioRanks : public SmallPrograms {
protected:
    void SetUp() override {
        SmallPrograms::SetUp();
        std::ofstream{folder / "twice.cpp"} << double_kernel;
    }

    /// Three ranks, of which rank r has 64 numbers 100 r + i.
    [[nodiscard]] Outcome run(const std::string& more, const std::string& ranks) const {
        return run_file(head() + ranks + more);
    }

    [[nodiscard]] static std::string head() {
        return "[scenario]\nsource = \"twice.cpp\"\nchip = \"910b3\"\n[launch]\narguments = [\"x\", \"z\"]\n"
               "[[args]]\nname = \"x\"\nrole = \"input\"\ntype = \"float32\"\nshape = [64]\n"
               "fill = { arange = [0, 1] }\n"
               "[[args]]\nname = \"z\"\nrole = \"output\"\ntype = \"float32\"\nshape = [64]\nfile = "
               "\"z.npy\"\n"
               "[[args]]\nname = \"all\"\nrole = \"output\"\ntype = \"float32\"\nshape = [192]\n"
               "file = \"all.npy\"\n";
    }

    [[nodiscard]] Outcome run_file(const std::string& text) const {
        std::ofstream{folder / "twice.toml"} << text;
        return SmallPrograms::run("twice.toml", "--json=out.json");
    }

    static std::string three_ranks() {
        std::string text;
        for (int rank = 0; rank < 3; ++rank) {
            text += fmt::format(
                "[[ranks]]\nset = {{ \"args.x.fill\" = {{ arange = [{}, 1] }}, \"args.z.file\" = "
                "\"z{}.npy\", "
                "\"args.all.file\" = \"all{}.npy\" }}\n",
                100 * rank,
                rank,
                rank);
        }
        return text;
    }

    /// The floats of a .npy file.
    [[nodiscard]] std::vector<float> numbers(const std::string& file, std::size_t count) const {
        std::ifstream stream{folder / file, std::ios::binary | std::ios::ate};
        const auto size = static_cast<std::streamoff>(stream.tellg());
        std::vector<float> result(count);
        stream.seekg(size - static_cast<std::streamoff>(count * sizeof(float)));
        stream.read(reinterpret_cast<char*>(result.data()),
                    static_cast<std::streamsize>(count * sizeof(float)));
        return result;
    }

    void expect_sentence(const std::string& more, const std::string& sentence, int exit = 2) const {
        const Outcome outcome = run(more, three_ranks());
        EXPECT_EQ(outcome.exit, exit) << outcome.output;
        EXPECT_THAT(outcome.output, testing::HasSubstr(sentence));
    }
};

TEST_F(ScenarioRanks, HaveBuffersOfTheirOwnAndExchangeThem) {
    const Outcome outcome =
        run("[[collectives]]\nkind = \"all_gather\"\nsend = \"z\"\nreceive = \"all\"\n"
            "[[collectives]]\nkind = \"all_reduce\"\nsend = \"z\"\n",
            three_ranks());
    ASSERT_EQ(outcome.exit, 0) << outcome.output;
    for (int rank = 0; rank < 3; ++rank) {
        const std::vector<float> gathered = numbers(fmt::format("all{}.npy", rank), 192);
        const std::vector<float> sum = numbers(fmt::format("z{}.npy", rank), 64);
        for (std::size_t i = 0; i < 192; ++i) {
            ASSERT_EQ(gathered[i], 2 * static_cast<float>(i / 64 * 100 + i % 64)) << rank << " " << i;
            ASSERT_EQ(sum[i % 64], 2 * (300 + 3 * static_cast<float>(i % 64))) << rank << " " << i;
        }
    }
    std::ifstream stream{folder / "out.json"};
    const json timeline = json::parse(stream).at("program").at("timeline");
    EXPECT_EQ(timeline.at("devices").size(), 3U);
    EXPECT_EQ(timeline.at("collectives").size(), 2U);
}

TEST_F(ScenarioRanks, ReduceToOneAndScatterFromOne) {
    // Rank 2 gets the sum; all gather what each has then, of which rank 0 gives each a part.
    const Outcome outcome =
        run("[[collectives]]\nkind = \"reduce\"\nsend = \"z\"\nreceive = \"x\"\nroot = 2\n"
            "[[collectives]]\nkind = \"all_gather\"\nsend = \"x\"\nreceive = \"all\"\n"
            "[[collectives]]\nkind = \"scatter\"\nsend = \"all\"\nreceive = \"z\"\nroot = 0\n",
            three_ranks());
    ASSERT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output, testing::HasSubstr("HcclReduce"));
    EXPECT_THAT(outcome.output, testing::HasSubstr("HcclScatter"));
    for (int rank = 0; rank < 3; ++rank) {
        const std::vector<float> part = numbers(fmt::format("z{}.npy", rank), 64);
        for (std::size_t i = 0; i < 64; ++i) {
            const float number = static_cast<float>(i);
            ASSERT_EQ(part[i], rank == 2 ? 2 * (300 + 3 * number) : 100 * static_cast<float>(rank) + number)
                << rank << " " << i;
        }
    }
}

TEST_F(ScenarioRanks, AddUpWhatAKernelHandsToTheServer) {
    // 160 rows in turns of 64: the last has 32.
    const Outcome outcome = run_file(
        "[scenario]\nkernel = \"matmul_all_reduce\"\nchip = \"910b3\"\nranks = 2\n"
        "[kernel]\nm = 160\nn = 128\nk = 64\nranks = 2\nturns = 3\n"
        "[[collectives]]\nsend = \"y\"\nby = \"kernel\"\n");
    ASSERT_EQ(outcome.exit, 0) << outcome.output;
    std::ifstream stream{folder / "out.json"};
    const json result = json::parse(stream);
    EXPECT_EQ(result.at("numerics").at("outputs").size(), 2U);
    EXPECT_EQ(result.at("numerics").at("passed"), true);
    // Two tasks: one of two rounds, one of one.
    const json& collectives = result.at("program").at("timeline").at("collectives");
    ASSERT_EQ(collectives.size(), 1U);
    EXPECT_EQ(collectives.at(0).at("count"), 3);
}

TEST_F(ScenarioRanks, TellWhoCameLast) {
    std::string ranks = three_ranks();
    ranks.insert(ranks.find("[[ranks]]", 1) + 10, "delay_us = 50\n");
    const Outcome outcome = run("[[collectives]]\nsend = \"z\"\n", ranks);
    ASSERT_EQ(outcome.exit, 0) << outcome.output;
    std::ifstream stream{folder / "out.json"};
    const json collective = json::parse(stream).at("program").at("timeline").at("collectives").at(0);
    EXPECT_EQ(collective.at("ranks").at(1).at("last"), 1);
    EXPECT_GT(collective.at("ranks").at(0).at("waited_us").get<double>(), 50);
}

TEST_F(ScenarioRanks, EndWithTheChainWhereSomeDoNotCall) {
    expect_sentence("[[collectives]]\nsend = \"z\"\nonly = [0, 2]\n",
                    "(HcclAllReduce) for rank 1, which has not called it",
                    3);
}

TEST_F(ScenarioRanks, SayInASentenceWhatIsWrong) {
    expect_sentence("[[collectives]]\nsend = \"y\"\n", "the kernel has no buffer 'y'");
    expect_sentence("[[collectives]]\nsend = \"z\"\nafter = 2\n", "after = 2: there are 1 launches");
    expect_sentence("[[collectives]]\nsend = \"z\"\nreceive = \"all\"\n",
                    "'z' has 64 elements and 'all' has 192: for 3 ranks both must be of one length");
    expect_sentence("[[collectives]]\nkind = \"all_to_all\"\nsend = \"z\"\n",
                    "send and receive are both 'z'; only all_reduce and broadcast work in place");
    expect_sentence("[[collectives]]\nkind = \"scatter\"\nsend = \"z\"\nreceive = \"all\"\n",
                    "for 3 ranks send must be as many times as long as receive");
    expect_sentence("[[collectives]]\nkind = \"broadcast\"\nsend = \"z\"\nroot = 3\n",
                    "rank 3 is out of range: there are ranks 0 to 2");
    expect_sentence("[node]\nname = \"atlas800t_b2\"\n", "atlas800t_b2");
    expect_sentence("[node]\nname = \"atlas300i_duo\"\n", "device 2: node atlas300i_duo has devices 0 to 1");
    expect_sentence("[[ranks]]\ndevice = 0\n", "device 0 is that of two ranks");
}

TEST_F(ScenarioRanks, HaveOneChip) {
    const Outcome outcome = run("", three_ranks() + "[[ranks]]\nset = { \"chip.hbm.gb_per_s\" = 100 }\n");
    EXPECT_EQ(outcome.exit, 2) << outcome.output;
    EXPECT_THAT(outcome.output, testing::HasSubstr("set: all ranks have one chip and one mode"));
}

}  // namespace
}  // namespace ascendsim::cli
