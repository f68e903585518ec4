// SPDX-License-Identifier: Apache-2.0
// The program as people and scripts meet it: exit codes, sentences, and what reaches standard output.
#include <algorithm>
#include <map>

#include "app/cli/testing/command_line.hpp"
#include "kernels/plan/element.hpp"
#include "kernels/plan/npy.hpp"

namespace ascendsim::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

TEST_F(CommandLine, ARunThatWorksExitsWithZeroAndWritesItsOutput) {
    const Outcome outcome = fault("good");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_EQ(outcome.output, "");
    const host::NpyArray array = host::read_npy(folder / "x.npy");
    EXPECT_EQ(host::read_element(array.type, array.bytes, 0), 7);
}

TEST_F(CommandLine, JsonIsAllThatReachesStandardOutput) {
    const Outcome outcome = ascendsim("run faults.cpp --json - 2>/dev/null");
    const auto json = nlohmann::json::parse(outcome.output);
    EXPECT_EQ(json.at("schema"), "ascendsim.run/1");
    EXPECT_EQ(json.at("scenario"), "faults");
    EXPECT_EQ(json.at("chip"), "910b3");
    EXPECT_GT(json.at("cycles").get<double>(), 0);
}

TEST_F(CommandLine, HelpIsAWordToo) {
    EXPECT_EQ(ascendsim("help run").output, ascendsim("run --help").output);
    EXPECT_EQ(ascendsim("help").exit, 0);
    EXPECT_EQ(ascendsim("-V").output, ascendsim("--version").output);
}

TEST_F(CommandLine, HelpOfNoCommandNamesTheNearest) {
    const Outcome outcome = ascendsim("help rnu");
    EXPECT_EQ(outcome.exit, 2);
    EXPECT_THAT(outcome.output, HasSubstr("did you mean 'run'?"));
    const Outcome coloured = ascendsim("--color never rnu");
    EXPECT_EQ(coloured.exit, 2);
    EXPECT_THAT(coloured.output, HasSubstr("'rnu' is not a command, did you mean 'run'?"));
}

TEST_F(CommandLine, AnOptionThatNeedsANumberSaysSo) {
    const Outcome outcome = ascendsim("run faults.cpp --perturb x");
    EXPECT_EQ(outcome.exit, 2);
    EXPECT_THAT(outcome.output, HasSubstr("--perturb: 'x' is not a whole number from 0 to 4294967295"));
}

TEST_F(CommandLine, AMisspeltOptionGetsTheNearest) {
    const Outcome outcome = ascendsim("run faults.cpp --josn x");
    EXPECT_EQ(outcome.exit, 2);
    EXPECT_THAT(outcome.output, HasSubstr("did you mean '--json'?"));
    for (const char* words : {"--colour never list chips", "list chips --colour never"}) {
        EXPECT_THAT(ascendsim(words).output, HasSubstr("did you mean '--color'?"));
    }
}

TEST_F(CommandLine, ColoursAreForTheAsking) {
    EXPECT_THAT(ascendsim("run faults.cpp").output, Not(HasSubstr("\x1b[")));
    EXPECT_THAT(ascendsim("--color always run faults.cpp").output, HasSubstr("\x1b["));
    EXPECT_THAT(ascendsim("run faults.cpp --color=never").output, Not(HasSubstr("\x1b[")));
    EXPECT_EQ(ascendsim("run faults.cpp --color sometimes").exit, 2);
}

