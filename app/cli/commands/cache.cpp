// SPDX-License-Identifier: Apache-2.0
#include "toolchain/installation/cache.hpp"

#include <sstream>

#include <fmt/format.h>

#include "app/cli/command.hpp"
#include "app/report/style.hpp"
#include "sim/base/error.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::cli {
namespace {

class CacheCommand final : public Command {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "Show and clear compiled kernels and recent runs";
    }

    void declare(Options& options) override {
        options.flag("--clear", clear_, "delete everything");
        options.option(
            "--keep", keep_, "SIZE", "delete the least recently used files until SIZE is left, as in 500M");
    }

    [[nodiscard]] int run(const toolchain::Installation& /*installation*/) override {
        if (clear_ || !keep_.empty()) {
            const std::uintmax_t deleted =
                toolchain::trim_cache(clear_ ? 0 : size(), std::chrono::minutes{0});
            fmt::print("deleted {}\n", report::bytes_text(static_cast<double>(deleted)));
        }
        fmt::print("{} of at most {}; beyond that, the least recently used files are deleted\n",
                   toolchain::cache_folder().string(),
                   report::bytes_text(static_cast<double>(toolchain::cache_bound)));
        for (const toolchain::CachePart& part : toolchain::cache_parts()) {
            fmt::print("  {}{}{}  {}\n",
                       report::left(part.name, 10),
                       report::right(report::bytes_text(static_cast<double>(part.bytes)), 12),
                       report::right(fmt::format("{} files", part.files), 13),
                       part.meaning);
        }
        return exit_good;
    }

private:
    [[nodiscard]] std::uintmax_t size() const {
        std::istringstream text{keep_};
        double value = -1;
        std::string unit;
        text >> value;
        const bool number = !text.fail();
        text >> unit;
        const std::size_t power = unit.empty() ? 0 : std::string_view{"BKMG"}.find(unit.front());
        constexpr double most = 1e15;
        if (!number || value < 0 || power == std::string_view::npos || value > most) {
            throw UserError{"cache --keep {}: must be a size, as in 500M or 2G", keep_};
        }
        return static_cast<std::uintmax_t>(value * static_cast<double>(std::uintmax_t{1} << (10 * power)));
    }

    bool clear_ = false;
    std::string keep_;
};

}  // namespace

std::unique_ptr<Command> make_cache() {
    return std::make_unique<CacheCommand>();
}

}  // namespace ascendsim::cli
