// SPDX-License-Identifier: Apache-2.0
// What goes wrong in a user's hands ends with a sentence: kernels without end, wrong names, wrong values.
#include "app/cli/testing/command_line.hpp"

namespace ascendsim::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

// The optimiser could take the loop for one that ends. What counts is what it executes, not how long the host
// took.
TEST_F(CommandLine, AnEndlessLoopOfNothingIsStoppedByTheCyclesItComputes) {
    const Outcome outcome = fault("spins", "--set limits.arithmetic_cycles=1000000 --set limits.idle_s=1000");
    EXPECT_EQ(outcome.exit, 3) << outcome.output;
    EXPECT_THAT(outcome.output,
                testing::ContainsRegex(
                    "aiv0 .block 0., at .*/faults.cpp:13[0-9], cycle [0-9]+: endless loop: the kernel has "
                    "computed for more than 1000000 cycles"));
    EXPECT_THAT(outcome.output, HasSubstr("limits.arithmetic_cycles"));
}

TEST_F(CommandLine, AnEndlessPollIsStoppedByTheCyclesOfTheRun) {
    const Outcome outcome =
        fault("polls", "--set limits.cycles=1000000 --set limits.instructions=1000000000");
    EXPECT_EQ(outcome.exit, 3) << outcome.output;
    // The limit is looked at before 1024 operations are issued anew, and a poll of two takes less than 500
    // cycles.
    EXPECT_THAT(
        outcome.output,
        testing::ContainsRegex(
            "scalar_load at .*/faults.cpp:1[34][0-9], cycle 1[012][0-9][0-9][0-9][0-9][0-9]: the kernel "
            "has gone on for more than 1000000 cycles; is this loop endless"));
    EXPECT_THAT(outcome.output, HasSubstr("limits.cycles sets the limit"));
}

TEST_F(CommandLine, AKernelThatLeavesInItsOwnWayIsNamed) {
    expect_program_error("leaves_its_thread", "the kernel aborted, or called exit; it ends by returning");
    expect_program_error("calls_nowhere", "the kernel accessed address 0x123456");
    expect_program_error("throws_an_error", "threw an exception: 17 of 4; the chip has none");
    expect_program_error("asks_for_too_much", "ran out of memory: 'new' failed");
}

TEST_F(CommandLine, AKernelThatStartsAProcessIsNamed) {
    expect_program_error("forks", "the kernel called fork, which starts a process; a core has none");
    expect_program_error("starts_a_command",
                         "the kernel called system, which starts a process; a core has none");
}

// By calls of the system, past the C library.
TEST_F(CommandLine, AKernelThatEndsTheProcessIsNoSuccess) {
    const Outcome outcome = fault("ends_the_process");
    EXPECT_EQ(outcome.exit, 3) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("ended the process, with exit code 0, before there was a result"));
}

TEST_F(CommandLine, ACopyOfTheProcessWritesNothing) {
    const Outcome outcome = fault("copies_the_process", "--json run.json");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_TRUE(record::Recording{folder / "run.rec"}.complete());
    write("main.cpp",
          "#include <cstdio>\n#include <cstdlib>\n#include <sys/wait.h>\n#include <unistd.h>\n"
          "#include \"acl/acl.h\"\n"
          "int main() { aclInit(nullptr); std::fflush(stdout);\n"
          "  const pid_t child = fork(); if (child == 0) { std::printf(\"copy\\n\"); return 7; }\n"
          "  const pid_t crashing = fork(); if (crashing == 0) { abort(); }\n"
          "  int aborted = 0; waitpid(crashing, &aborted, 0);\n"
          "  if (!WIFSIGNALED(aborted)) { return 3; }\n"
          "  int status = 0; waitpid(child, &status, 0);\n"
          "  std::printf(\"copy ended with %d\\n\", WEXITSTATUS(status));\n"
          "  int words[64] = {}; void* device = nullptr;\n"
          "  aclrtMalloc(&device, sizeof words, ACL_MEM_MALLOC_HUGE_FIRST);\n"
          "  aclrtMemcpy(device, sizeof words, words, sizeof words, ACL_MEMCPY_HOST_TO_DEVICE);\n"
          "  aclFinalize(); return 0; }\n");
    const Outcome program = ascendsim("run main.cpp --quiet --record program.rec");
    EXPECT_EQ(program.exit, 0) << program.output;
    EXPECT_EQ(program.output, "copy\ncopy ended with 7\n");
    EXPECT_TRUE(record::Recording{folder / "program.rec"}.complete());
}