TEST_F(CommandLine, NamesOfChipsInstructionsAndCallsAreDescribedInAnyCase) {
    EXPECT_EQ(ascendsim("describe Ascend910B1").exit, 0);
    const Outcome vadd = ascendsim("describe VADD --chip 910b3");
    EXPECT_THAT(vadd.output, HasSubstr("16 bits        1 cycles a repeat of  128 elements, 128 a cycle"));
    EXPECT_THAT(vadd.output, HasSubstr("issued by Add"));
    const Outcome copy = ascendsim("describe datacopy");
    EXPECT_EQ(copy.exit, 0) << copy.output;
    EXPECT_THAT(copy.output, HasSubstr("copy_gm_to_ubuf"));
    // `add` is a kernel, `Add` the call; other kernels are found however they are written.
    EXPECT_THAT(ascendsim("describe Add").output, HasSubstr("vadd"));
    EXPECT_THAT(ascendsim("describe add").output, HasSubstr("kernel.dtype"));
    EXPECT_THAT(ascendsim("describe SWIGLU").output, HasSubstr("kernel.schedule"));
}

TEST_F(CommandLine, SeveralRunsStandBesideTheSchema) {
    const std::string text = std::string{"\n[variants]\n\"launch.blocks\" = [1, 2]\n"};
    std::ofstream{folder / "faults.toml", std::ios::app} << text;
    const Outcome outcome = ascendsim("run faults.cpp --json - 2>/dev/null");
    const auto whole = nlohmann::json::parse(outcome.output);
    EXPECT_EQ(whole.at("schema"), "ascendsim.run/1");
    const auto& json = whole.at("runs");
    ASSERT_EQ(json.size(), 2);
    EXPECT_EQ(json[1].at("variant").at("launch.blocks"), 2);
    const auto one =
        nlohmann::json::parse(ascendsim("run faults.cpp --set launch.blocks=2 --json - 2>/dev/null").output);
    EXPECT_EQ(one.at("cycles"), json[1].at("cycles"));
}

TEST_F(CommandLine, TheSameRunGivesTheSameRecording) {
    ASSERT_EQ(fault("good").exit, 0);
    fs::rename(folder / "run.rec", folder / "first.rec");
    ASSERT_EQ(fault("good").exit, 0);
    EXPECT_EQ(ascendsim("--version >/dev/null && cmp first.rec run.rec").output, "");
}

TEST_F(CommandLine, ABadAddressNamesCoreAndLine) {
    expect_program_error("bad_address", "the kernel accessed address 0x10");
    EXPECT_THAT(
        fault("bad_address").output,
        testing::ContainsRegex("aiv0 .block 0., at .*faults.cpp:9, cycle [0-9]+: the kernel accessed"));
}

TEST_F(CommandLine, WhatACrashedKernelHadIssuedIsRecorded) {
    expect_program_error("late_bad_address", "the kernel accessed address 0x10");
    const record::Recording recording{folder / "run.rec"};
    std::map<std::string, int> times;  // by name of instruction, over all lanes
    for (std::uint32_t lane = 0; lane < recording.lanes().size(); ++lane) {
        for (std::uint64_t index = 0; index < recording.lane(lane).size(); ++index) {
            const record::Span span = recording.span({lane, index});
            times[std::string{recording.name(span.op)}] += span.reason == record::Reason::none ? 1 : 0;
        }
    }
    EXPECT_EQ(times["copy_gm_to_ubuf"], 1);
    EXPECT_EQ(times["vadds"], 1);
    EXPECT_GT(recording.cycles(), 0U);
}

TEST_F(CommandLine, ABufferThatDoesNotFitIsNotedAndStopsAStrictRun) {
    const Outcome outcome = ascendsim("run faults.cpp --set launch.entry=over_capacity --record run.rec");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output,
                HasSubstr("oversized: InitBuffer: position VECCALC (ub): 131072 bytes requested, 131072 of "
                          "196608 bytes are in use"));
    const record::Recording recording{folder / "run.rec"};
    std::uint64_t end = 0;
    for (const record::Buffer& buffer : recording.buffers()) {
        end = std::max<std::uint64_t>(end, buffer.offset + buffer.bytes);
    }
    EXPECT_EQ(end, 262144U);
    const Outcome strict = fault("over_capacity", "--strict");
    EXPECT_EQ(strict.exit, 3) << strict.output;
    EXPECT_THAT(strict.output, HasSubstr("131072 bytes requested, 131072 of 196608 bytes"));
}

