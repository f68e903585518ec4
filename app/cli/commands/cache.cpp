// SPDX-License-Identifier: Apache-2.0
#include "toolchain/installation/cache.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/command.hpp"
#include "app/cli/limits.hpp"
#include "app/cli/text_output.hpp"
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
        options.output("--json", json_, Output::file, "FILE", "write JSON");
    }

    [[nodiscard]] int run(const toolchain::Installation& /*installation*/) override {
        std::optional<std::uintmax_t> deleted;
        if (clear_ || !keep_.empty()) {
            if (static_cast<void>(toolchain::cache_folder()); toolchain::has_private_cache()) {
                throw UserError{"cache {}: the cache cannot be written, so nothing was deleted",
                                clear_ ? "--clear" : "--keep"};
            }
            deleted =
                toolchain::trim_cache(clear_ ? 0 : size_of("cache --keep", keep_), std::chrono::minutes{0});
        }
        const std::vector<toolchain::CachePart> parts = toolchain::cache_parts();
        write_json(json_, "cache", json_of(parts, deleted));
        if (!takes_standard_output({json_})) {
            print(parts, deleted);
        }
        return exit_good;
    }

private:
    static void print(const std::vector<toolchain::CachePart>& parts,
                      const std::optional<std::uintmax_t>& deleted) {
        if (deleted) {
            say(fmt::format("deleted {}\n", report::bytes_text(static_cast<double>(*deleted))));
        }
        say(fmt::format("{} of at most {}; beyond that, the least recently used files are deleted\n",
                        toolchain::cache_folder().string(),
                        report::bytes_text(static_cast<double>(toolchain::cache_bound))));
        for (const toolchain::CachePart& part : parts) {
            say(fmt::format("  {}{}{}  {}\n",
                            report::left(part.name, 10),
                            report::right(report::bytes_text(static_cast<double>(part.bytes)), 12),
                            report::right(fmt::format("{} files", part.files), 13),
                            part.meaning));
        }
    }

    [[nodiscard]] static nlohmann::ordered_json json_of(const std::vector<toolchain::CachePart>& parts,
                                                        const std::optional<std::uintmax_t>& deleted) {
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        std::uintmax_t bytes = 0;
        for (const toolchain::CachePart& part : parts) {
            list.push_back({{"name", part.name},
                            {"meaning", part.meaning},
                            {"files", part.files},
                            {"bytes", part.bytes}});
            bytes += part.bytes;
        }
        return {{"folder", toolchain::cache_folder().string()},
                {"bytes", bytes},
                {"bound_bytes", toolchain::cache_bound},
                {"deleted_bytes", deleted ? nlohmann::ordered_json(*deleted) : nullptr},
                {"parts", std::move(list)}};
    }

    bool clear_ = false;
    std::string keep_;
    std::string json_;
};

}  // namespace

std::unique_ptr<Command> make_cache() {
    return std::make_unique<CacheCommand>();
}

}  // namespace ascendsim::cli