TEST_F(CommandLine, ARecordingIsNoScenario) {
    EXPECT_EQ(fault("good").exit, 0);
    expect_user_error("run run.rec", "run.rec: is a recording, which does not run again: 'ascendsim explain");
}

TEST_F(CommandLine, WithoutALastingCacheNoRecordingIsNamed) {
    const Outcome outcome =
        ascendsim(fmt::format("--version >/dev/null; env -u HOME -u XDG_CACHE_HOME '{}' run faults.cpp --set "
                              "launch.entry=good --json run.json",
                              (build / "bin" / "ascendsim").string()));
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("not kept; --record FILE keeps it"));
    EXPECT_TRUE(nlohmann::json::parse(contents(folder / "run.json")).at("recording").is_null());
}

TEST_F(CommandLine, AReaderThatHasSeenEnoughIsNoFailure) {
    EXPECT_EQ(fault("good").exit, 0);  // compiled now
    const Outcome outcome =
        ascendsim("run faults.cpp --set launch.entry=good 2>errors | head -n 1; cat errors");
    EXPECT_EQ(outcome.output, "faults.cpp\n");
}

TEST_F(CommandLine, ReportsThatDoNotFitAreNoSuccess) {
    const Outcome outcome = ascendsim("list chips 2>&1 >/dev/full");
    EXPECT_EQ(outcome.exit, 2);
    EXPECT_THAT(outcome.output, HasSubstr("standard output: cannot be written"));
}

TEST_F(CommandLine, AKernelThatWaitsForALockEndsWithASentence) {
    const Outcome outcome = fault("waits_for_a_lock", "--set limits.idle_s=0.5");
    EXPECT_EQ(outcome.exit, 3) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("ascendsim: the kernel waited in a library, as for a lock"));
    EXPECT_TRUE(record::Recording{folder / "run.rec"}.metadata().contains("chip"));  // kept as far as it came
}

TEST_F(CommandLine, WhatTakesTooLongIsEnded) {
    // On a busy machine the compiler alone takes longer.
    const auto expect_an_end = [](const Outcome& outcome) {
        const bool ran = outcome.output.find("while its sources were compiled") == std::string::npos;
        EXPECT_EQ(outcome.exit, ran ? 3 : 2);
        EXPECT_THAT(outcome.output, HasSubstr("the run took longer than 1 s and was ended"));
    };
    expect_an_end(fault("endless", "--timeout 1 --set limits.idle_s=1000"));
    write("loops.cpp",
          "#include \"acl/acl.h\"\nint main() { volatile int n = 0; while (true) { n = n + 1; } }\n");
    const Outcome outcome = ascendsim("run loops.cpp --timeout 1");
    expect_an_end(outcome);
    EXPECT_THAT(outcome.output, HasSubstr("--timeout sets the limit"));
}

TEST_F(CommandLine, ASourceThatCompilesForEverIsTheInputsFault) {
    write(
        "types.cpp",  // 2^60 types
        "#include \"acl/acl.h\"\ntemplate <int n, class... T> struct F : F<n - 1, T..., int>, F<n - 1, T..., "
        "char> {};\ntemplate <class... T> struct F<0, T...> {};\nF<60> f;\nint main() {}\n");
    const Outcome outcome = ascendsim("run types.cpp --timeout 10");  // the compiler begins in less
    EXPECT_EQ(outcome.exit, 2);
    EXPECT_THAT(outcome.output,
                HasSubstr("the run took longer than 10 s and was ended while its sources were"));
}