TEST_F(CommandLine, AStackOverflowIsNamed) {
    expect_program_error("stack_overflow", "stack overflowed");
    // Both before the first instruction: nothing but the crash tells where, and that is the user's file. The
    // recursion enters its next frame in line 12; the large frame is set up before the loop in line 22.
    EXPECT_THAT(fault("stack_overflow").output, HasSubstr("faults.cpp:1"));
    EXPECT_THAT(fault("large_frame").output, HasSubstr("faults.cpp:2"));
}

TEST_F(CommandLine, AnEndlessLoopIsStopped) {
    expect_program_error("endless", "endless loop");
}

TEST_F(CommandLine, AnEndlessLoopOfInstructionsIsStopped) {
    expect_program_error("endless_issue", "more than 100000 instructions");
}

TEST_F(CommandLine, AnAbortIsTheKernels) {
    expect_program_error("aborts", "the kernel aborted");
    expect_program_error("exits", "the kernel aborted, or called exit");
    expect_program_error("exits_at_once", "the kernel aborted, or called exit");
}

TEST_F(CommandLine, AnExceptionIsTheKernels) {
    expect_program_error("throws", "threw an exception");
}

TEST_F(CommandLine, ADeadlockShowsWhoWaitsForWhat) {
    expect_program_error("deadlock", "waits for flag 0 from mte2");
}

TEST_F(CommandLine, CoresThatWaitForTheSameAreOneLine) {
    const Outcome outcome = fault("deadlock", "--set launch.blocks=8");
    EXPECT_EQ(outcome.exit, 3);
    EXPECT_THAT(outcome.output, HasSubstr("\naiv0 to aiv7 at cycles "));
    // First line, cores, vector, scalar; the hazard in five.
    EXPECT_LE(std::ranges::count(outcome.output, '\n'), 9) << outcome.output;
    const std::string text = ascendsim("explain run.rec").output;
    EXPECT_THAT(text, HasSubstr("\n  aiv0 to aiv7 vector from cycles "));
    EXPECT_THAT(text, Not(HasSubstr("\n  aiv1 vector")));
}

TEST_F(CommandLine, MoreBlocksThanCoresCannotMeet) {
    EXPECT_EQ(fault("meets_all", "--set launch.blocks=40").exit, 0);  // of 40 vector cores
    const Outcome outcome = fault("meets_all", "--set launch.blocks=41");
    EXPECT_EQ(outcome.exit, 3) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("41 blocks cannot meet on 40 cores"));
    EXPECT_EQ(fault("meets_all", "--chip 310p3 --set launch.blocks=8").exit,
              0);  // of 8 cores that are cube and vector
    EXPECT_THAT(fault("meets_all", "--chip 310p3 --set launch.blocks=9").output,
                HasSubstr("9 blocks cannot meet on 8 cores"));
}

TEST_F(CommandLine, AnAccessPastABufferIsNamed) {
    const Outcome outcome = fault("past_the_end");
    EXPECT_EQ(outcome.exit, 3) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("buffer 'x', which has 256 bytes"));
    EXPECT_EQ(record::Recording{folder / "run.rec"}.totals().at("outcome"), "complete");
    const Outcome strict = fault("past_the_end", "--strict");
    EXPECT_EQ(strict.exit, 3) << strict.output;
    EXPECT_EQ(record::Recording{folder / "run.rec"}.totals().at("outcome"), "failed");
}

