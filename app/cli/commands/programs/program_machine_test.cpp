// SPDX-License-Identifier: Apache-2.0
// The machine around a host program's chips: in its recording, in its report, and as it is explained.
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "app/analysis/advice/explain.hpp"
#include "app/analysis/machine/machine_layout.hpp"
#include "app/analysis/machine/program_axis.hpp"
#include "app/analysis/machine/recorded_plots.hpp"
#include "app/analysis/machine/recorded_step.hpp"
#include "app/cli/testing/small_programs.hpp"
#include "sim/record/recording.hpp"

namespace ascendsim::cli {
namespace {

using nlohmann::json;
using record::Lane;
using record::Recording;
using record::TrackPath;
using testing::Contains;
using testing::HasSubstr;

/// Two streams, copies to the device in one and kernels in the other.
constexpr const char* two_streams = R"(
aclInit(nullptr); aclrtSetDevice(0);
aclrtStream copies, kernels; aclrtCreateStream(&copies); aclrtCreateStream(&kernels);
aclrtEvent ready; aclrtCreateEventWithFlag(&ready, ACL_EVENT_SYNC);
void *host, *device; aclrtMallocHost(&host, 1 << 22); aclrtMalloc(&device, 1 << 22, ACL_MEM_MALLOC_HUGE_FIRST);
memset(host, 0, 1 << 22);
aclrtMemcpyAsync(device, 1 << 22, host, 1 << 22, ACL_MEMCPY_HOST_TO_DEVICE, copies);
aclrtRecordEvent(ready, copies);
aclrtStreamWaitEvent(kernels, ready);
add_value<<<1, nullptr, kernels>>>((GM_ADDR)device, 1.0F);
add_value<<<1, nullptr, kernels>>>((GM_ADDR)device, 2.0F);
aclrtSynchronizeStream(kernels);
float first = 0;
aclrtMemcpy(&first, 4, device, 4, ACL_MEMCPY_DEVICE_TO_HOST);
aclrtResetDevice(0); aclFinalize();
if (first != 3) return 1;
)";

class ProgramMachine : public SmallPrograms {
protected:
    [[nodiscard]] Recording recorded(const std::string& body, const std::string& more = "--quiet") {
        const Outcome outcome = run_body(body, "--chip 910b3 " + more);
        EXPECT_EQ(outcome.exit, 0) << outcome.output;
        text_ = outcome.output;
        return Recording{folder / "run.rec"};
    }

    static const Lane* lane_of(const Recording& recording, const std::string& track) {
        const auto number = recording.find(TrackPath::parse(track));
        return number ? &recording.lane(*number) : nullptr;
    }

    /// Time of all spans of a name, us.
    static double us_of(const Recording& recording, const Lane& lane, std::string_view name) {
        double cycles = 0;
        for (std::size_t i = 0; i < lane.size(); ++i) {
            cycles +=
                recording.name(lane.op[i]) == name ? static_cast<double>(lane.end[i] - lane.start[i]) : 0;
        }
        return cycles / recording.metadata().at("clock_ghz").get<double>() / 1e3;
    }

