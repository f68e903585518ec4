// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/inputs/inputs.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "app/analysis/advice/explain.hpp"
#include "app/analysis/run_summary.hpp"
#include "app/benchmark/plan.hpp"
#include "app/profile/gaps.hpp"
#include "app/profile/profile_comparison.hpp"
#include "app/profile/vendor_profile.hpp"
#include "app/report/chrome_trace.hpp"
#include "app/report/explain_report.hpp"
#include "app/report/html_report.hpp"
#include "app/report/text_report.hpp"
#include "app/scenario/recorded_origin.hpp"
#include "app/scenario/scenario.hpp"
#include "app/steps/step_report.hpp"
#include "app/validation/catalogue.hpp"
#include "app/validation/family.hpp"
#include "app/validation/measurement.hpp"
#include "kernels/plan/npy.hpp"
#include "models/spec/chip_file.hpp"
#include "sim/base/error.hpp"
#include "sim/config/text_mutation.hpp"
#include "sim/record/handed_on.hpp"
#include "sim/record/recording.hpp"
#include "tests/fuzz/inputs/recordings.hpp"
#include "tests/fuzz/inputs/systems.hpp"
#include "toolchain/installation/installation.hpp"
#include "toolchain/project/cmake_project.hpp"

namespace fuzz {
namespace {

namespace fs = std::filesystem;
using namespace ascendsim;  // NOLINT(google-build-using-namespace): a test

/// A folder of this process, until it ends; the system's memory is enough.
class Folder {
public:
    Folder() : place_{fs::temp_directory_path() / fmt::format("fuzz_inputs_{}", getpid())} {
        fs::create_directories(place_);
    }

    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    ~Folder() {
        std::error_code ignored;
        fs::remove_all(place_, ignored);
    }