TEST_F(CommandLine, ARunThatASignalEndsLeavesNothing) {
    for (const char* signal : {"TERM", "HUP"}) {  // a shell's background ignores INT
        const Outcome outcome = ascendsim(
            fmt::format("--version >/dev/null; rm -rf out; '{}' run faults.cpp --quiet --out out --set "
                        "launch.entry=polls "
                        "--set limits.cycles=2000000000 --set limits.instructions=1000000000 & run=$!; "
                        "until ls out/*.part.rec >/dev/null 2>&1; do kill -0 $run || break; sleep 0.1; done; "
                        "ls out >seen; kill -{} $run; wait $run",
                        (build / "bin" / "ascendsim").string(),
                        signal));
        EXPECT_GT(outcome.exit, 128) << outcome.output;
        EXPECT_THAT(contents(folder / "seen"), HasSubstr(".part.rec"));
        EXPECT_TRUE(fs::is_empty(folder / "out"));
    }
}

TEST_F(CommandLine, WhatPrintsTooMuchIsEnded) {
    const auto last_line = [&](const char* limits) {
        return ascendsim(fmt::format("run faults.cpp --quiet --set launch.entry=prints_without_end "
                                     "--set limits.idle_s=1000 {} 2>&1 | tail -n 1",
                                     limits))
            .output;
    };
    for (const char* service : {"CI", "TF_BUILD"}) {
        setenv(service, "True", 1);
        EXPECT_THAT(last_line(""), HasSubstr("more than 16 MiB were printed, and the run was ended"));
        unsetenv(service);
    }
    EXPECT_THAT(last_line("--timeout 1000"),
                HasSubstr("more than 16 MiB were printed, and the run was ended; is a loop endless?"));
    EXPECT_THAT(last_line("--max-output 100K"), HasSubstr("more than 100 KiB were printed"));
}

TEST_F(CommandLine, LittleAddressSpaceIsEnoughOrIsSaidToBeTooLittle) {
    const auto limited = [&](const char* limit) {
        return ascendsim(fmt::format("--version >/dev/null; ulimit -v {}; '{}' run faults.cpp --quiet",
                                     limit,
                                     (build / "bin" / "ascendsim").string()));
    };
    EXPECT_EQ(limited("unlimited").exit, 0);  // compiled now
    const Outcome enough = limited("4000000");
    EXPECT_EQ(enough.exit, 0) << enough.output;
    const Outcome little = limited("300000");
    EXPECT_TRUE(little.exit == 0 || little.exit == 2) << little.exit << little.output;
    EXPECT_TRUE(little.exit == 0 || !little.output.empty());
}

TEST_F(CommandLine, AMissingWorkingFolderIsNamed) {
    const Outcome outcome = ascendsim(
        fmt::format("--version >/dev/null; mkdir gone && cd gone && rmdir ../gone && '{}' list chips",
                    (build / "bin" / "ascendsim").string()));
    EXPECT_EQ(outcome.exit, 2);
    EXPECT_THAT(outcome.output, HasSubstr("the working directory is not there any more"));
}

TEST_F(CommandLine, FewOpenFilesAreNoDefectOfOurs) {
    for (int most = 4; most < 12; ++most) {
        const Outcome outcome =
            ascendsim(fmt::format("--version >/dev/null; ulimit -n {}; '{}' run faults.cpp --quiet",
                                  most,
                                  (build / "bin" / "ascendsim").string()));
        EXPECT_NE(outcome.exit, 4) << most << ": " << outcome.output;
        EXPECT_TRUE(outcome.exit == 0 || !outcome.output.empty()) << most;
    }
}

TEST_F(CommandLine, LimitsOfTheSystemAreNoDefectOfOurs) {
    const std::string program = (build / "bin" / "ascendsim").string();
    const std::string name(250, 'n');
    EXPECT_EQ(
        ascendsim(
            fmt::format(
                "--version >/dev/null; cp faults.cpp {0}.cpp; cp faults.toml {0}.toml; '{1}' run {0}.cpp "
                "--quiet --out out",
                name,
                program))
            .exit,
        2);
    // A compiler that is killed, as the system does where memory ends.
    fs::create_directories(folder / "bin");
    write("bin/clang++",
          "#!/bin/sh\ncase \"$*\" in *--version*) exec /usr/bin/clang++ --version;; esac\nkill -9 $$\n");
    fs::permissions(folder / "bin/clang++", fs::perms::owner_all);
    write("new.cpp", contents(folder / "faults.cpp") + "// another text\n");
    write("new.toml", contents(folder / "faults.toml"));
    const Outcome killed =
        ascendsim(fmt::format("--version >/dev/null; PATH='{}':$PATH '{}' run new.cpp --quiet",
                              (folder / "bin").string(),
                              program));
    EXPECT_EQ(killed.exit, 2) << killed.output;
    EXPECT_THAT(killed.output,
                HasSubstr("was ended by a signal: Killed; the system may have run out of memory"));
}

