// SPDX-License-Identifier: Apache-2.0
// What the profiler's columns mean, in terms of a core's spans.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "app/report/csv_columns.hpp"

namespace ascendsim::report {

namespace {

using analysis::ChipNumbers;
using analysis::CoreUse;
using analysis::PipeOfCore;
using analysis::RouteTraffic;

enum Route : std::size_t {
    gm_to_ub,
    gm_to_l1,
    gm_to_l1_nd2nz,
    gm_to_l0,
    ub_to_gm,
    l1_to_gm,
    l0c_to_gm,
    l0c_to_gm_nz2nd,
    scalar_read,
    scalar_write,
    l1_to_l0a,
    l1_to_l0b,
    l1_to_tables,
    l0c_to_l1
};

std::optional<Pipe> pipe_called(std::string_view word) {
    if (word == "vec" || word == "vector") {
        return Pipe::vector;
    }
    if (word == "mac") {
        return Pipe::cube;
    }
    const auto found = std::ranges::find(pipe_names, word);
    return found == pipe_names.end() ? std::nullopt
                                     : std::optional{static_cast<Pipe>(found - pipe_names.begin())};
}

class Values {
public:
    Values(const CoreUse& core, const ChipNumbers& chip) : core_{core}, chip_{chip} {}

    // `column` without "aic_" or "aiv_".
    [[nodiscard]] std::optional<std::string> of(std::string_view column) const {
        if (column == "time(us)") {
            return number(us(core_.cycles));
        }
        if (column == "total_cycles") {
            return std::to_string(core_.cycles);
        }
        if (auto value = stall(column)) {
            return value;
        }
        if (auto value = pipe(column)) {
            return value;
        }
        if (auto value = rate(column)) {
            return value;
        }
        return cache(column);
    }

    // Columns without a core's prefix.
    [[nodiscard]] std::optional<std::string> plain(std::string_view column) const {
        if (column == "read_main_memory_datas(KB)") {
            return kilobytes(sum({gm_to_ub, gm_to_l1, gm_to_l1_nd2nz, gm_to_l0}));
        }
        if (column == "write_main_memory_datas(KB)") {
            return kilobytes(sum({ub_to_gm, l1_to_gm, l0c_to_gm, l0c_to_gm_nz2nd}));
        }
        const auto words = column.find("_datas(KB)");
        const auto usage = column.find("_bw_usage_rate(%)");
        const std::string_view route = column.substr(0, std::min(words, usage));
        const auto [bytes, peak] = way(route);
        if (words != std::string_view::npos) {
            return kilobytes(bytes);
        }
        if (usage == std::string_view::npos || peak == 0 || core_.cycles == 0) {
            return std::nullopt;
        }
        return number(100 * static_cast<double>(bytes) / (peak * static_cast<double>(core_.cycles)));
    }

private:
    struct Way {
        std::uint64_t bytes;
        double peak;  // bytes per cycle
    };

    [[nodiscard]] Way way(std::string_view name) const {
        const double read = chip_.number("port.read_bytes_per_cycle", 0);
        const double write = chip_.number("port.write_bytes_per_cycle", 0);
        if (name == "GM_to_L1") {
            return {sum({gm_to_l1, gm_to_l1_nd2nz}), read};
        }
        if (name == "GM_to_UB") {
            return {sum({gm_to_ub}), read};
        }
        if (name == "UB_to_GM") {
            return {sum({ub_to_gm}), chip_.number("port.ub_write_bytes_per_cycle", write)};
        }
        if (name == "L0C_to_GM") {
            return {sum({l0c_to_gm, l0c_to_gm_nz2nd}), write};
        }
        return {sum({l0c_to_l1}), 0};
    }

    [[nodiscard]] std::uint64_t sum(std::initializer_list<Route> routes) const {
        std::uint64_t bytes = 0;
        for (const Route route : routes) {
            bytes += core_.routes[route].bytes;
        }
        return bytes;
    }

    [[nodiscard]] double us(std::uint64_t cycles) const { return chip_.us(static_cast<double>(cycles)); }

    static std::string number(double value) { return fmt::format("{:.6f}", value); }

