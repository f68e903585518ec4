// SPDX-License-Identifier: Apache-2.0
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/profile/profile_report.hpp"
#include "sim/base/error.hpp"
#include "sim/process/temporary_folder.hpp"

namespace ascendsim::profile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

const std::string details_head =
    "Step Id,Model ID,Task ID,Stream ID,Name,Type,OP State,Accelerator Core,Start Time(us),Duration(us),Wait "
    "Time(us),Block Dim,Input Shapes,Input Data Types,Input Formats,Output Shapes,Output Data Types,Output "
    "Formats\n";

/// A task of kernel_details.csv on vector cores that adds two tensors of 48 x 8192.
std::string add_at(double start, double us) {
    return fmt::format(
        "1,4294967295,7,2,aclnnAdd_Add,Add,dynamic,AI_VECTOR_CORE,\"{}\t\",{},0,48,\"\"\"48,8192;48,"
        "8192\"\"\","
        "FLOAT16;FLOAT16,ND;ND,\"\"\"48,8192\"\"\",FLOAT16,ND\n",
        start,
        us);
}

Profile profile_of(const std::string& rows) {
    Profile profile;
    read_operators(details_head + rows, "kernel_details.csv", profile);
    return profile;
}

TEST(VendorProfile, ReadsTasksWithTheirTensors) {
    const Profile profile = profile_of(add_at(1000.5, 8.25));
    ASSERT_EQ(profile.operators.size(), 1U);
    const ProfiledOperator& one = profile.operators[0];
    EXPECT_EQ(one.type, "Add");
    EXPECT_EQ(one.place, "kernel_details.csv:2");
    EXPECT_DOUBLE_EQ(one.start_us.value(), 1000.5);
    EXPECT_DOUBLE_EQ(one.us, 8.25);
    EXPECT_EQ(one.blocks, 48U);
    ASSERT_EQ(one.inputs.size(), 2U);
    EXPECT_THAT(one.inputs[1].extents, ElementsAre(48, 8192));
    EXPECT_EQ(one.inputs[1].format, "ND");
    EXPECT_EQ(one.unread, "");
}

TEST(VendorProfile, ReadsTheColumnsOfOpSummaryInAnyOrder) {
    Profile profile;
    read_operators(
        "Task Duration(us),Op Name,OP Type,Task Type,Task Start Time(us),Input Shapes,Input Data Types,Block "
        "Dim\n"
        "3.5,x,Cast,AI_VECTOR_CORE,20,;,FLOAT;INT64,N/A\n",
        "op_summary_0.csv",
        profile);
    const ProfiledOperator& one = profile.operators.at(0);
    EXPECT_EQ(one.name, "x");
    EXPECT_DOUBLE_EQ(one.us, 3.5);
    EXPECT_EQ(one.inputs.size(), 2U) << "two scalars";
    EXPECT_THAT(one.inputs[0].extents, IsEmpty());
    EXPECT_EQ(one.blocks, std::nullopt);
}

TEST(VendorProfile, SaysWhyShapesAreNotKnown) {
    const auto unread = [](const std::string& shapes, const std::string& types) {
        Profile profile;
        read_operators(
            "Type,Duration(us),Input Shapes,Input Data Types\nAdd,1,\"" + shapes + "\"," + types + "\n",
            "k.csv",
            profile);
        return profile.operators.at(0).unread;
    };
    EXPECT_EQ(unread("N/A", "N/A"), "the profile does not state its shapes and types");
    EXPECT_EQ(unread("3,4;5", "FLOAT"), "2 shapes and 1 types");
    EXPECT_EQ(unread("3,-1", "FLOAT"), "'3,-1' is no shape");
    EXPECT_EQ(unread("3,4.5", "FLOAT"), "'3,4.5' is no shape");
}

TEST(VendorProfile, RefusesDamagedFilesWithASentence) {
    const auto reading = [](const std::string& text) {
        return [text] {
            Profile profile;
            read_operators(text, "k.csv", profile);
        };
    };
    EXPECT_THAT(reading(""), ThrowsMessage<UserError>("k.csv: is empty"));
    EXPECT_THAT(reading("a,b\n1,2\n"),
                ThrowsMessage<UserError>(HasSubstr("has no columns Type and Duration")));
    EXPECT_THAT(reading("Type,Duration(us)\nAdd,fast\n"),
                ThrowsMessage<UserError>("k.csv:2: 'fast' is no duration"));
    EXPECT_THAT(reading("Type,Duration(us)\nAdd,1,2,3,4\n"),
                ThrowsMessage<UserError>("k.csv:2: 5 cells below 2 names"));
    EXPECT_THAT(reading("Type,Duration(us)\n\"Add,1\n"),
                ThrowsMessage<UserError>(HasSubstr("a quote that is never closed")));
    Profile profile;
    EXPECT_THAT([&] { read_trace("{\"a\":", "t.json", profile); },
                ThrowsMessage<UserError>(HasSubstr("is no Chrome trace")));
    EXPECT_THAT([&] { read_trace("[1, null, {\"ph\": 3, \"ts\": []}]", "t.json", profile); },
                testing::Not(testing::Throws<std::exception>()));
    EXPECT_THAT([&] { read_steps("Device_id,Step\n0,1\n", "s.csv", profile); },
                ThrowsMessage<UserError>(HasSubstr("has no columns Computing and Free")));
}