TEST_F(CommandLine, ALineOfAMegabyteIsRead) {
    write("long.cpp",
          contents(folder / "faults.cpp") + "// " + std::string(1'000'000, 'm') + "\n/*" +
              std::string(1'000'000, '(') + "*/\n");
    write("long.toml", contents(folder / "faults.toml"));
    const Outcome outcome = ascendsim("run long.cpp --quiet");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
}

TEST_F(CommandLine, RowsThatNoOneCanMeanAreNamed) {
    std::ifstream shipped{installation.root / "scenarios/measurements/measurements.csv"};
    std::string head;
    std::getline(shipped, head);
    const auto row = [](int number, const char* shape, const char* cores) {
        return fmt::format("GEMM-{},source,910B1,Matmul,{},fp16->fp16,task_duration,10,us,{},notes,high\n",
                           number,
                           shape,
                           cores);
    };
    write("rows.csv",
          head + "\n" + row(1, "M128 N0 K64", "1") + row(2, "M128 N99999999999999999999999 K64", "1") +
              row(3, "M128 N64 K64", "99999999999999999999999"));
    const Outcome outcome = ascendsim("validate --data rows.csv --all --json -");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("the shape 'M128 N0 K64' has a dimension that is not positive"));
    EXPECT_THAT(outcome.output, HasSubstr("the number 99999999999999999999... is too long"));
}

/// Its own cache, with no runs in it. No command here compiles a kernel.
class WrongNames : public CommandLine {
protected:
    void SetUp() override {
        CommandLine::SetUp();
        setenv("XDG_CACHE_HOME", (folder / "cache").c_str(), 1);
        fs::create_directories(runs());
    }

    [[nodiscard]] fs::path runs() const { return folder / "cache/ascendsim/runs"; }

    /// A run of that name; nobody looks into it.
    void keep(const std::string& name) const { std::ofstream{runs() / (name + ".rec")} << "x"; }
};

TEST_F(WrongNames, WithoutAnyRunThatIsSaid) {
    expect_user_error(
        "explain nosuchrun",
        "nosuchrun: neither a recording nor the name of a run (no run has been kept yet; runs are kept in ");
}

TEST_F(WrongNames, TheRunsThatExistAreTold) {
    keep("my_add");
    keep("my_add~1");
    keep("matmul");
    keep("matmul.1234.part");  // being written by process 1234
    for (const char* command : {"explain my_ad", "compare my_ad matmul", "gui my_ad"}) {
        const Outcome outcome = ascendsim(command);
        EXPECT_EQ(outcome.exit, 2) << command;
        EXPECT_THAT(
            outcome.output,
            HasSubstr("my_ad: neither a recording nor the name of a run, did you mean 'my_add'? (runs: "))
            << command;
        EXPECT_THAT(outcome.output, testing::ContainsRegex("runs: (my_add, matmul|matmul, my_add), kept in "))
            << command;
    }
    for (const char* command : {"whatif my_ad", "tune my_ad", "sweep my_ad --over a=1 --out out"}) {
        expect_user_error(
            command,
            "my_ad: neither a file, nor a scenario, a kernel or the name of a run, did you mean "
            "'my_add'? (scenarios: ");
    }
    expect_user_error("whatif swiglu_910", "did you mean 'swiglu_910b'?");
    expect_user_error("whatif sofmax", "did you mean 'softmax'?");  // a shipped kernel
}

TEST_F(WrongNames, ARunMayBeNamedAfterAVersion) {
    keep("model_v1.5");
    expect_user_error("explain model_v1", "did you mean 'model_v1.5'? (runs: model_v1.5, kept in ");
}