    std::string text_;
};

TEST_F(ProgramMachine, HasTracksOnTheProgramsAxis) {
    Recording recording = recorded(two_streams);
    const json& timeline = recording.totals().at("program").at("timeline");
    const double total = timeline.at("total_us").get<double>();
    const double ghz = recording.metadata().at("clock_ghz").get<double>();
    const auto axis = analysis::program_axis_of(recording);
    ASSERT_TRUE(axis);
    EXPECT_NEAR(static_cast<double>(axis->length) / ghz / 1e3, total, 1e-3);
    const Lane* const thread = lane_of(recording, "host/thread0");
    const Lane* const kernels = lane_of(recording, "device0/stream1");
    const Lane* const to_device = lane_of(recording, "device0/stream:copies to the device");
    ASSERT_TRUE(thread != nullptr && kernels != nullptr && to_device != nullptr);
    for (const json& call : timeline.at("calls")) {
        const auto name = call.at("name").get<std::string>();
        if (name == "aclrtMemcpyAsync") {
            EXPECT_NEAR(us_of(recording, *to_device, name), call.at("device_us").get<double>(), 1e-3);
            EXPECT_GT(us_of(recording, *thread, "call of " + name), 0);
        }
    }
    // The kernels' stream waits for the copy, whose span is named as the one to blame.
    std::size_t at = 0;
    while (at < kernels->size() && kernels->reason[at] != record::Reason::flag_data) {
        ++at;
    }
    ASSERT_LT(at, kernels->size());
    const record::SpanId culprit = kernels->culprit(at);
    ASSERT_TRUE(recording.contains(culprit));
    EXPECT_EQ(recording.name(recording.lane(culprit.lane).op[culprit.index]), "aclrtMemcpyAsync");
    EXPECT_THAT(recording.site(recording.lane(culprit.lane).site[culprit.index]).file, HasSubstr("main.cpp"));
    // A link carries the copy's bytes.
    const auto machine = analysis::machine_of(recording);
    ASSERT_TRUE(machine && !machine->links.empty());
    const Lane* const link = lane_of(recording, machine->links.front().track);
    ASSERT_NE(link, nullptr);
    EXPECT_EQ(link->bytes.front(), 1U << 22U);
    // So does the plot over time: GB/s for as long as each point holds.
    const std::vector<analysis::RecordedPlot> plots = analysis::plots_of(recording);
    ASSERT_EQ(plots.size(), 1U);
    EXPECT_TRUE(plots[0].over_time);
    ASSERT_FALSE(plots[0].series.empty());
    double kilobytes = 0;
    for (const auto& [us, gb_per_s] : plots[0].series.back().points) {
        kilobytes += gb_per_s * total / 1000;  // a thousand points
    }
    EXPECT_EQ(plots[0].series.back().name, "host to device");
    EXPECT_NEAR(kilobytes * 1e3, 1U << 22U, 1);
}

TEST_F(ProgramMachine, PutsKernelsWhereTheirStreamHasThem) {
    Recording recording = recorded(two_streams);
    const auto axis = analysis::program_axis_of(recording);
    ASSERT_TRUE(axis);
    const std::uint64_t before = recording.cycles();
    recording.put_cores_on(axis->map, axis->length);
    EXPECT_GT(recording.cycles(), before);
    EXPECT_EQ(recording.cycles(), axis->length);
    const Lane* const kernels = lane_of(recording, "device0/stream1");
    ASSERT_NE(kernels, nullptr);
    std::vector<std::uint64_t> starts;
    for (std::size_t i = 0; i < kernels->size(); ++i) {
        if (recording.name(kernels->op[i]).starts_with("add_value") &&
            kernels->reason[i] == record::Reason::none) {
            starts.push_back(kernels->start[i]);
        }
    }
    ASSERT_EQ(starts.size(), 2U);
    const json& launches = recording.totals().at("launches");
    for (std::size_t i = 0; i < starts.size(); ++i) {
        EXPECT_NEAR(launches.at(i).at("start").get<double>(), static_cast<double>(starts[i]), 1);
    }
}

TEST_F(ProgramMachine, IsExplainedWithItsCausesAndWhatWasTried) {
    const Recording recording = recorded(two_streams, "");
    EXPECT_THAT(text_, HasSubstr("copies not overlapped"));
    EXPECT_THAT(text_, HasSubstr("synchronisation, aclrtSynchronizeStream"));
    EXPECT_THAT(text_, HasSubstr("Tried: overlap the copy 'aclrtMemcpyAsync'"));
    const analysis::Explanation all = analysis::explain(recording);
    ASSERT_TRUE(all.step);
    EXPECT_TRUE(all.step->program);
    EXPECT_FALSE(all.components.empty());  // kernels are still explained
    ASSERT_EQ(all.step->ranks.size(), 1U);
    double parts = 0;
    for (const analysis::StepShare& part : all.step->ranks[0].parts) {
        parts += part.us;
    }
    EXPECT_NEAR(parts, all.step->step_us, 1e-6 * parts);
    double critical = 0;
    for (const analysis::StepShare& share : all.step->critical) {
        critical += share.us;
    }
    EXPECT_NEAR(critical, all.step->step_us, 1e-6 * critical);
    ASSERT_FALSE(all.step->advice.empty());
    // The copy is most of the program, and without it the rest still takes its time.
    EXPECT_THAT(all.step->advice.front().text, HasSubstr("overlap the copy"));
    EXPECT_THAT(all.step->advice.front().place, HasSubstr("main.cpp:"));
    EXPECT_LT(all.step->advice.front().step_us, all.step->step_us);
}

TEST_F(ProgramMachine, AdvisesToCaptureShortKernels) {
    const Recording recording = recorded(R"(
aclInit(nullptr); aclrtSetDevice(0);
aclrtStream stream; aclrtCreateStream(&stream);
for (int i = 0; i < 20; ++i) { idle<<<1, nullptr, stream>>>(nullptr); }
aclrtSynchronizeStream(stream);
aclrtResetDevice(0); aclFinalize();
)");
    const auto step = analysis::step_of(recording);
    ASSERT_TRUE(step);
    std::vector<std::string> texts;
    for (const analysis::StepTrial& trial : step->advice) {
        texts.push_back(trial.text);
    }
    EXPECT_THAT(texts, Contains(HasSubstr("capture the kernels in a graph")));
    EXPECT_THAT(texts, Contains(HasSubstr("fuse the launches")));
}

// A 910C is a 910B to the tiling of operators, and itself to their interface and in texts.
TEST_F(ProgramMachine, TellsTheTilingAndTheInterfaceItsChip) {
    std::ofstream chip{folder / "chip.cpp"};
    for (const char* header :
         {"string", "acl/acl.h", "kernel_operator.h", "opdev/platform.h", "platform/platform_info.h"}) {
        chip << "#include <" << header << ">\n";
    }
    chip << R"(
__global__ __aicore__ void idle(GM_ADDR x) {}
int main() {
    aclrtSetDevice(0);
    aclrtStream stream;
    aclrtCreateStream(&stream);
    idle<<<1, nullptr, stream>>>(nullptr);
    aclrtSynchronizeStream(stream);
    using Tiling = platform_ascendc::SocVersion;
    const bool tiling = platform_ascendc::PlatformAscendC{}.GetSocVersion() == Tiling::ASCEND910B;
    const bool own = op::GetCurrentPlatformInfo().GetSocVersion() == op::SocVersion::ASCEND910_93;
    fe::PlatFormInfos texts;
    std::string name;
    texts.GetPlatformResWithLock("version", "Short_SoC_version", name);
    return tiling && own && name == "Ascend910_93" ? 0 : 1;
}
)";
    chip.close();
    const Outcome outcome = run("chip.cpp", "--chip 910c");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
}

}  // namespace
}  // namespace ascendsim::cli
