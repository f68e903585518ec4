// SPDX-License-Identifier: Apache-2.0
#include "app/networks/compression/compression.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ostream>
#include <vector>

#include <fmt/ostream.h>

#include "app/report/style.hpp"
#include "kernels/plan/npy.hpp"
#include "networks/run/numbers.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::report {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

std::vector<double> elements_in(const fs::path& file) {
    const host::NpyArray array = host::read_npy(file);
    return networks::elements_of(array.type, array.bytes, host::elements(array.shape));
}

ordered_json difference_of(const std::string& output,
                           const std::vector<double>& before,
                           const std::vector<double>& after) {
    check(before.size() == after.size(),
          "{} elements of '{}' before, {} after",
          before.size(),
          output,
          after.size());
    double squares = 0;
    double other_squares = 0;
    double product = 0;
    double error = 0;
    double largest = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
        const double apart = after[i] - before[i];
        squares += before[i] * before[i];
        other_squares += after[i] * after[i];
        product += before[i] * after[i];
        error += apart * apart;
        largest = std::max(largest, std::abs(apart));
    }
    const double whole = std::sqrt(squares);
    const double both = whole * std::sqrt(other_squares);
    const double root_mean_square =
        whole / std::sqrt(static_cast<double>(std::max<std::size_t>(1, before.size())));
    return {{"output", output},
            {"relative_error", whole > 0 ? std::sqrt(error) / whole : 0},
            {"largest_error", root_mean_square > 0 ? largest / root_mean_square : 0},
            {"cosine", both > 0 ? product / both : 1}};
}

ordered_json totals_of(const NetworkRun& run) {
    const ordered_json figures = to_json(run);
    return {{"time_us", figures["totals"]["time_us"]},
            {"weight_bytes", figures["memory"]["weight_bytes"]},
            {"hbm_bytes", figures["totals"]["hbm_bytes"]},
            {"flops", figures["totals"]["flops"]}};
}

}  // namespace

networks::Compression compression_of(const std::string& quantise, const std::string& prune) {
    if (quantise != "none" && quantise != "int8") {
        throw UserError{"--quantise {}: none or int8", quantise};
    }
    networks::Compression compression{.int8 = quantise == "int8"};
    if (prune == "4:2") {  // the cube has such weights as bytes alone
        compression.sparse = true;
        return compression;
    }
    constexpr std::uint32_t most = 64;
    const auto [end, error] = std::from_chars(prune.data(), prune.data() + prune.size(), compression.prune);
    if (error != std::errc{} || end != prune.data() + prune.size() || compression.prune == 0 ||
        compression.prune > most) {
        throw UserError{
            "--prune {}: a number N from 1 to {}, of which one channel stays, or 4:2", prune, most};
    }
    return compression;
}

ordered_json precision_of(const fs::path& before, const fs::path& after) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator{before}) {
        if (entry.path().extension() == ".npy") {
            files.push_back(entry.path().filename());
        }
    }
    std::ranges::sort(files);
    ordered_json list = ordered_json::array();
    for (const fs::path& file : files) {
        list.push_back(
            difference_of(file.stem().string(), elements_in(before / file), elements_in(after / file)));
    }
    return list;
}

ordered_json compression_json(const networks::CompressedNetwork& network,
                              const NetworkRun& before,
                              const NetworkRun& after,
                              const ordered_json& precision) {
    ordered_json figures{{"quantised", network.quantised},
                         {"sparse", network.sparse},
                         {"pruned", network.pruned},
                         {"before", totals_of(before)},
                         {"after", totals_of(after)}};
    const double time_us = figures["after"]["time_us"];
    figures["gain"] = time_us > 0 ? figures["before"]["time_us"].get<double>() / time_us : 1;
    if (!precision.is_null()) {
        figures["precision"] = precision;
    }
    return figures;
}

void print_compression(std::ostream& out, const ordered_json& compression) {
    const ordered_json& before = compression["before"];
    const ordered_json& after = compression["after"];
    fmt::print(out,
               "  smaller     {} product{} of bytes, {} pruned weight tensors: {} instead of {}, {:.2f}x; "
               "weights {} "
               "instead of {}\n",
               compression["quantised"].size(),
               compression["quantised"].size() == 1 ? "" : "s",
               compression["pruned"].size(),
               time_text(after["time_us"]),
               time_text(before["time_us"]),
               compression["gain"].get<double>(),
               bytes_text(after["weight_bytes"].get<double>()),
               bytes_text(before["weight_bytes"].get<double>()));
    if (compression.contains("precision")) {
        for (const ordered_json& one : compression["precision"]) {
            fmt::print(
                out,
                "              '{}' is off by {} of its root mean square ({} at most, cosine {:.6f})\n",
                one["output"].get<std::string>(),
                percent_text(one["relative_error"]),
                percent_text(one["largest_error"]),
                one["cosine"].get<double>());
        }
    }
}

}  // namespace ascendsim::report