TEST_F(WrongNames, AScenarioThatHasNotRunIsNoRunYet) {
    expect_user_error("compare swiglu_910b faults",
                      "swiglu_910b: has not run yet; 'ascendsim run swiglu_910b' keeps its recording");
    expect_user_error("explain nosuch.toml", "nosuch.toml");
    expect_user_error("compare nosuch.toml faults", "nosuch.toml: no such file");
    fs::create_directory(folder / "none");
    expect_user_error("compare none faults", "none: a folder without a recording (a .rec file");
    fs::create_directory(folder / "some");
    for (const char* name : {"b.rec", "a.rec"}) {
        write(std::string{"some/"} + name, "no recording");
    }
    expect_user_error("explain some", "some: a folder; name a recording in it (a.rec, b.rec)");
}

TEST_F(WrongNames, EveryCommandNamesAMissingFileAndTheNearest) {
    write("net.onnxtxt", "");
    write("step.toml", "");
    write("kernel_details.csv", "");
    write("before.rec", "no recording");
    const std::string scenario = "fault.toml: no such file, did you mean 'faults.toml'?";
    const std::string source = "fault.cpp: no such source, did you mean 'faults.cpp'?";
    const std::string step = "stepp.toml: no such file, did you mean 'step.toml'?";
    const std::string network = "nett.onnxtxt: no such file, did you mean 'net.onnxtxt'?";
    for (const auto& [command, sentence] :
         {std::pair<std::string, std::string>{"run fault.toml", scenario},
          {"check fault.toml", scenario},
          {"explain fault.toml", scenario},
          {"annotate fault.toml", scenario},
          {"compare fault.toml before.rec", scenario},
          {"whatif fault.toml", scenario},
          {"tune fault.toml", scenario},
          {"sweep fault.toml --over launch.blocks=1,2", scenario},
          {"run fault.cpp", source},
          {"build fault.cpp", source},
          {"step stepp.toml", step},
          {"bench stepp.toml", step},
          {"serve stepp.toml", step},
          {"train stepp.toml", step},
          {"audit stepp.toml", step},
          {"model nett.onnxtxt", network},
          {"feasibility nett.onnxtxt", network},
          {"profile kernel_detail.csv",
           "kernel_detail.csv: no such file or folder, did you mean 'kernel_details.csv'?"},
          {"compare befor.rec before.rec",
           "befor.rec: neither a recording nor the name of a run, did you mean 'before.rec'?"},
          {"run some/where.toml", "some/where.toml: no such file: there is no folder 'some'"}}) {
        const Outcome outcome = ascendsim(command);
        EXPECT_EQ(outcome.exit, 2) << command << ": " << outcome.output;
        EXPECT_THAT(outcome.output, HasSubstr(sentence)) << command;
    }
}

TEST_F(WrongNames, AWordThatIsNoCommandShowsThoseThatAre) {
    expect_user_error("report nosuchrun", "'report' is not a command (commands: help, annotate, audit, ");
    expect_user_error("expalin my_add", "'expalin' is not a command, did you mean 'explain'? (commands: ");
}

/// A folder with a source of one kernel.
class OneKernel : public CommandLine {
protected:
    /// Writes NAME.cpp: a kernel of that text, on argument x.
    void write_kernel(const std::string& name, const std::string& body) const {
        write(name + ".cpp",
              "#include \"kernel_operator.h\"\nusing namespace AscendC;\n"
              "extern \"C\" __global__ __aicore__ void one(GM_ADDR x) {\n" +
                  body + "}\n");
    }

    void write_scenario(const std::string& name, const std::string& role = "in_out") const {
        write(name + ".toml",
              "[scenario]\nchip = \"910b3\"\n[launch]\nentry = \"one\"\n"
              "[[args]]\nname = \"x\"\ntype = \"int32\"\nshape = [64]\nrole = \"" +
                  role + "\"\n");
    }
};

