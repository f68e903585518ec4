// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <regex>

#include <fmt/format.h>

#include "app/studies/batch.hpp"
#include "app/validation/ladders.hpp"
#include "app/validation/repeats.hpp"
#include "app/validation/report.hpp"
#include "sim/config/table_reader.hpp"

namespace ascendsim::validation {
namespace {

constexpr double far_off = 0.4;  // beyond it a row needs a diagnosis

/// Reasons from diagnoses.toml.
class Diagnoses {
public:
    explicit Diagnoses(const std::filesystem::path& file) {
        TableReader root = TomlFile::open(file).reader();
        for (TableReader& table : root.tables("diagnosis")) {
            Rule rule;
            const Node pattern = table.require("row");
            try {
                rule.row = std::regex{pattern.as<std::string>(), std::regex::ECMAScript | std::regex::icase};
            } catch (const std::regex_error&) {
                throw pattern.error("is no regular expression");
            }
            rule.sign = table.choice("sign", {"any", "fast", "slow"});
            rule.why = table.get<std::string>("why");
            table.finish();
            rules_.push_back(std::move(rule));
        }
        root.finish();
    }

    [[nodiscard]] std::string of(const JudgedRow& row) const {
        const Measurement& given = row.measurement;
        const std::string text = fmt::format("{} {} {} {} {} {} {}",
                                             given.id,
                                             row.family,
                                             given.kernel,
                                             given.shape,
                                             given.dtype,
                                             given.metric,
                                             given.notes);
        const std::string sign = row.us().error() < 0 ? "fast" : "slow";
        for (const Rule& rule : rules_) {
            if ((rule.sign == "any" || rule.sign == sign) && std::regex_search(text, rule.row)) {
                return rule.why;
            }
        }
        return "Not understood. " + row.cause + ".";
    }

private:
    struct Rule {
        std::regex row;
        std::string sign;
        std::string why;
    };

