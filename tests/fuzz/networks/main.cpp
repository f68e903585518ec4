// SPDX-License-Identifier: Apache-2.0
// fuzz_networks [NETWORKS [SEED [JOBS]]]: random networks, fused against not fused and float64; 2,000 unless
// told. fuzz_networks files FILES SEED FOLDER...: damaged copies of the ONNX files below the folders. Exit
// code 1 after a difference or a crash, 2 if a folder cannot be read.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "tests/fuzz/networks/damaged_files.hpp"
#include "tests/fuzz/networks/network_campaign.hpp"

namespace {

std::uint64_t number_at(int argc, char** argv, int index, std::uint64_t otherwise) {
    return argc > index ? std::strtoull(argv[index], nullptr, 10) : otherwise;
}

int run_files(int argc, char** argv) {
    using namespace ascendsim;
    const std::uint64_t count = number_at(argc, argv, 2, 5'000);
    const auto seed = static_cast<std::uint32_t>(number_at(argc, argv, 3, 1));
    const std::vector<std::filesystem::path> folders{argv + std::min(argc, 4), argv + argc};
    for (const std::filesystem::path& folder : folders) {
        if (!std::filesystem::is_directory(folder)) {
            std::fprintf(stderr, "fuzz_networks: '%s' is no folder\n", folder.c_str());
            return 2;
        }
    }
    const fuzz::DamagedOutcome outcome = fuzz::run_damaged(fuzz::network_files(folders), count, seed, 2);
    for (const std::string& crash : outcome.crashes) {
        std::printf("%s\n", crash.c_str());
    }
    std::printf("%zu files: %zu are read, %zu refused with a sentence, %zu crashed\n",
                outcome.files,
                outcome.read,
                outcome.refused,
                outcome.crashes.size());
    return outcome.files != 0 && outcome.crashes.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    using namespace ascendsim;
    if (argc > 1 && std::string_view{argv[1]} == "files") {
        return run_files(argc, argv);
    }
    const std::uint64_t count = number_at(argc, argv, 1, 2'000);
    const auto seed = static_cast<std::uint32_t>(number_at(argc, argv, 2, 1));
    const fuzz::NetworkOutcome outcome =
        fuzz::run_networks(seed, count, "910b3", 25, number_at(argc, argv, 3, 2));
    for (const std::string& difference : outcome.differences) {
        std::printf("%s\n", difference.c_str());
    }
    std::printf(
        "%zu networks, %zu with something joined: %zu rewritings, %zu generated kernels; %zu elements "
        "compared, %zu differences\n",
        outcome.networks,
        outcome.joined,
        outcome.rewritings,
        outcome.kernels,
        outcome.compared,
        outcome.differences.size());
    return outcome.differences.empty() ? 0 : 1;
}