TEST_F(OneKernel, NamesOfOtherScriptsAreKeptApart) {
    for (const char* name : {"\u52a0\u6cd5", "\uff21\uff24"}) {  // of the same length in bytes
        write_kernel(name, "    *reinterpret_cast<int32_t*>(x) = 7;\n");
        write_scenario(name);
        EXPECT_EQ(ascendsim(fmt::format("run '{0}.cpp' --quiet --out '{0} out'", name)).exit, 0);
        EXPECT_TRUE(fs::is_regular_file(folder / fmt::format("{} out", name) / fmt::format("{}.rec", name)));
        EXPECT_EQ(ascendsim(fmt::format("run '{}.cpp' --quiet", name)).exit, 0);
        EXPECT_EQ(ascendsim(fmt::format("explain '{}'", name)).exit, 0);
    }
}

TEST_F(OneKernel, CubeWorkIsSentToCubeCores) {
    constexpr const char* cube_work =
        "    TPipe pipe;\n    TQue<TPosition::CO1, 1> c;\n    pipe.InitBuffer(c, 1, 1024);\n"
        "    LocalTensor<float> t = c.AllocTensor<float>();\n    LocalTensor<half> a, b;\n"
        "    MmadParams p;\n    p.m = p.n = p.k = 16;\n    if (x == nullptr) Mmad(t, a, b, p);\n";
    write_kernel("cube", cube_work);
    ASSERT_EQ(ascendsim("new cube.cpp").exit, 0);
    EXPECT_THAT(contents(folder / "cube.toml"), HasSubstr("cores = \"aic\"    # by its cube calls"));
    // Vector cores skip it: whoever says so all the same is told.
    write_scenario("cube", "output");
    const Outcome outcome = ascendsim("run cube.cpp");
    EXPECT_EQ(outcome.exit, 3) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("output 'x' was never written"));
    EXPECT_THAT(
        outcome.output,
        HasSubstr("cube work (Mmad, Fixpipe), which vector cores skip: give [launch] cores = \"aic\""));
}

TEST_F(OneKernel, IsReadAsTheChipsCompilerReadsIt) {
    write("chip.cpp",
          "#include \"kernel_operator.h\"\n#ifndef __CCE__\n#error the chip's compiler defines it\n#endif\n"
          "#define ON_CORE [aicore]\nON_CORE inline float half_of(bool c, half h) { return c ? h : 1.0f; }\n"
          "extern \"C\" __global__ __aicore__ void one(GM_ADDR x) {\n"
          "    *(int32_t*)x = (int32_t)half_of(true, half(7.0f));\n}\n");
    write_scenario("chip", "in_out");
    const Outcome outcome = ascendsim("run chip.cpp --quiet");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
}

TEST_F(OneKernel, AFaultNamesTheCallOfAscendC) {
    write_kernel("early",
                 "    TPipe pipe;\n    TQue<TPosition::VECIN, 1> q;\n    pipe.InitBuffer(q, 1, 256);\n    "
                 "q.DeQue<half>();\n");
    write_scenario("early");
    const Outcome outcome = ascendsim("run early.cpp --quiet");
    EXPECT_EQ(outcome.exit, 3);
    EXPECT_THAT(outcome.output, HasSubstr("illegal: DeQue: the queue is empty; EnQue comes first\n"));
    EXPECT_THAT(outcome.output, HasSubstr("early.cpp:7: DeQue on scalar of aiv0 (block 0)"));
    EXPECT_THAT(outcome.output,
                testing::ContainsRegex(
                    "ascendsim: aiv0 .block 0.: DeQue at [^\n]*early.cpp:7, cycle [0-9]+: the queue"));
}

// As on the chip, whose queue of depth 1 keeps nothing but the tensor that it gives.
TEST_F(OneKernel, AnEmptyQueueOfOneGivesItsTensorAgain) {
    write_kernel("again",
                 "    TPipe pipe;\n    TQue<TPosition::VECOUT, 1> q;\n    pipe.InitBuffer(q, 1, 256);\n    "
                 "q.EnQue(q.AllocTensor<half>());\n    auto first = q.DeQue<half>();\n    "
                 "auto second = q.DeQue<half>();\n    "
                 "q.FreeTensor(second);\n");
    write_scenario("again");
    const Outcome outcome = ascendsim("run again.cpp --quiet");
    EXPECT_EQ(outcome.exit, 3);
    EXPECT_THAT(outcome.output, HasSubstr("illegal: DeQue: the queue is empty; EnQue comes first\n"));
    EXPECT_THAT(outcome.output, HasSubstr("again.cpp:9: DeQue on scalar of aiv0 (block 0)"));
    EXPECT_THAT(outcome.output, HasSubstr("The run goes on, as on the chip"));
    EXPECT_THAT(ascendsim("run again.cpp --quiet --strict").output, Not(HasSubstr("The run goes on")));
}