    static std::string kilobytes(std::uint64_t bytes) { return number(static_cast<double>(bytes) / 1024); }

    [[nodiscard]] std::string ratio(std::uint64_t part) const {
        return number(core_.cycles == 0 ? 0 : static_cast<double>(part) / static_cast<double>(core_.cycles));
    }

    // Bytes over the core's time, GB/s decimal.
    [[nodiscard]] std::string over_time(std::uint64_t bytes) const {
        return number(core_.cycles == 0 ? 0 : static_cast<double>(bytes) / us(core_.cycles) / 1e3);
    }

    // The same in units of 2^30 bytes, as the profiler has it of the unified buffer: for 8192 bytes
    // in 7.456666 us a published example says 1.023164 (msprof's guide, MemoryUB.csv of an Add on eight
    // cores).
    [[nodiscard]] std::string in_binary(std::uint64_t bytes) const {
        constexpr double binary = 0x1p30 / 1e9;
        return number(core_.cycles == 0 ? 0 : static_cast<double>(bytes) / us(core_.cycles) / 1e3 / binary);
    }

    [[nodiscard]] std::optional<std::string> stall(std::string_view column) const {
        constexpr std::string_view begin = "scalar_";
        constexpr std::string_view end = "_stall_time(us)";
        if (column == "scalar_wait_time(us)") {
            const PipeOfCore& scalar = core_[Pipe::scalar];
            return number(us(scalar.waiting() - scalar.cycles[record::Reason::queue_full]));
        }
        if (!column.starts_with(begin) || !column.ends_with(end)) {
            return std::nullopt;
        }
        const auto pipe = pipe_called(column.substr(begin.size(), column.size() - begin.size() - end.size()));
        return pipe ? std::optional{number(us(core_.queue_full_cycles[index(*pipe)]))} : std::nullopt;
    }

    [[nodiscard]] std::optional<std::string> pipe(std::string_view column) const {
        const auto underscore = column.find('_');
        const auto which = pipe_called(column.substr(0, underscore));
        if (!which || underscore == std::string_view::npos) {
            return std::nullopt;
        }
        const PipeOfCore& pipe = core_[*which];
        const std::string_view what = column.substr(underscore + 1);
        if (what == "time(us)") {
            return number(us(pipe.active_cycles));
        }
        if (what == "ratio") {
            return ratio(pipe.active_cycles);
        }
        if (what == "wait_ratio") {
            // What is not active: a pipe's two ratios have the same cycles as their whole. One that did
            // nothing at all waited for nothing.
            return ratio(pipe.used ? core_.cycles - std::min(core_.cycles, pipe.active_cycles) : 0);
        }
        if (what == "instructions" || what == "total_instr_number") {
            return std::to_string(pipe.instructions);
        }
        if (what == "active_bw(GB/s)") {
            const double time = us(pipe.active_cycles);
            return number(time > 0 ? static_cast<double>(pipe.bytes) / time / 1e3 : 0);
        }
        if (what == "fops") {
            return std::to_string(pipe.work * (*which == Pipe::cube ? 2 : 1));
        }
        if (what == "total_cflt_ratio" || what == "bank_cflt_ratio") {
            return ratio(pipe.conflict_cycles);
        }
        return std::nullopt;
    }

    [[nodiscard]] std::optional<std::string> rate(std::string_view column) const {
        if (column == "main_mem_read_bw(GB/s)") {
            return over_time(sum({gm_to_ub, gm_to_l1, gm_to_l1_nd2nz, gm_to_l0}));
        }
        if (column == "main_mem_write_bw(GB/s)") {
            return over_time(sum({ub_to_gm, l1_to_gm, l0c_to_gm, l0c_to_gm_nz2nd}));
        }
        if (column == "l1_read_bw(GB/s)") {
            return over_time(sum({l1_to_l0a, l1_to_l0b, l1_to_tables, l1_to_gm}));
        }
        if (column == "l1_write_bw(GB/s)") {
            return over_time(sum({gm_to_l1, gm_to_l1_nd2nz, l0c_to_l1}));
        }
        if (column == "gm_to_ub_bw(GB/s)") {
            return over_time(sum({gm_to_ub}));
        }
        if (column == "ub_to_gm_bw(GB/s)") {
            return over_time(sum({ub_to_gm}));
        }
        if (column == "l0a_write_bw(GB/s)") {
            return over_time(sum({l1_to_l0a}));
        }
        if (column == "l0b_write_bw(GB/s)") {
            return over_time(sum({l1_to_l0b}));
        }
        if (column == "ub_write_bw_vector(GB/s)") {
            return in_binary(core_[Pipe::vector].bytes);
        }
        if (column == "ub_read_bw_vector(GB/s)") {
            const PipeOfCore& vector = core_[Pipe::vector];
            return vector.read_known ? std::optional{in_binary(vector.read_bytes)} : std::nullopt;
        }
        if (column == "l0c_write_bw_cube(GB/s)") {
            return over_time(core_[Pipe::cube].bytes);
        }
        return std::nullopt;
    }