TEST_F(CommandLine, AFaultInsideTheMatmulObjectNamesTheUsersLine) {
    copy("matmul_fault.cpp", folder);
    copy("matmul_fault.toml", folder);
    const Outcome outcome = ascendsim("run matmul_fault.cpp --quiet --strict --json out.json");
    EXPECT_EQ(outcome.exit, 3) << outcome.output;
    EXPECT_THAT(outcome.output,
                HasSubstr("on mte2 at " + (folder / "matmul_fault.cpp").string() + ":23, cycle "));
    EXPECT_THAT(outcome.output, HasSubstr("buffer 'a', which has 8192 bytes"));
    EXPECT_THAT(outcome.output, Not(HasSubstr("kernels/ascendc")));
    // The vector core waits for an answer that does not come: that is no finding of its own.
    const auto json = nlohmann::json::parse(std::ifstream{folder / "out.json"});
    ASSERT_EQ(json.at("hazards").size(), 1U);
    EXPECT_EQ(json.at("hazards")[0].at("later").at("line"), 23);
    EXPECT_EQ(json.at("hazards")[0].at("later").at("pipe"), "mte2");
}

TEST_F(CommandLine, CallsOfTheMatmulObjectThatAreExcludedAreRefused) {
    copy("matmul_refused.cpp", folder);
    copy("matmul_refused.toml", folder);
    const auto which = [&](int number) {
        return ascendsim(fmt::format("run matmul_refused.cpp --quiet --set args.which.value={}", number));
    };
    EXPECT_EQ(which(0).exit, 0) << which(0).output;
    EXPECT_THAT(which(1).output, HasSubstr("ISTRANS of its MatmulType is false"));
    EXPECT_THAT(which(2).output, HasSubstr("never added up: enAtomic has to be 0"));
    EXPECT_THAT(which(3).output, HasSubstr("a tensor of factors has to lie in L1"));
    EXPECT_THAT(which(4).output, HasSubstr("adds to what lies in L0C"));
    EXPECT_EQ(which(1).exit, 3);
}

TEST_F(CommandLine, ARoundedCopyIsNotedAndFailsNothing) {
    const Outcome outcome =
        ascendsim("run faults.cpp --set launch.entry=rounds --record run.rec --json out.json");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("DataCopy of 244 bytes moves 224"));
    const auto json = nlohmann::json::parse(std::ifstream{folder / "out.json"});
    EXPECT_EQ(json.at("hazards")[0].at("kind"), "rounded_count");
    EXPECT_EQ(json.at("hazards")[0].at("later").at("line"), 124);
    EXPECT_THAT(ascendsim("explain run.rec").output, HasSubstr("DataCopy of 244 bytes moves 224"));
}

TEST_F(CommandLine, AnOutputThatNobodyWroteFailsUnlessTheScenarioAllowsIt) {
    std::ofstream{folder / "faults.toml", std::ios::app}
        << "\n[[args]]\nname = \"z\"\nrole = \"output\"\ntype = \"int32\"\nshape = [16]\n";
    const char* const words = "run faults.cpp --set launch.entry=ignores_the_second";
    const Outcome outcome = ascendsim(words);
    EXPECT_EQ(outcome.exit, 3) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("output 'z' was never written: its 64 bytes are as they were"));
    std::ofstream{folder / "faults.toml", std::ios::app}
        << "\n[[allow]]\nkind = \"never_written\"\nwhy = \"of the other entry\"\n";
    const Outcome allowed = ascendsim(words);
    EXPECT_EQ(allowed.exit, 0) << allowed.output;
    EXPECT_THAT(allowed.output, HasSubstr("of the other entry"));
}

TEST_F(CommandLine, AnExplanationOfAFailedRunTellsTheFailureOnceAndWhatRanUntilThen) {
    EXPECT_EQ(fault("deadlock").exit, 3);
    const std::string text = ascendsim("explain run.rec").output;
    EXPECT_THAT(text, testing::StartsWith("deadlock: no program and no pipe can go on"));
    EXPECT_THAT(text, HasSubstr("Waits that never ended"));
    EXPECT_THAT(text, HasSubstr("Until the failure, pipes"));
    for (const char* of_a_good_run : {"Speed of light", "Roofs", "Critical path", "Blame", "hazard"}) {
        EXPECT_THAT(text, Not(HasSubstr(of_a_good_run)));
    }
}

