// SPDX-License-Identifier: Apache-2.0
// The composed level: a step of many devices, laid out and scheduled. From the root:
//   step_bench [devices] [tasks of each] [all-reduces]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <fmt/format.h>
#include <sys/resource.h>

#include "app/steps/step_run.hpp"

namespace {

using namespace ascendsim;  // NOLINT(google-build-using-namespace): a program of one file

double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::string program_of(unsigned long devices, unsigned long tasks, unsigned long reductions) {
    const unsigned long parts = reductions + 1;
    std::string text = fmt::format("[step]\nnode = \"atlas800t_a2_x128\"\nranks = {}\n", devices);
    for (unsigned long i = 0; i < parts; ++i) {
        text += fmt::format(
            "[[task]]\nname = \"part {}\"\nus = 12.5\ntimes = {}\nmode = \"graph\"\n", i, tasks / parts);
        if (i + 1 < parts) {
            text += fmt::format(
                "[[task]]\nkind = \"collective\"\nname = \"reduce {0}\"\nbytes = 33554432\nstream = "
                "\"communication\"\nafter = [\"part {0}\"]\n",
                i);
        }
    }
    return text;
}

}  // namespace

int main(int argc, char** argv) {
    const auto argument = [&](int place, unsigned long otherwise) {
        return argc > place ? std::strtoul(argv[place], nullptr, 10) : otherwise;
    };
    const unsigned long devices = argument(1, 1024);
    const unsigned long tasks = argument(2, 10'000);
    const unsigned long reductions = argument(3, 4);
    const auto begin = std::chrono::steady_clock::now();
    const steps::StepProgram program =
        steps::read_step(TomlFile::parse(program_of(devices, tasks, reductions), "bench.toml"),
                         {.nodes = "models/nodes", .hosts = "models/hosts"});
    const steps::StepRun run = steps::run_step(program);
    const double seconds = seconds_since(begin);
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    constexpr double kib_a_gib = 1024.0 * 1024;
    const double done = static_cast<double>(devices * tasks);
    fmt::print(
        "{} devices, {} tasks each, {} all-reduces: {:.2f} s wall, {:.2f} s user; {:.2f} M tasks/s; {} in "
        "the "
        "graph; step {:.1f} us; {:.2f} GiB\n",
        devices,
        tasks,
        reductions,
        seconds,
        static_cast<double>(usage.ru_utime.tv_sec) + static_cast<double>(usage.ru_utime.tv_usec) * 1e-6,
        done / seconds / 1e6,
        run.graph.size(),
        node::microseconds(run.schedule.length),
        static_cast<double>(usage.ru_maxrss) / kib_a_gib);
    return EXIT_SUCCESS;
}
