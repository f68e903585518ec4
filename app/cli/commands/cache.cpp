// SPDX-License-Identifier: Apache-2.0
#include "toolchain/installation/cache.hpp"

#include <fmt/format.h>

#include "app/cli/command.hpp"
#include "app/cli/limits.hpp"
#include "app/cli/text_output.hpp"
#include "app/report/style.hpp"
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
                toolchain::trim_cache(clear_ ? 0 : size_of("cache --keep", keep_), std::chrono::minutes{0});
            say(fmt::format("deleted {}\n", report::bytes_text(static_cast<double>(deleted))));
        }
        say(fmt::format("{} of at most {}; beyond that, the least recently used files are deleted\n",
                        toolchain::cache_folder().string(),
                        report::bytes_text(static_cast<double>(toolchain::cache_bound))));
        for (const toolchain::CachePart& part : toolchain::cache_parts()) {
            say(fmt::format("  {}{}{}  {}\n",
                            report::left(part.name, 10),
                            report::right(report::bytes_text(static_cast<double>(part.bytes)), 12),
                            report::right(fmt::format("{} files", part.files), 13),
                            part.meaning));
        }
        return exit_good;
    }

private:
    bool clear_ = false;
    std::string keep_;
};

}  // namespace

std::unique_ptr<Command> make_cache() {
    return std::make_unique<CacheCommand>();
}

}  // namespace ascendsim::cli
