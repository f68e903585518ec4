// SPDX-License-Identifier: Apache-2.0
#include "app/report/csv_export.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <map>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include "app/analysis/power_curve.hpp"
#include "app/report/csv_columns.hpp"
#include "sim/base/csv_cell.hpp"
#include "sim/base/error.hpp"
#include "sim/process/whole_file.hpp"

namespace ascendsim::report {

namespace {

using analysis::ChipNumbers;
using analysis::CoreUse;
using record::Recording;

class CsvFile {
public:
    CsvFile(const std::filesystem::path& path, std::span<const std::string_view> columns)
        : path_{path}, file_{path} {
        std::vector<std::string> row{columns.begin(), columns.end()};
        write(row);
    }

    void write(const std::vector<std::string>& row) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            fmt::print(file_.stream(), "{}{}", i == 0 ? "" : ",", csv_cell(row[i]));
        }
        file_.stream() << '\n';
    }

    [[nodiscard]] std::filesystem::path finish() {
        file_.finish();
        return path_;
    }

private:
    std::filesystem::path path_;
    process::WholeFile file_;
};

// A launch as its event tells, or the whole run.
struct Task {
    std::string name;
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    std::uint64_t blocks = 0;
};

std::vector<Task> tasks_of(const Recording& recording, const analysis::RunSummary& summary) {
    std::vector<Task> tasks;
    for (const nlohmann::json& event : recording.events()) {
        if (event.is_object() && event.value("kind", "") == "launch") {
            tasks.push_back({event.value("name", ""),
                             event.value("start", std::uint64_t{0}),
                             event.value("end", std::uint64_t{0}),
                             event.value("blocks", std::uint64_t{0})});
        }
    }
    if (tasks.empty()) {
        tasks.push_back({summary.scenario, 0, recording.cycles(), summary.cores_used});
    }
    return tasks;
}

std::string task_type(const std::vector<CoreUse>& cores, const ChipNumbers& chip) {
    const bool vector = std::ranges::any_of(cores, &CoreUse::is_vector_core);
    const bool cube = !std::ranges::all_of(cores, &CoreUse::is_vector_core);
    if (!chip.split() || !vector) {
        return "AI_CORE";
    }
    return cube ? "MIX_AIC" : "AI_VECTOR_CORE";
}

// A task's columns of cores are means over its cores of that kind.
std::string mean(std::string_view column, const std::vector<CoreUse>& cores, const ChipNumbers& chip) {
    const std::string_view asked = column == "aicore_time(us)" ? "aic_time(us)" : column;
    double sum = 0;
    std::size_t count = 0;
    for (const CoreUse& core : cores) {
        const std::string value = core_value(asked, core, chip);
        if (value != "NA") {
            sum += std::stod(value);
            ++count;
        }
    }
    return count == 0
               ? "NA"
               : fmt::format("{:.3f}", asked.ends_with("cycles") ? sum : sum / static_cast<double>(count));
}

// Share of all cube cores' time, over the task, in which they ran a program.
std::string cube_utilization(const std::vector<CoreUse>& cores, const Task& task, const ChipNumbers& chip) {
    double cycles = 0;
    for (const CoreUse& core : cores) {
        cycles += core.is_vector_core() ? 0 : static_cast<double>(core.cycles);
    }
    const double all = static_cast<double>(task.end - task.start) * chip.cube_cores();
    return all > 0 ? fmt::format("{:.3f}", 100 * cycles / all) : "NA";
}

/// A type as the profiler writes it: "FLOAT16".
std::string profiler_type(const std::string& type) {
    if (type == "float32") {
        return "FLOAT";
    }
    if (type == "bfloat16") {
        return "DT_BF16";
    }
    std::string result;
    std::ranges::transform(type, std::back_inserter(result), [](unsigned char letter) {
        return static_cast<char>(std::toupper(letter));
    });
    return result == "BOOLEAN" ? "BOOL" : result;
}

/// Columns of the tensors that a run's metadata names: "8,8192;8,8192" for two inputs.
std::map<std::string_view, std::string> tensor_columns(const nlohmann::json& metadata) {
    std::map<std::string_view, std::string> columns;
    const nlohmann::json buffers =
        metadata.is_object() ? metadata.value("buffers", nlohmann::json::array()) : nlohmann::json::array();
    const auto append = [&columns](std::string_view column, const std::string& text) {
        const auto [entry, fresh] = columns.try_emplace(column, text);
        entry->second += fresh ? "" : ";" + text;
    };
    for (const nlohmann::json& buffer : buffers) {
        const std::string role = buffer.is_object() ? buffer.value("role", std::string{}) : std::string{};
        if (role != "input" && role != "output" && role != "in_out") {
            continue;
        }
        const auto shape = buffer.value("shape", std::vector<std::uint64_t>{});
        const std::string extents = fmt::format("{}", fmt::join(shape, ","));
        const std::string type = profiler_type(buffer.value("type", std::string{}));
        if (role != "output") {
            append("Input Shapes", extents);
            append("Input Data Types", type);
            append("Input Formats", "ND");
        }
        if (role != "input") {
            append("Output Shapes", extents);
            append("Output Data Types", type);
            append("Output Formats", "ND");
        }
    }
    return columns;
}