TEST_F(CommandLine, AnAccessPastTheWorkspaceIsNamed) {
    std::ofstream{folder / "faults.toml", std::ios::app}
        << "\n[[args]]\nname = \"w\"\nrole = \"workspace\"\nbytes = 512\n";
    expect_program_error("past_the_workspace", "buffer 'w', which has 512 bytes");
}

TEST_F(CommandLine, ABufferTooLargeIsNamed) {
    const Outcome strict = fault("too_large", "--strict");
    EXPECT_EQ(strict.exit, 3) << strict.output;
    EXPECT_THAT(strict.output, HasSubstr("1048576 bytes"));
}

TEST_F(CommandLine, AScalarDivisionByZeroGoesOn) {
    const Outcome outcome = fault("divide_by_zero");
    ASSERT_EQ(outcome.exit, 0) << outcome.output;
    const host::NpyArray array = host::read_npy(folder / "x.npy");
    const auto at = [&](std::uint64_t i) { return host::read_element(array.type, array.bytes, i); };
    EXPECT_EQ(at(0), 0);
    EXPECT_EQ(at(1), 17);
    EXPECT_EQ(at(2), 99);
    EXPECT_EQ(at(3), 9);
    EXPECT_EQ(at(4), -2147483648.0);
    EXPECT_EQ(at(5), 42);
}

TEST_F(CommandLine, WrongNumbersExitWithOne) {
    const std::vector<std::byte> zeros(256);
    host::write_npy(folder / "golden.npy", isa::DataType::int32, {64}, zeros);
    const Outcome outcome = fault("good", "--set args.x.expect=golden.npy --json out.json");
    EXPECT_EQ(outcome.exit, 1);
    const auto json = nlohmann::json::parse(std::ifstream{folder / "out.json"});
    EXPECT_EQ(json.at("numerics").at("passed"), false);
    EXPECT_EQ(json.at("numerics").at("max_abs_error"), 7);
    EXPECT_EQ(fault("good", "--set args.x.expect=golden.npy --set args.x.tolerance.absolute=7").exit, 0);
}

TEST_F(CommandLine, WrongInputExitsWithTwoAndSaysWhere) {
    expect_user_error("rn faults.cpp", "'rn' is not a command, did you mean 'run'?");
    expect_user_error("run faults.cpp --nonsense", "--nonsense");
    expect_user_error("run nowhere.toml", "nowhere.toml");
    expect_user_error("run nowhere.cpp", "nowhere.cpp: no such source");
    expect_user_error("run faults.cpp --chip 910b9", "did you mean '910b1'?");
    expect_user_error("run faults.cpp --set launch.entry=god", "did you mean 'good'?");
    expect_user_error("run faults.cpp --set launch.blocks=0", "launch.blocks");
    expect_user_error("run faults.cpp --set launch.blocks", "must be path=value");
    expect_user_error("run faults.cpp --set launch.entry=two_arguments", "takes 2 arguments, 1 are given");
    expect_user_error("run faults.cpp --set args.x.typ=int32", "did you mean 'type'?");
    expect_user_error("run faults.cpp --set args.x.type=int33", "did you mean 'int32'?");
    expect_user_error("run faults.cpp --set args.y.type=int32", "nothing in 'args' has the name 'y'");
    expect_user_error("run faults.cpp --set args.x.expect=none.npy", "none.npy: no such file");
    expect_user_error("run faults.cpp --set chip.l2.gb_per_s=-1", "l2.gb_per_s");
    expect_user_error("run faults.cpp --set args.x.shape=[99999999,99999999,99999999]", "shape");
    expect_user_error("run faults.cpp --record /nowhere/x.rec", "/nowhere/x.rec");
}