TEST(VendorProfile, KeepsTheOtherFilesOfAFolderWhereOneIsDamaged) {
    const process::TemporaryFolder folder;
    std::ofstream{folder.path() / "kernel_details.csv"} << details_head << add_at(0, 5);
    std::ofstream{folder.path() / "trace_view.json"} << "{";
    std::ofstream{folder.path() / "op_summary_1.csv"} << "not read beside kernel_details";
    std::ofstream{folder.path() / "step_trace_time.csv"}
        << "Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage\n"
        << "0,3,70,10,5,15,20,100\n";
    const Profile profile = read_profile(folder.path());
    EXPECT_EQ(profile.operators.size(), 1U);
    EXPECT_EQ(profile.files.size(), 2U);
    ASSERT_EQ(profile.steps.size(), 1U);
    EXPECT_DOUBLE_EQ(profile.steps[0].free, 20);
    EXPECT_THAT(profile.notes, ElementsAre(HasSubstr("is no Chrome trace")));
    EXPECT_THAT([&] { (void)read_profile(folder.path() / "nothing"); },
                ThrowsMessage<UserError>(HasSubstr("no such file or folder")));
}

/// A host that calls for the tasks at 100 and 150 us of the device, from within aten::add and aten::mul.
const std::string trace = R"([
    {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "Python"}},
    {"ph": "M", "name": "process_name", "pid": 2, "args": {"name": "Ascend Hardware"}},
    {"ph": "X", "name": "step", "pid": 1, "tid": 1, "ts": "0", "dur": 200},
    {"ph": "X", "name": "aten::mul", "pid": 1, "tid": 1, "ts": "105.0", "dur": 40},
    {"ph": "s", "cat": "async_npu", "id": "1", "pid": 1, "ts": "90"},
    {"ph": "f", "cat": "async_npu", "id": "1", "pid": 2, "ts": "100"},
    {"ph": "s", "cat": "async_npu", "id": "2", "pid": 1, "ts": "142"},
    {"ph": "f", "cat": "async_npu", "id": "2", "pid": 2, "ts": "150"},
    {"ph": "X", "name": "Add", "pid": 2, "tid": 2, "ts": 100, "dur": 10, "args": {"Task Type": "AI_VECTOR_CORE"}}
])";

TEST(Starvation, IsBlamedOnWhatTheHostDidMeanwhile) {
    Profile profile = profile_of(add_at(100, 10) + add_at(150, 10));
    read_trace(trace, "trace_view.json", profile);
    EXPECT_EQ(profile.operators.size(), 2U) << "tasks of the table are not taken twice";
    const Starvation starvation = starvation_of(profile);
    ASSERT_EQ(starvation.gaps.size(), 1U);
    const Gap& gap = starvation.gaps[0];
    EXPECT_DOUBLE_EQ(gap.us, 40);       // from 110 to 150
    EXPECT_DOUBLE_EQ(gap.host_us, 32);  // the call comes at 142
    EXPECT_DOUBLE_EQ(gap.launch_us, 8);
    EXPECT_EQ(gap.cause, "the host was busy with aten::mul");
    ASSERT_EQ(starvation.causes.size(), 2U);
    EXPECT_EQ(starvation.causes[1].cause, "launch");
    EXPECT_DOUBLE_EQ(starvation.causes[0].us + starvation.causes[1].us, gap.us);
}

TEST(Starvation, AddsUpToTheSpan) {
    Profile profile =
        profile_of(add_at(0, 10) + add_at(5, 10) +
                   "1,1,8,3,hcom_allReduce_,hcom_allReduce_,N/A,HCCL,10,20,0,0,N/A,N/A,N/A,N/A,N/A,N/A\n" +
                   add_at(40, 10));
    const Starvation starvation = starvation_of(profile);
    ASSERT_EQ(starvation.devices.size(), 1U);
    const DeviceTime& device = starvation.devices[0];
    EXPECT_DOUBLE_EQ(device.span_us, 50);
    EXPECT_DOUBLE_EQ(device.computing_us, 25);      // 0 to 15, 40 to 50
    EXPECT_DOUBLE_EQ(device.communication_us, 15);  // 15 to 30; 10 to 15 is hidden
    EXPECT_DOUBLE_EQ(device.overlapped_us, 5);
    EXPECT_DOUBLE_EQ(device.free_us, 10);
    EXPECT_THAT(starvation.notes, ElementsAre(HasSubstr("There is no trace_view.json")));
}