    // L2 counts in its own lines, and its rates are those of its counts; the model has one read channel where
    // the chip counts two.
    [[nodiscard]] std::optional<std::string> cache(std::string_view column) const {
        const L2Lines read = l2_lines(false);
        const L2Lines write = l2_lines(true);
        const auto share = [](std::uint64_t hits, std::uint64_t misses) {
            const std::uint64_t all = hits + misses;
            return number(all == 0 ? 0 : 100 * static_cast<double>(hits) / static_cast<double>(all));
        };
        if (column == "write_cache_hit") {
            return std::to_string(write.hits);
        }
        if (column == "write_cache_miss_allocate") {
            return std::to_string(write.misses);
        }
        if (column == "r0_read_cache_hit") {
            return std::to_string(read.hits);
        }
        if (column == "r0_read_cache_miss_allocate") {
            return std::to_string(read.misses);
        }
        if (column == "write_hit_rate(%)") {
            return share(write.hits, write.misses);
        }
        if (column == "read_hit_rate(%)") {
            return share(read.hits, read.misses);
        }
        if (column == "total_hit_rate(%)" || column == "l2_cache_hit_rate(%)") {
            return share(read.hits + write.hits, read.misses + write.misses);
        }
        return std::nullopt;
    }

    struct L2Lines {
        std::uint64_t hits = 0;
        std::uint64_t misses = 0;
    };

    // A part of a line counts as one.
    [[nodiscard]] L2Lines l2_lines(bool writes) const {
        const auto [bytes, hit_bytes] = l2_traffic(writes);
        const auto line = static_cast<std::uint64_t>(std::max(1.0, chip_.number("l2.line", 512)));
        return {(hit_bytes + line - 1) / line, (bytes - hit_bytes + line - 1) / line};
    }

    struct L2Traffic {
        std::uint64_t bytes = 0;
        std::uint64_t hit_bytes = 0;
    };

    // What the core's routes to (`writes`) or from global memory moved.
    [[nodiscard]] L2Traffic l2_traffic(bool writes) const {
        L2Traffic all;
        for (std::size_t route = 0; route < analysis::gm_route_count; ++route) {
            const RouteTraffic& traffic = core_.routes[route];
            if (analysis::writes_gm(route) == writes) {
                all.bytes += traffic.bytes;
                all.hit_bytes += std::min(traffic.bytes, traffic.l2_hit_bytes);
            }
        }
        return all;
    }

    const CoreUse& core_;
    const ChipNumbers& chip_;
};

}  // namespace

std::string core_value(std::string_view column, const CoreUse& core, const ChipNumbers& chip) {
    constexpr std::size_t prefix = 4;
    if (column == "block_id") {
        return std::to_string(core.group);
    }
    if (column == "sub_block_id") {
        return fmt::format("{}{}", core.is_vector_core() ? "vector" : "cube", core.sub);
    }
    const Values values{core, chip};
    if (!column.starts_with("aic_") && !column.starts_with("aiv_")) {
        return values.plain(column).value_or("NA");
    }
    const bool of_vector_core = column.starts_with("aiv_");
    return of_vector_core == core.is_vector_core() ? values.of(column.substr(prefix)).value_or("NA") : "NA";
}

}  // namespace ascendsim::report
