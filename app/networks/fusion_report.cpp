// SPDX-License-Identifier: Apache-2.0
#include "app/networks/fusion_report.hpp"

#include <algorithm>
#include <map>
#include <ostream>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "networks/loops/loops.hpp"
#include "sim/process/whole_file.hpp"

namespace ascendsim::report {
namespace {

using networks::Decision;
using nlohmann::ordered_json;

// The seed's estimate: fusing pays if it saves at least this part of the operators' traffic.
constexpr double rule_of_traffic = 0.3;

double saved(const Decision& decision) {
    return decision.apart_bytes == 0
               ? 0
               : 1 - static_cast<double>(decision.fused_bytes) / static_cast<double>(decision.apart_bytes);
}

ordered_json decision_json(const Decision& decision) {
    return {{"pattern", decision.pattern},
            {"kinds", decision.kinds},
            {"count", 1},
            {"taken", decision.taken},
            {"code", decision.code},
            {"text", decision.text},
            {"apart_us", decision.apart.time_us},
            {"fused_us", decision.fused.time_us},
            {"score", decision.score},
            {"apart_conversions_us", decision.apart_conversions_us},
            {"fused_conversions_us", decision.fused_conversions_us},
            {"apart_memory_bytes", decision.apart.memory_bytes},
            {"fused_memory_bytes", decision.fused.memory_bytes},
            {"traffic_saved", saved(decision)},
            {"estimate_says", saved(decision) >= rule_of_traffic},
            {"example", decision.nodes}};
}

/// Equal decisions as one.
ordered_json counted(const std::vector<Decision>& decisions) {
    ordered_json list = ordered_json::array();
    using Key = std::tuple<std::string, std::string, bool, double, double, std::string>;
    std::map<Key, std::size_t> places;
    for (const Decision& one : decisions) {
        const auto [place, is_new] = places.try_emplace(
            Key{one.pattern, one.kinds, one.taken, one.apart.time_us, one.fused.time_us, one.code},
            list.size());
        if (is_new) {
            list.push_back(decision_json(one));
        } else {
            ordered_json& count = list[place->second]["count"];
            count = count.get<std::uint64_t>() + 1;
        }
    }
    return list;
}

ordered_json not_joined_json(const std::vector<networks::NotJoined>& all) {
    std::map<std::tuple<std::string, std::string, std::string>, std::pair<std::size_t, std::string>> counts;
    for (const networks::NotJoined& one : all) {
        auto& [count, text] = counts[{one.from, one.to, one.code}];
        ++count;
        text = one.text;
    }
    std::vector<ordered_json> list;
    for (const auto& [key, value] : counts) {
        const auto& [from, to, code] = key;
        list.push_back(
            {{"from", from}, {"to", to}, {"code", code}, {"count", value.first}, {"text", value.second}});
    }
    std::ranges::stable_sort(list, std::ranges::greater{}, [](const ordered_json& one) {
        return one["count"].get<std::uint64_t>();
    });
    return list;
}

/// "Add + Mul + …" to `width`.
std::string fitted(const std::string& text, std::size_t width) {
    return text.size() <= width ? text : text.substr(0, width - 3) + "...";
}

/// What a decision joins: "attention: MatMul + Softmax + MatMul", or the operators alone.
std::string joined_text(const ordered_json& group) {
    const std::string pattern = group["pattern"];
    const std::string kinds = group["kinds"];
    return pattern.empty() ? kinds : fmt::format("{}: {}", pattern, kinds);
}

std::string signed_percent(double part, int digits) {
    return fmt::format("{:+.{}f} %", 100 * part, digits);
}

void print_groups(std::ostream& out, const ordered_json& groups, const char* heading) {
    fmt::print(out,
               "\n  {:<44}{:>6}{:>12}{:>12}{:>8}{:>9}{:>7}\n",
               heading,
               "count",
               "apart",
               "fused",
               "gain",
               "traffic",
               "score");
    for (const ordered_json& group : groups) {
        const double apart = group["apart_us"];
        const double fused = group["fused_us"];
        fmt::print(out,
                   "  {:<44}{:>6}{:>12}{:>12}{:>8}{:>9}{:>7.2f}\n",
                   fitted(joined_text(group), 43),
                   group["count"].get<std::uint64_t>(),
                   time_text(apart),
                   time_text(fused),
                   signed_percent(apart > 0 ? fused / apart - 1 : 0, 1),
                   signed_percent(-group["traffic_saved"].get<double>(), 0),
                   group["score"].get<double>());
        if (!group["text"].get<std::string>().empty()) {
            fmt::print(
                out, "      {}: {}\n", group["code"].get<std::string>(), group["text"].get<std::string>());
        }
        if (group["estimate_says"] != group["taken"] && apart > 0) {
            fmt::print(out,
                       "      the estimate (at least {:.0f} % of the traffic saved) says otherwise\n",
                       100 * rule_of_traffic);
        }
    }
}

/// "2 rewritings and 1 generated kernel save 12 us".
std::string fusion_verdict(const ordered_json& fusion) {
    std::uint64_t rewritings = 0;
    std::uint64_t kernels = 0;
    for (const ordered_json& group : fusion["fused"]) {
        (group["pattern"] == "" ? kernels : rewritings) += group["count"].get<std::uint64_t>();
    }
    const auto counted = [](std::uint64_t count, std::string_view one) {
        return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
    };
    if (rewritings + kernels == 0) {
        return fusion["refused"].empty() ? "nothing to join" : "nothing pays: all stays as it is";
    }
    std::string text;
    if (rewritings > 0) {
        text = counted(rewritings, "rewriting");
    }
    if (kernels > 0) {
        text += (text.empty() ? "" : " and ") + counted(kernels, "generated kernel");
    }
    const double gain = fusion["gain_us"];
    const bool one = rewritings + kernels == 1;
    return gain < 0 ? fmt::format("{} cost{} {}", text, one ? "s" : "", time_text(-gain))
                    : fmt::format("{} save{} {}", text, one ? "s" : "", time_text(gain));
}

}  // namespace

ordered_json fusion_json(const std::vector<Decision>& decisions,
                         const std::vector<networks::NotJoined>& not_joined) {
    ordered_json json{{"gain_us", 0.0},
                      {"fused", ordered_json::array()},
                      {"refused", ordered_json::array()},
                      {"not_joined", not_joined_json(not_joined)}};
    double gain = 0;
    for (const Decision& decision : decisions) {
        gain += decision.taken ? decision.apart.time_us - decision.fused.time_us : 0;
    }
    json["gain_us"] = gain;
    for (ordered_json& one : counted(decisions)) {
        json[one["taken"] == true ? "fused" : "refused"].push_back(std::move(one));
    }
    return json;
}

ordered_json search_json(const networks::TilingSearch& search, std::size_t budget) {
    ordered_json json{{"budget", budget},
                      {"simulations", search.simulations},
                      {"left", search.left},
                      {"gain_us", 0.0},
                      {"kernels", ordered_json::array()}};
    double gain = 0;
    for (const networks::SearchedKernel& kernel : search.kernels) {
        gain += kernel.gain_us();
        json["kernels"].push_back({{"problem", kernel.problem},
                                   {"count", kernel.count},
                                   {"tried", kernel.tried},
                                   {"before_us", kernel.before_us},
                                   {"after_us", kernel.after_us},
                                   {"tiling", kernel.tiling}});
    }
    json["gain_us"] = gain;
    return json;
}

void print_search(std::ostream& out, const ordered_json& search, const Style& style) {
    fmt::print(out,
               "\n  {}\n",
               toned(style,
                     Tone::strong,
                     fmt::format("search: other tilings save {}, in {} of {} simulations{}",
                                 time_text(search["gain_us"].get<double>()),
                                 search["simulations"].get<std::size_t>(),
                                 search["budget"].get<std::size_t>(),
                                 search["left"] == 0 ? ""
                                                     : fmt::format("; {} more tilings are left (--budget)",
                                                                   search["left"].get<std::size_t>()))));
    for (const ordered_json& one : search["kernels"]) {
        if (one["tiling"] != "") {
            fmt::print(out,
                       "    {} x {}: {} -> {} with {}\n",
                       one["count"].get<std::size_t>(),
                       one["problem"].get<std::string>(),
                       time_text(one["before_us"].get<double>()),
                       time_text(one["after_us"].get<double>()),
                       one["tiling"].get<std::string>());
        }
    }
}

bool note_wrong(const ordered_json& equality, std::map<std::string, std::string>& wrong) {
    const auto error = [](const ordered_json& value) {
        return value.is_number() ? fmt::format("{:.2g}", value.get<double>()) : value.get<std::string>();
    };
    bool more = false;
    for (const ordered_json& one : equality) {
        if (one["passed"] == false) {
            const std::string text = fmt::format(
                "{} loses it: '{}' is off by {} of its largest element, and apart by {}; {:.0e} "
                "more are allowed",
                one["op"].get<std::string>(),
                one["output"].get<std::string>(),
                error(one["fused_error"]),
                error(one["apart_error"]),
                one["allowed"].get<double>());
            more = wrong.try_emplace(one["output"], text).second || more;
        }
    }
    return more;
}

void print_fusion(std::ostream& out, const ordered_json& fusion, const Style& style) {
    fmt::print(
        out, "\n  {}\n", toned(style, Tone::strong, fmt::format("fusion: {}", fusion_verdict(fusion))));
    if (fusion.contains("search")) {
        print_search(out, fusion["search"], style);
    }
    if (!fusion["fused"].empty()) {
        print_groups(out, fusion["fused"], "fused");
    }
    if (!fusion["refused"].empty()) {
        print_groups(out, fusion["refused"], "simulated, and not taken");
    }
    if (!fusion["not_joined"].empty()) {
        fmt::print(out, "\n  not joined\n");
    }
    for (const ordered_json& one : fusion["not_joined"]) {
        fmt::print(out,
                   "    {} x {} -> {}: {}: {}\n",
                   one["count"].get<std::uint64_t>(),
                   one["from"].get<std::string>(),
                   one["to"].get<std::string>(),
                   one["code"].get<std::string>(),
                   one["text"].get<std::string>());
    }
}

void write_fused_kernels(const std::vector<Decision>& decisions,
                         const ChipSpec& chip,
                         const std::filesystem::path& folder) {
    std::set<std::string> written;
    for (const Decision& decision : decisions) {
        if (!decision.taken || decision.task.loop == nullptr) {
            continue;
        }
        const networks::loops::Kernel kernel =
            networks::loops::generate(*decision.task.loop, chip, decision.task.tiling);
        if (!written.insert(kernel.source + kernel.scenario).second) {
            continue;
        }
        const std::filesystem::path own = folder / fmt::format("{:02}_{}", written.size(), kernel.entry);
        std::error_code error;
        std::filesystem::create_directories(own, error);
        for (const auto& [suffix, text] :
             {std::pair{".cpp", &kernel.source}, std::pair{".toml", &kernel.scenario}}) {
            process::WholeFile file{own / (kernel.entry + suffix)};
            file.write(*text);
            file.finish();
        }
    }
}

}  // namespace ascendsim::report