TEST(Starvation, IsOfCopiesWhereTheyFillTheGap) {
    const Profile profile =
        profile_of("1,1,8,3,in,MEMCPY_ASYNC,N/A,N/A,0,50,0,0,N/A,N/A,N/A,N/A,N/A,N/A\n" + add_at(60, 10) +
                   "1,1,8,3,in,MEMCPY_ASYNC,N/A,N/A,72,30,0,0,N/A,N/A,N/A,N/A,N/A,N/A\n" + add_at(110, 10));
    const Starvation starvation = starvation_of(profile);
    EXPECT_DOUBLE_EQ(starvation.devices.at(0).computing_us, 20);
    EXPECT_DOUBLE_EQ(starvation.devices[0].span_us, 60);  // from the first task that computes
    EXPECT_EQ(starvation.gaps.at(0).cause, "a copy between host and device");
    EXPECT_THAT(refusal_of(profile.operators[0]), HasSubstr("a copy between host and device"));
}

TEST(Starvation, TakesTasksFromATraceWhereNoTableHasThem) {
    Profile profile;
    read_trace(trace, "trace_view.json", profile);
    ASSERT_EQ(profile.operators.size(), 1U);
    EXPECT_THAT(refusal_of(profile.operators[0]), HasSubstr("a trace does not state shapes"));
}

TEST(ProfileComparison, RefusesWhatIsNotWhollyUnderstood) {
    const auto refusal = [](const std::string& row) { return refusal_of(profile_of(row).operators.at(0)); };
    EXPECT_EQ(refusal(add_at(0, 5)), "");
    EXPECT_THAT(refusal("1,1,8,3,a,hcom_allReduce_,N/A,HCCL,10,20,0,0,N/A,N/A,N/A,N/A,N/A,N/A\n"),
                HasSubstr("communication"));
    EXPECT_THAT(refusal("1,1,8,3,a,Range,N/A,AI_CPU,10,20,0,0,4,FLOAT,ND,4,FLOAT,ND\n"), HasSubstr("AI CPU"));
    EXPECT_THAT(refusal("1,1,8,3,a,Add,N/A,AI_CORE,10,20,0,0,4,COMPLEX64,ND,4,COMPLEX64,ND\n"),
                HasSubstr("element type 'COMPLEX64'"));
    EXPECT_THAT(
        refusal("1,1,8,3,a,Add,N/A,AI_CORE,10,20,0,0,\"1,4,16,16\",FLOAT16,FRACTAL_NZ,4,FLOAT16,ND\n"),
        HasSubstr("format FRACTAL_NZ"));
    EXPECT_EQ(type_of("DT_BF16"), "bfloat16");
    EXPECT_EQ(type_of("FLOAT"), "float32");
}

class ComparedProfiles : public testing::Test {
protected:
    void SetUp() override {
        setenv("XDG_CACHE_HOME", (installation_.libraries.parent_path() / "test_cache").c_str(), 1);
    }

    toolchain::Installation installation_ = toolchain::Installation::find();
};

TEST_F(ComparedProfiles, ShowRealAndSimulatedTimesSideBySide) {
    // 48 x 8192 float16: 2.4 MB over 48 cores, a few microseconds on a 910B1; here one of two is stretched.
    const Profile profile =
        profile_of(add_at(0, 8) + add_at(20, 90) +
                   "1,1,8,3,a,MadeUpOperator,N/A,AI_CORE,200,7,0,8,\"4,4\",FLOAT16,ND,\"4,4\",FLOAT16,ND\n");
    const ProfileComparison comparison = compare_profile(profile, installation_, {.chip = "910b1"});
    ASSERT_EQ(comparison.operators.size(), 2U);
    const ComparedOperator& add = comparison.operators[0];
    EXPECT_EQ(add.count, 2U);
    EXPECT_EQ(add.shapes, "48x8192; 48x8192 -> 48x8192");
    ASSERT_TRUE(add.simulated_us.has_value()) << add.refused;
    EXPECT_GT(*add.simulated_us, 1);
    EXPECT_LT(*add.simulated_us, 20);
    EXPECT_DOUBLE_EQ(add.lost_us(), 98 - 2 * *add.simulated_us);
    EXPECT_THAT(comparison.operators[1].refused, HasSubstr("MadeUpOperator"));
    EXPECT_DOUBLE_EQ(comparison.real_us(), 105);
    EXPECT_DOUBLE_EQ(comparison.compared_us(), 98);
    EXPECT_EQ(to_json(comparison)["operators"][0]["lost_us"], add.lost_us());
    EXPECT_THAT(profile_text(comparison, {}), HasSubstr("Operators, most lost first"));
    EXPECT_THAT(profile_csv(comparison), HasSubstr("MadeUpOperator,4x4 -> 4x4,"));
    EXPECT_THAT(profile_html(comparison), HasSubstr("Not simulated"));
}

}  // namespace
}  // namespace ascendsim::profile