// The scenario it writes names faults.cpp, which lies beside faults.toml and nowhere else.
TEST_F(CommandLine, TuneWritesBesideTheFilesThatItNames) {
    fs::create_directories(folder / "other");
    const Outcome outcome = ascendsim("tune faults.toml --toml other/tuned.toml");
    EXPECT_EQ(outcome.exit, 2) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("--toml other/tuned.toml: must lie in "));
    EXPECT_THAT(ascendsim("tune faults.toml --toml tuned.toml").output, Not(HasSubstr("must lie in")));
}

TEST_F(CommandLine, WordsThatSayNothingAreRefused) {
    expect_user_error("run faults.toml --chip ''", "--chip: must not be empty");
    expect_user_error("run add add", "'add' is not expected behind it");
    expect_user_error("build faults.cpp --source nothing.cpp", "nothing.cpp: no such source");
    expect_user_error("run add --set kernel.buffers=99999999999999999999", "must be an integer in [");
}

TEST_F(CommandLine, NewTakesNothingButAName) {
    expect_user_error("new .", "new .: must be a source, as in my_kernel.cpp");
    expect_user_error("new my_add.toml", "must be a source, as in my_kernel.cpp");
    expect_user_error("new 'my\"add.cpp'", "must not contain quotes");
    fs::create_directory(folder / "folder.cpp");
    expect_user_error("new folder.cpp", "folder.cpp: not a file");
    EXPECT_EQ(ascendsim("new plain").exit, 0);
    EXPECT_TRUE(fs::is_regular_file(folder / "plain.cpp"));
    EXPECT_THAT(ascendsim("new 'my kernel.cpp'").output, HasSubstr("ascendsim run 'my kernel.cpp'\n"));
}

TEST_F(CommandLine, ARecordingOfNothingIsSaidToHoldNothing) {
    write("empty.rec", "");
    expect_user_error("explain empty.rec", "empty.rec: holds nothing");
    expect_user_error("compare empty.rec empty.rec", "empty.rec: holds nothing");
}

TEST_F(CommandLine, AFileOfDataIsNamedWithItsKey) {
    expect_user_error("run faults.cpp --set args.x.file=", "args.x.file: names no file");
    expect_user_error("run faults.cpp --set args.x.file=none.npy",
                      "--set: args.x.file: none.npy: no such file");
    expect_user_error("run faults.cpp --set args.x.file=.", "args.x.file: .: not a file");
}

TEST_F(CommandLine, ShapesBeyondTheMachinesMemoryAreRefused) {
    // 2 TB of data on a chip with room for them.
    expect_user_error(
        "run faults.cpp --set chip.hbm.bytes=2100000000000 --set 'args.x.shape=[1000000,500000]'",
        "the tensors' data take 2000.0 GB, 'x' alone 2000.0 GB, and this machine has ");
    expect_user_error("run faults.cpp --set 'args.x.shape=[1000000,1000000]'",
                      "global memory is full: 'x' needs 4000000000000 B");
}

TEST_F(CommandLine, WhereRunsCannotBeKeptAnotherPlaceIsNamed) {
    setenv("XDG_CACHE_HOME", (folder / "faults.cpp").c_str(), 1);
    const Outcome outcome = ascendsim("run faults.cpp --quiet --set launch.entry=good");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output,
                HasSubstr("ascendsim cannot be written, so nothing that is compiled is kept"));
    const Outcome cleared = ascendsim("cache --clear");
    EXPECT_EQ(cleared.exit, 2) << cleared.output;
    EXPECT_THAT(cleared.output, HasSubstr("so nothing was deleted"));
}

}  // namespace
}  // namespace ascendsim::cli