    std::vector<Rule> rules_;
};

std::string cell(std::string text) {
    for (char& letter : text) {
        letter = letter == '|' || letter == '\n' ? '/' : letter;
    }
    return text;
}

std::string fit_line(const std::string& title, std::size_t rows, const Fit& fit) {
    if (fit.cases == 0) {
        return fmt::format("| {} | {} | 0 | | | | | |\n", title, rows);
    }
    return fmt::format("| {} | {} | {} | {:.1f} | {:.1f} | {:.1f} | {:+.1f} | {} |\n",
                       title,
                       rows,
                       fit.cases,
                       100 * fit.mape,
                       100 * fit.median_ape,
                       100 * fit.p90_ape,
                       100 * fit.bias,
                       fit.cases > 1 ? fmt::format("{:.2f}", fit.kendall) : std::string{});
}

std::string tables(const Validation& validation) {
    std::string text;
    for (const SourceClass which : {SourceClass::known_source, SourceClass::black_box}) {
        text += which == SourceClass::known_source
                    ? "\n### Known source\n\nKernel and tiling are published; the same schedule runs here.\n"
                    : "\n### Black box\n\nA library's kernel of which shape and time are known; ours stands "
                      "in for it.\n";
        text +=
            "\n| family | rows | ran | mean % | median % | P90 % | bias % | Kendall "
            "|\n|---|--:|--:|--:|--:|--:|--:|--:|\n";
        for (const std::string& family : validation.families()) {
            const auto filter = [&](const JudgedRow& row) {
                return row.which == which && row.family == family;
            };
            if (validation.count(filter) > 0) {
                text += fit_line(family, validation.count(filter), validation.fit_of(filter));
            }
        }
        const auto all = [&](const JudgedRow& row) { return row.which == which; };
        text += fit_line("**all**", validation.count(all), validation.fit_of(all));
    }
    return text;
}

std::string pipes(const Validation& validation) {
    std::string text =
        "\n## Busy time of pipes\n\nWhere a source gives it, mean over the cores that used the pipe. As in "
        "the "
        "vendor's profiler, whose\npages say of mte1 alone that waiting is left out, an instruction counts "
        "from its start until its "
        "result is there;\nof waiting for the unit flag, Fixpipe's counts as its work, the cube's does "
        "not.\n";
    for (const SourceClass which : {SourceClass::known_source, SourceClass::black_box}) {
        text += which == SourceClass::known_source ? "\n### Of known source\n\n" : "\n### Of black boxes\n\n";
        text +=
            "| pipe | rows | ran | mean % | median % | P90 % | bias % | Kendall "
            "|\n|---|--:|--:|--:|--:|--:|--:|--:|\n";
        for (const auto& [pipe, pairs] : validation.pipes_of(which)) {
            text += fit_line(pipe, pairs.size(), fit(pairs));
        }
    }
    return text;
}

std::string far(const Validation& validation, const Diagnoses& diagnoses) {
    std::string text = fmt::format(
        "\n## Rows off by more than {:.0f} %, and why\n\n"
        "| row | kernel | shape | type | measured us | simulated us | error % | diagnosis |\n"
        "|---|---|---|---|--:|--:|--:|---|\n",
        100 * far_off);
    for (const JudgedRow& row : validation.rows) {
        if (!row.ran() || std::abs(row.us().error()) <= far_off) {
            continue;
        }
        const Measurement& given = row.measurement;
        text += fmt::format("| {} | {} | {} | {} | {:.2f} | {:.2f} | {:+.0f} | {} |\n",
                            given.id,
                            cell(given.kernel),
                            cell(given.shape),
                            cell(given.dtype),
                            row.us().measured,
                            row.us().simulated,
                            100 * row.us().error(),
                            cell(diagnoses.of(row)));
    }
    return text;
}

/// Whose rows are in the pairs that stand in the wrong order.
std::string order(const Validation& validation) {
    std::vector<const JudgedRow*> rows;
    for (const JudgedRow& row : validation.rows) {
        if (row.ran() && row.which == SourceClass::black_box) {
            rows.push_back(&row);
        }
    }
    std::map<std::string, std::size_t> in;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            const TimePair a = rows[i]->us();
            const TimePair b = rows[k]->us();
            if ((a.measured - b.measured) * (a.simulated - b.simulated) < 0) {
                ++wrong;
                const std::string& name = rows[i]->measurement.kernel;
                const std::string& other = rows[k]->measurement.kernel;
                ++in[name];
                in[other] += name != other ? 1U : 0U;
            }
        }
    }
    std::vector<std::pair<std::string, std::size_t>> most{in.begin(), in.end()};
    std::ranges::stable_sort(most, std::greater{}, &std::pair<std::string, std::size_t>::second);
    most.resize(std::min<std::size_t>(most.size(), 12));
    std::string text = fmt::format(
        "\n## Pairs in the wrong order\n\nOf {} pairs of black box rows {} stand in the wrong order, which "
        "is what Kendall counts. "
        "These kernels'\nrows are in most of them.\n\n| kernel | of the wrong pairs % |\n|---|--:|\n",
        rows.size() * (rows.size() - 1) / 2,
        wrong);
    for (const auto& [name, pairs] : most) {
        text += fmt::format(
            "| {} | {:.1f} |\n", cell(name), 100.0 * static_cast<double>(pairs) / static_cast<double>(wrong));
    }
    return text;
}

std::string not_run(const Validation& validation) {
    std::map<std::string, std::vector<std::string>> reasons;
    for (const JudgedRow& row : validation.rows) {
        if (!row.ran()) {
            reasons[row.why_not].push_back(row.measurement.id);
        }
    }
    std::string text = "\n## What did not run\n\n| rows | reason | which |\n|--:|---|---|\n";
    for (const auto& [reason, ids] : reasons) {
        std::string list;
        for (const std::string& id : ids) {
            list += (list.empty() ? "" : ", ") + id;
        }
        text += fmt::format("| {} | {} | {} |\n", ids.size(), cell(reason), list);
    }
    return text;
}