std::filesystem::path write_op_summary(const std::filesystem::path& folder,
                                       const Recording& recording,
                                       const analysis::RunSummary& summary,
                                       const ChipNumbers& chip) {
    CsvFile file{folder / "op_summary.csv", op_summary_columns()};
    std::uint64_t last_end = 0;
    std::size_t number = 0;
    const std::map<std::string_view, std::string> tensors = tensor_columns(recording.metadata());
    for (const Task& task : tasks_of(recording, summary)) {
        const std::vector<CoreUse> cores = analysis::cores_of(recording, task.start, task.end);
        const std::string type = task_type(cores, chip);
        std::map<std::string_view, std::string> own{
            {"Device_id", "0"},
            {"Model ID", "4294967295"},
            {"Task ID", std::to_string(number++)},
            {"Stream ID", "0"},
            {"Op Name", task.name},
            {"OP Type", task.name},
            {"OP State", "static"},
            {"Task Type", type},
            {"Task Start Time(us)", fmt::format("{:.3f}", chip.us(static_cast<double>(task.start)))},
            {"Task Duration(us)", fmt::format("{:.3f}", chip.us(static_cast<double>(task.end - task.start)))},
            {"Task Wait Time(us)",
             fmt::format("{:.3f}",
                         chip.us(static_cast<double>(task.start - std::min(task.start, last_end))))},
            {"Block Dim", std::to_string(task.blocks)},
            {"Mix Block Dim", type == "MIX_AIC" ? std::to_string(task.blocks * 2) : "0"},
            {"cube_utilization(%)", cube_utilization(cores, task, chip)}};
        own.insert(tensors.begin(), tensors.end());
        std::vector<std::string> row;
        for (const std::string_view column : op_summary_columns()) {
            const auto found = own.find(column);
            const bool of_cores = column.starts_with("ai");
            row.push_back(found != own.end() ? found->second : of_cores ? mean(column, cores, chip) : "N/A");
        }
        file.write(row);
        last_end = task.end;
    }
    return file.finish();
}

std::filesystem::path write_basic(const std::filesystem::path& folder,
                                  const Recording& recording,
                                  const analysis::RunSummary& summary,
                                  const ChipNumbers& chip) {
    constexpr std::array<std::string_view, 9> columns{"Op Name",
                                                      "Op Type",
                                                      "Task Duration(us)",
                                                      "Block Dim",
                                                      "Mix Block Dim",
                                                      "Device Id",
                                                      "Pid",
                                                      "Current Freq",
                                                      "Rated Freq"};
    CsvFile file{folder / "OpBasicInfo.csv", columns};
    const std::string frequency = fmt::format("{:.0f}", chip.clock_ghz() * 1000);
    for (const Task& task : tasks_of(recording, summary)) {
        const std::string type = task_type(analysis::cores_of(recording, task.start, task.end), chip);
        file.write({task.name,
                    type,
                    fmt::format("{:.3f}", chip.us(static_cast<double>(task.end - task.start))),
                    std::to_string(task.blocks),
                    type == "MIX_AIC" ? std::to_string(task.blocks * 2) : "NA",
                    "0",
                    "0",
                    frequency,
                    frequency});
    }
    return file.finish();
}

}  // namespace

std::vector<std::filesystem::path> write_csv(const std::filesystem::path& folder,
                                             const Recording& recording,
                                             const analysis::RunSummary& summary) {
    std::error_code failure;
    std::filesystem::create_directories(folder, failure);
    if (failure) {
        throw UserError{"cannot make the folder {}: {}", folder.string(), failure.message()};
    }
    const ChipNumbers chip{recording.metadata()};
    std::vector<std::filesystem::path> files{write_op_summary(folder, recording, summary, chip),
                                             write_basic(folder, recording, summary, chip)};
    const std::vector<CoreUse> cores = analysis::cores_of(recording, 0, recording.cycles());
    for (const CsvTable& table : core_tables()) {
        const auto columns = chip.split() ? table.split : table.coupled;
        CsvFile file{folder / fmt::format("{}.csv", table.name), columns};
        for (const CoreUse& core : cores) {
            std::vector<std::string> row;
            for (const std::string_view column : columns) {
                row.push_back(core_value(column, core, chip));
            }
            file.write(row);
        }
        files.push_back(file.finish());
    }
    constexpr std::size_t stretches = 1000;
    if (const auto power = analysis::power_curve(recording, summary, stretches)) {
        static constexpr std::array<std::string_view, 4> columns{
            "Start Time(us)", "Duration(us)", "Power(W)", "Limit(W)"};
        CsvFile file{folder / "PowerOverTime.csv", columns};
        for (std::size_t i = 0; i < power->watts.size(); ++i) {
            file.write({fmt::format("{:.4f}", static_cast<double>(i) * power->stretch_us),
                        fmt::format("{:.4f}", power->stretch_us),
                        fmt::format("{:.3f}", power->watts[i]),
                        fmt::format("{:g}", power->limit_w)});
        }
        files.push_back(file.finish());
    }
    return files;
}

}  // namespace ascendsim::report