    [[nodiscard]] const fs::path& place() const { return place_; }

private:
    fs::path place_;
};

const fs::path& folder() {
    static const Folder made;
    return made.place();
}

fs::path file_of(const char* name, const std::string& bytes) {
    const fs::path file = folder() / name;
    std::ofstream{file, std::ios::binary} << bytes;
    return file;
}

std::string content(const fs::path& file) {
    std::ifstream stream{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{stream}, {}};
}

const toolchain::Installation& installation() {
    static const toolchain::Installation found = toolchain::Installation::find();
    return found;
}

/// Files of a folder of the checkout.
std::vector<std::string> files_in(const fs::path& place, const char* ending) {
    std::vector<fs::path> files;
    for (const fs::directory_entry& file : fs::recursive_directory_iterator{installation().root / place}) {
        if (file.path().extension() == ending) {
            files.push_back(file.path());
        }
    }
    std::ranges::sort(files);
    std::vector<std::string> texts;
    std::ranges::transform(files, std::back_inserter(texts), content);
    return texts;
}

std::string as_it_is(std::string bytes) {
    return bytes;
}

void read_scenario(const std::string& bytes) {
    const scenario::ScenarioFile file{file_of("x.toml", bytes).string(), installation(), {}};
    std::size_t most = 20;
    for (const std::vector<scenario::Override>& run : file.runs()) {
        static_cast<void>(file.read(run));
        if (--most == 0) {
            break;
        }
    }
}

std::vector<std::string> scenario_seeds() {
    std::vector<std::string> seeds = files_in("scenarios", ".toml");
    std::ranges::move(files_in("tests/fuzz/corpora/scenario", ".toml"), std::back_inserter(seeds));
    return seeds;
}

void read_chip(const std::string& bytes) {
    static_cast<void>(open_chip(file_of("x.toml", bytes).string(), installation().chips()));
}

std::vector<std::string> chip_seeds() {
    return files_in("models/chips", ".toml");
}

/// As `validate` does, but for the simulations.
void read_csv(const std::string& bytes) {
    static const validation::Catalogue catalogue{installation().scenarios() / "measurements"};
    static const std::vector<validation::NamedFamily> families = validation::make_families();
    static const ChipSpec chip = load_chip("910b1", installation().chips());
    for (const validation::Measurement& measurement :
         validation::read_measurements(file_of("x.csv", bytes))) {
        const validation::Row row{measurement};
        static_cast<void>(catalogue.chip(row));
        if (!validation::nonsense_of(measurement).empty()) {
            continue;
        }
        for (const validation::NamedFamily& one : families) {
            if (one.name == measurement.family() || one.family->recognises(row)) {
                static_cast<void>(one.family->adapt(
                    row, {.chip = chip, .source = catalogue.source(row), .values = catalogue.values(row)}));
            }
        }
    }
}

/// Files of the header and a few rows each.
std::vector<std::string> csv_seeds() {
    std::istringstream all{content(installation().scenarios() / "measurements" / "measurements.csv")};
    std::string head;
    std::getline(all, head);
    std::vector<std::string> seeds;
    std::size_t rows = 0;
    for (std::string row; std::getline(all, row); ++rows) {
        if (rows % 4 == 0) {
            seeds.push_back(head + "\n");
        }
        seeds.back() += row + "\n";
    }
    std::ranges::move(files_in("tests/fuzz/corpora/csv", ".csv"), std::back_inserter(seeds));
    return seeds;
}

void read_npy(const std::string& bytes) {
    static_cast<void>(host::read_npy(file_of("x.npy", bytes)));
}

std::vector<std::string> npy_seeds() {
    std::vector<std::string> seeds;
    const std::vector<std::byte> zeros(4 * 8);
    for (const isa::DataType type : {isa::DataType::half, isa::DataType::float32, isa::DataType::int8}) {
        const std::uint64_t elements = zeros.size() * 8 / isa::bits(type);
        const fs::path file = folder() / "seed.npy";
        host::write_npy(file, type, {4, elements / 4}, zeros);
        seeds.push_back(content(file));
    }
    return seeds;
}

/// As `explain`, `compare` and the exports of `run` do.
void read_recording(const std::string& bytes) {
    const record::Recording recording{file_of("x.rec", bytes)};
    static_cast<void>(scenario::recorded_origin(recording));
    static_cast<void>(scenario::changed_sources(recording));
    if (recording.lanes().empty()) {
        return;
    }
    const analysis::RunSummary summary = analysis::summarise(recording);
    static_cast<void>(
        analysis::to_json(summary).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    const analysis::Explanation explanation = analysis::explain(recording);
    std::ostringstream text;
    const report::Style plain = report::Style::of_terminal(-1);
    report::print_report(text, summary, recording, plain);
    report::print_explanation(text, explanation, recording, plain);
    report::write_html(text, summary, recording);
    report::write_chrome_trace(text, recording);
    record::copy_stripped(folder() / "x.rec", folder() / "y.rec");
}

void read_cmake(const std::string& bytes) {
    static_cast<void>(file_of("CMakeLists.txt", bytes));
    static_cast<void>(toolchain::cmake_notes(file_of("demo.cpp", ""), folder(), {"-DGIVEN=1"}));
}

std::vector<std::string> cmake_seeds() {
    return files_in("tests/fuzz/corpora/cmake", ".txt");
}

/// As `profile` does, but for the simulations.
void read_profile_of(const std::string& bytes,
                     void (*read)(const std::string&, const std::string&, profile::Profile&)) {
    profile::Profile all;
    read(bytes, "x", all);
    static_cast<void>(profile::starvation_of(all));
    for (const profile::ProfiledOperator& one : all.operators) {
        static_cast<void>(profile::refusal_of(one));
    }
}

void read_profile_table(const std::string& bytes) {
    read_profile_of(bytes, profile::read_operators);
}

std::vector<std::string> profile_table_seeds() {
    return files_in("tests/fuzz/corpora/profile", ".csv");
}

void read_profile_trace(const std::string& bytes) {
    read_profile_of(bytes, profile::read_trace);
}

std::vector<std::string> profile_trace_seeds() {
    return files_in("tests/fuzz/corpora/profile", ".json");
}

/// As `step` and `bench` do, where the step is small.
void read_step_file(const std::string& bytes) {
    const TomlFile file = TomlFile::parse(bytes, "x.toml");
    static_cast<void>(benchmark::read_plan(file));
    const fs::path models = installation().root / "models";
    const steps::StepProgram program =
        steps::read_step(file, {.nodes = models / "nodes", .hosts = models / "hosts"});
    std::uint64_t tasks = 0;
    for (const steps::StepTask& task : program.tasks) {
        tasks += std::uint64_t{task.times} * program.ranks;
    }
    constexpr std::uint64_t small = 1000;
    if (tasks <= small) {
        static_cast<void>(step_text(program, figures_of(program, run_step(program))));
    }
}

std::vector<std::string> step_seeds() {
    return files_in("scenarios/steps", ".toml");
}

/// A reader of systems.hpp with this process's folder.
template <void (*read)(const std::string&, const fs::path&)>
void read_in_folder(const std::string& bytes) {
    read(bytes, folder());
}

std::vector<std::string> node_seeds() {
    return files_in("models/nodes", ".toml");
}

std::vector<std::string> host_seeds() {
    return files_in("models/hosts", ".toml");
}

std::vector<std::string> model_seeds() {
    return files_in("scenarios/serving/models", ".json");
}

#ifdef ASCENDSIM_FUZZ_TRAINING
std::vector<std::string> training_seeds() {
    return files_in("scenarios/training", ".toml");
}
#endif

std::vector<std::string> serving_seeds() {
    return files_in("scenarios/serving", ".toml");
}

/// Brackets without end within JSON, every so often: what reads it must not go as deep.
std::string deepened(std::string bytes, TextMutation& random) {
    constexpr std::size_t depth = 100'000;
    constexpr std::uint64_t every = 500;
    const bool json = !bytes.empty() && (bytes.front() == '{' || bytes.front() == '[');
    if (json && random.below(every) == 0) {
        bytes.insert(random.below(bytes.size()), depth, random.below(2) == 0 ? '[' : '{');
    }
    return bytes;
}

}  // namespace

const std::vector<InputKind>& input_kinds() {
    static const std::vector<InputKind> kinds{
        {"scenario", &read_scenario, &scenario_seeds, &as_it_is},
        {"chip", &read_chip, &chip_seeds, &as_it_is},
        {"csv", &read_csv, &csv_seeds, &as_it_is},
        {"npy", &read_npy, &npy_seeds, &as_it_is},
        {"recording", &read_recording, &recording_seeds, &with_checksums},
        {"json", &read_recording, &recording_seeds, &with_checksums},
        {"profile_table", &read_profile_table, &profile_table_seeds, &as_it_is},
        {"profile_trace", &read_profile_trace, &profile_trace_seeds, &as_it_is},
        {"step", &read_step_file, &step_seeds, &as_it_is},
        {"node", &read_in_folder<read_node>, &node_seeds, &as_it_is},
        {"host", &read_in_folder<read_host>, &host_seeds, &as_it_is},
        {"model", &read_in_folder<read_model>, &model_seeds, &as_it_is},
        {"requests", &read_in_folder<read_requests>, &request_seeds, &as_it_is},
        {"serving", &read_in_folder<read_serving_file>, &serving_seeds, &as_it_is},
#ifdef ASCENDSIM_FUZZ_TRAINING
        {"training", &read_in_folder<read_training_file>, &training_seeds, &as_it_is},
#endif
        {"cmake", &read_cmake, &cmake_seeds, &as_it_is}};
    return kinds;
}

std::string wrong_with(const InputKind& kind, const std::string& bytes) {
    try {
        kind.read(bytes);
    } catch (const UserError&) {
        return {};
    } catch (const std::exception& error) {
        return error.what();
    } catch (...) {
        return "an unknown exception";
    }
    return {};
}

std::string input_case(const InputKind& kind, std::uint64_t number) {
    static std::string_view known;
    static std::vector<std::string> seeds;
    if (known != kind.name) {
        seeds = kind.seeds();
        known = kind.name;
    }
    TextMutation mutate{number + 1};
    const std::string& seed = seeds[mutate.below(seeds.size())];
    return kind.name == "json" ? with_changed_json(seed, mutate)
                               : kind.repaired(deepened(mutate(seed), mutate));
}

}  // namespace fuzz