constexpr std::string_view method = R"(# Fidelity: simulated against published silicon

Generated by `ascendsim validate --document docs`; do not edit. The rows are `scenarios/measurements/measurements.csv`,
transcribed from public repositories, vendor samples, profiler exports and papers; judged are those of reliability
*high* on 910B1 to 910B4, `--all` takes every row.

## Method

- A row's kernel, shape, type and chip become a run of one of our Ascend C kernels (`app/validation/families`), in
  timing mode, with the schedule the source states, or the one our tiling chooses where it states none. A row that does
  not run says why.
- The error is simulated over measured time, less one. `task_duration` and `kernel_time` stand against the whole task,
  launch included; `aic_time` and its like against the time between the first core's start and the last one's end; ticks
  are 20 ns; a rate is turned into the time its work takes.
- What L2 holds, and how long the host takes where it measures by its own clock, `scenarios/measurements/sources.toml` says of the
  source, never of a row.
- Errors follow from mechanisms and the chip's parameters alone. No row has a knob of its own.
- P90 is by nearest rank, Kendall is tau-b over all pairs of rows.
- [Calibration](calibration.md), written by `bench/calibrate`: calibrated parameters, what another value of them would give,
  and each family predicted without its rows.
)";

constexpr std::string_view limits = R"(
## What is not modelled

- Transfers between chips, the host, the AI CPU, and what lies between two tasks in a stream.
- Copies that the host's runtime makes on copy engines (SDMA): torch device copies.
- The cube core's polling for messages of its vector cores in kernels of both kinds, which the profiler counts as scalar time
  (352 of 366 us in FA-082), and what it adds to QGEMM-003.
- 310P3: of its 30 rows, all of reliability medium or low, none can be run: 16 are a host's time for launch and
  synchronisation, 8 W8A16 products, which have no kernel for coupled cores, 5 whole networks by the host's clock, and one
  needs copies with padding, which the chip lacks (`ascendsim validate --all --chip 310p3` lists them).
- Differences between cores by their place on the chip, clock changes by power or temperature, refresh of memory.
- Data-dependent time, except where a kernel's own program depends on its data.
- A library's own tiling: where it is not published, ours is what a competent engineer would choose, and may be better
  or worse. Scalar work of template libraries is known only where a source gives its scalar time.
- The scalar core's instruction set: a kernel's arithmetic between calls is counted on what LLVM leaves of it for the host, a
  cycle an instruction, 21 a division. VEC-002, an addition element by element, comes out within 1 % that way, 11 % short without.

## What was tried and does not hold

- Memory that answers after 600 cycles instead of 347: attention that reads its cache (median 15 to 8 %) and products past L2
  fit better, but copies of 128 B (BW-001, -5 to +68 %), one core's stream (VEC-003, +5 to +38 %) and the shortest operators
  (mean 17 to 27 %) contradict it. What it stood for is how long reads queue where memory is busy, which is modelled since.
- The constant of 9 to 17 us that short prefill showed (FA-058, FA-067, FA-071), by code that is fetched: three times the
  code, 480 B a call, adds 1 us. The library's prompt attention has vector cores ask for each product by messages; run that
  way, the rows are 3 to 16 % short instead of 24 to 42 %.
- The same for two queries of shared key heads (FAD-030), as the published routing has it: 912 us for 443 measured.
- 37 B a cycle for a core past L2 (S8) instead of 45.6 (S6): VEC-003 +5 to +16 %, others gain less than a point.
- The constant of 5 to 7 us that small shapes of swi_glu, moe_finalize_routing, moe_gating and rms_norm showed, by code that is
  fetched: it would take 2 to 10 KB for each call. By the size of their tiling: published structs have 56 to 240 B, two to four
  lines. By the kind of their launch: kernels with and without a stated kind show it alike. It follows whether the source keeps
  its TPipe within an object, sets it up in the entry function (1 to 2 us) or has none, and is charged as lines of a stack since.