TEST_F(CommandLine, AProgramOfTheSystemIsStartedOnlyBehindDashes) {
    const Outcome outcome = ascendsim("run sort");
    EXPECT_EQ(outcome.exit, 2);
    EXPECT_THAT(
        outcome.output,
        HasSubstr("run sort: neither a scenario nor a source; a command of the system stands behind --, as "
                  "in 'ascendsim run -- sort'"));
    const Outcome absent = ascendsim("run -- no_such_command");
    EXPECT_EQ(absent.exit, 2);
    EXPECT_THAT(absent.output, HasSubstr("run -- no_such_command: there is no command of that name"));
}

TEST_F(CommandLine, ATomlErrorNamesFileAndLine) {
    write("broken.toml", "[scenario]\ntitle = \"x\"\nchip = \n");
    expect_user_error("run broken.toml", "broken.toml:3");
    write("unknown.toml", "[scenario]\nkernel = \"add\"\nsed = 3\n");
    expect_user_error("run unknown.toml", "unknown.toml:3: scenario.sed: unknown key, did you mean 'seed'?");
    write("missing.toml", "[scenario]\nkernel = \"ad\"\n");
    expect_user_error("run missing.toml", "missing.toml");
}

TEST_F(CommandLine, ACompileErrorShowsTheUsersLine) {
    write("faults.cpp",
          "#include \"kernel_operator.h\"\nextern \"C\" __global__ __aicore__ void good(GM_ADDR x) {\n    "
          "nothing();\n}\n");
    expect_user_error("run faults.cpp", "faults.cpp:3:5: error: use of undeclared identifier 'nothing'");
}

TEST_F(CommandLine, ANewKernelRunsAsItIsWritten) {
    ASSERT_EQ(ascendsim("new mine.cpp").exit, 0);
    const Outcome outcome = ascendsim("run mine.cpp --out out");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    for (const char* file : {"mine.rec", "mine.trace.json", "mine.json", "mine-csv/PipeUtilization.csv"}) {
        EXPECT_TRUE(fs::exists(folder / "out" / file)) << file;
    }
    const auto figures = nlohmann::json::parse(contents(folder / "out" / "mine.json"));
    EXPECT_EQ(figures.at("numerics").at("checked"), true);
    EXPECT_EQ(ascendsim("check mine.toml").exit, 0);
    // The reference script writes what the command wrote, so changing it changes what is expected.
    const std::string written = contents(folder / "mine_z.npy");
    fs::remove(folder / "mine_z.npy");
    process::Subprocess script{
        {"sh", "-c", fmt::format("cd '{}' && python3 mine_reference.py", folder.string())}};
    constexpr int no_such_program = 127;
    if (const int exit = script.wait(); exit != no_such_program) {
        EXPECT_EQ(exit, 0) << script.output();
        const host::NpyArray array = host::read_npy(folder / "mine_z.npy");
        EXPECT_EQ(host::elements(array.shape), 65536U);
        EXPECT_EQ(array.bytes.size(), 131072U);
        EXPECT_TRUE(
            written.ends_with(std::string_view{reinterpret_cast<const char*>(array.bytes.data()), 131072}));
    }
    expect_user_error("new mine.cpp", "exists already");
}

TEST_F(CommandLine, WhatNewMakesIsToldAsJson) {
    const Outcome project = ascendsim("new mine.cpp --json -");
    ASSERT_EQ(project.exit, 0) << project.output;
    const auto made = nlohmann::json::parse(project.output);  // it stands alone
    EXPECT_EQ(made.at("schema"), "ascendsim.new/1");
    EXPECT_EQ(made.at("source_existed"), false);
    EXPECT_EQ(made.at("files").size(), 7U);  // scenario, source, reference, job of CI, and three tensors
    for (const std::string file : made.at("files")) {
        EXPECT_TRUE(fs::exists(folder / file)) << file;
    }
    EXPECT_EQ(made.at("next"), "ascendsim run mine.cpp");
    fs::remove(folder / "faults.toml");
    const Outcome scenario = ascendsim("new faults.cpp --entry good --json made.json");
    EXPECT_THAT(scenario.output, HasSubstr("wrote faults.toml"));
    const auto written = nlohmann::json::parse(contents(folder / "made.json"));
    EXPECT_EQ(written.at("source_existed"), true);
    EXPECT_EQ(written.at("files"), nlohmann::json::array({"faults.toml"}));
}