- Repeats of one instruction that wait for each other's results, 8 to 11 cycles: fits the 15 to 20 % that
  add_rms_norm_dynamic_quant lacks at every width, but dynamic_quant folds rows with the same instruction and would be 60 % too
  slow at 8192 x 8192.
- The gate of a mixture of experts in the order of the library's source: 4.6 instead of 5.6 us for 14 measured (IDX-013).
- L2 as a network leaves it, a quarter dirty, for the vendor's samples instead of what the run before left: copies (7.4 to 3.4 %)
  and reformatting (+26 to -2 %) fit better, additions and GELU worse (5.4 to 8.4 %). Full of dirty lines, as a memset leaves it,
  for the operators of cann-bench, whose flush is a product and a reduction: mean 22 to 33 %.
- A vector queue of 32 instead of 16: flash attention of known source 10.5 to 6.9 %, but softmax, ApplyAdamW and quantisation of
  the library 5 to 20 % shorter, and they are short already.
- Whole lines of L2 on every miss, not quarters: half lines that 6 to 16 cores read of int8 weights would take as long as measured
  (QGEMM-008 to -015), but copies in steps (L2-001 to -008) go from 10 to 43 % and BW from 7 to 16 %.
- Runs of tiles that follow each other for each core, as the library's quantised product deals them: within 4 % of bands, which
  share L2 as well; blocks of 128 x 256 are what counts (QGEMM-028, -029: 25 to 1 %).
- The tile library's TopK (IDX-001, IDX-004) in its published order, two rows at a time and copied back after each merge: still 27 %
  short. Merges at 1.5 cycles a pair would fit its vector time; they take 0.6 isolated (S7), and 1 here fits TopKV2. Each of its
  copies takes 0.75 us in and 0.33 us out whatever its bytes (4 or 8 KiB), 0.25 to 0.35 and 0.1 here: nothing modelled does that.
- The tile library's samples with L2 warm: the program beside each launches once, on inputs that come from the host. Cold, loads of its
  convolutions go from -25 to -8 %, its product of 1536 (GEMM-043) from -22 to +3 %.
- Two chunks of int8 weights in L1 for products of few rows: all 14 rows 15 % short on average instead of 5 %.
- Latent attention of as many sequences as cores, split as finely as the published code deals out blocks of keys: FAD-003, FAD-010
  16 to 20 % short instead of 5 to 13 %, FAD-005 and -006 closer; what is missing everywhere is not in the split.
- Instructions being fetched counted as work of the scalar unit: the add ladder would gain 1.4 us a core of the 0.7 to 2.4 it lacks
  (VEC-005 to -008), but LAUNCH-052 to -054, three fetches, would have 0.66 us for 0.27 measured.
- Inputs of a network's operators that the operator before has just written: the truth lies between that and what is assumed.
)";

}  // namespace

void write_document(const Validation& validation,
                    const std::filesystem::path& folder,
                    const host::Installation& installation) {
    const Diagnoses diagnoses{installation.measurements() / "diagnoses.toml"};
    study::make_folder(folder / "images");
    study::write_file(folder / "images" / "fidelity.svg", scatter_svg(validation));
    std::string text{method};
    text += "\n## Errors\n\n![Simulated over measured time](images/fidelity.svg)\n";
    text += tables(validation) + pipes(validation);
    text += ladders_markdown(validation, read_ladders(installation.measurements() / "ladders.toml"));
    text +=
        repeats_markdown(validation) + order(validation) + far(validation, diagnoses) + not_run(validation);
    study::write_file(folder / "fidelity.md", text + std::string{limits});
}

}  // namespace ascendsim::validation