TEST_F(CommandLine, TheCacheIsToldAsJson) {
    setenv("XDG_CACHE_HOME", (folder / "cache").c_str(), 1);
    fs::create_directories(folder / "cache" / "ascendsim" / "runs");
    write("cache/ascendsim/runs/one.rec", "12345");
    const auto parsed = [this](const char* arguments) {
        const Outcome outcome = ascendsim(arguments);
        EXPECT_EQ(outcome.exit, 0) << outcome.output;
        return nlohmann::json::parse(outcome.output, nullptr, false);
    };
    const auto held = parsed("cache --json -");
    EXPECT_EQ(held.at("schema"), "ascendsim.cache/1");
    EXPECT_EQ(held.at("folder"), (folder / "cache" / "ascendsim").string());
    EXPECT_EQ(held.at("deleted_bytes"), nullptr);
    EXPECT_GE(held.at("bytes").get<std::uint64_t>(), 5U);
    std::uint64_t sum = 0;
    for (const auto& part : held.at("parts")) {
        sum += part.at("bytes").get<std::uint64_t>();
    }
    EXPECT_EQ(held.at("bytes"), sum);
    EXPECT_EQ(parsed("cache --clear --json -").at("deleted_bytes"), held.at("bytes"));
    EXPECT_FALSE(fs::exists(folder / "cache" / "ascendsim" / "runs" / "one.rec"));
}

TEST_F(CommandLine, AScenarioIsWrittenForAnExistingKernel) {
    fs::remove(folder / "faults.toml");
    expect_user_error("run faults.cpp", "ascendsim new faults.cpp");
    expect_user_error("new faults.cpp", "kernels; choose one with --entry: good, bad_address");
    expect_user_error("new faults.cpp --entry godo", "no such kernel, did you mean 'good'?");
    ASSERT_EQ(ascendsim("new faults.cpp --entry good").exit, 0);
    EXPECT_EQ(ascendsim("run faults.cpp --quiet --set launch.blocks=1").exit, 0);
}

TEST_F(CommandLine, ATilingStructOfTheHostSideIsListed) {
    fs::create_directories(folder / "op_kernel");
    fs::create_directories(folder / "op_host");
    write("LICENSE", "");  // where the project starts
    write(
        "op_host/asinh_tiling.h",
        "BEGIN_TILING_DATA_DEF(AsinhTiling)\nTILING_DATA_FIELD_DEF(uint32_t, tiles);\nEND_TILING_DATA_DEF;\n"
        "REGISTER_TILING_DATA_CLASS(Asinh, AsinhTiling)\n");
    write("op_kernel/asinh.cpp",
          "#include \"kernel_operator.h\"\nextern \"C\" __global__ __aicore__ void asinh(GM_ADDR y, GM_ADDR "
          "tiling) {\n"
          "    GET_TILING_DATA(data, tiling);\n    *(uint32_t*)y = data.tiles;\n}\n");
    ASSERT_EQ(ascendsim("new op_kernel/asinh.cpp").exit, 0);
    EXPECT_THAT(contents(folder / "op_kernel" / "asinh.toml"),
                HasSubstr("name = \"tiles\", type = \"uint32\", value = \"?\""));
    // What nobody knows is asked for, not guessed.
    expect_user_error("run op_kernel/asinh.cpp",
                      "still to be filled in with what the host would give: tiles");
    EXPECT_EQ(ascendsim("run op_kernel/asinh.cpp --quiet --set args.tiling.tiles=1 --set launch.blocks=1 "
                        "--set args.y.role=in_out")  // of which one word is written
                  .exit,
              0);
}

TEST_F(CommandLine, ANewScenarioTakesRolesAndTypesFromTheOperatorsDefinition) {
    fs::create_directories(folder / "op_kernel");
    fs::create_directories(folder / "op_host");
    write("LICENSE", "");
    write("op_host/scale_def.cpp",
          "class Scale : public OpDef {\n    explicit Scale(const char* name) : OpDef(name) {\n"
          "        this->Input(\"x\").ParamType(REQUIRED).DataType({ge::DT_BF16, ge::DT_FLOAT});\n"
          "        this->Input(\"gamma\").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT});\n"
          "        this->Output(\"z\").ParamType(REQUIRED).DataType({ge::DT_BF16, ge::DT_FLOAT});\n    "
          "}\n};\n");
    // The text alone would take every address for an input of 8 bytes; the cube's header is not used.
    write("op_kernel/products.h", "template <class T> void Multiply() { Mmad(c, a, b, p); }\n");
    write("op_kernel/scale.cpp",
          "#include \"kernel_operator.h\"\n#include \"products.h\"\n"
          "class Op { public: void Init(GM_ADDR p) { g.SetGlobalBuffer((__gm__ uint64_t*)p); }\n"
          "    AscendC::GlobalTensor<uint64_t> g; AscendC::TQue<AscendC::TPosition::VECIN, 1> in; };\n"
          "extern \"C\" __global__ __aicore__ void scale(GM_ADDR a, GM_ADDR b, GM_ADDR c) {\n"
          "    Op op; op.Init(a); op.Init(b); op.Init(c);\n}\n");
    ASSERT_EQ(ascendsim("new op_kernel/scale.cpp").exit, 0);
    const std::string text = contents(folder / "op_kernel" / "scale.toml");
    EXPECT_THAT(text, HasSubstr("cores = \"aiv\""));
    EXPECT_THAT(
        text,
        HasSubstr("name = \"a\"\nrole = \"input\"    # x of the operator's definition\ntype = \"bfloat16\""));
    EXPECT_THAT(text, HasSubstr("# gamma of the operator's definition\ntype = \"float32\""));
    EXPECT_THAT(
        text,
        HasSubstr(
            "name = \"c\"\nrole = \"output\"    # z of the operator's definition\ntype = \"bfloat16\""));
}

TEST_F(CommandLine, ListsAndDescriptionsAnswer) {
    EXPECT_THAT(ascendsim("list chips").output, HasSubstr("910b3"));
    EXPECT_THAT(ascendsim("list instructions").output, HasSubstr("mmad"));
    EXPECT_THAT(ascendsim("list kernels").output, HasSubstr("add"));
    EXPECT_THAT(ascendsim("describe chip 910b3").output, HasSubstr("hbm.gb_per_s"));
    EXPECT_THAT(ascendsim("describe kernel add").output, HasSubstr("kernel.dtype"));
    const Outcome mmad = ascendsim("describe instruction mmad");
    EXPECT_THAT(mmad.output, HasSubstr("models/isa"));
    EXPECT_THAT(mmad.output, Not(HasSubstr("Mmad issues"))) << "it is the instruction, not the call";
    EXPECT_THAT(ascendsim("describe instruction Mmad").output, HasSubstr("Mmad issues"));
    for (const char* name :
         {"vadd", "vmul", "vmuls", "vexp", "vdiv", "vrelu", "vector_dup", "set_flag", "scalar"}) {
        const Outcome outcome = ascendsim(std::string{"describe instruction "} + name);
        EXPECT_EQ(outcome.exit, 0) << name << ": " << outcome.output;
    }
    EXPECT_EQ(nlohmann::json::parse(ascendsim("describe kernel add --json -").output).at("kernel"), "add");
    expect_user_error("describe instruction mmat", "did you mean 'mmad'?");
    expect_user_error("describe DataCpy", "did you mean 'datacopy'?");
    expect_user_error("list kernel", "did you mean 'kernels'?");
}

}  // namespace
}  // namespace ascendsim::cli
