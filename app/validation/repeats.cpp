// SPDX-License-Identifier: Apache-2.0
#include "app/validation/repeats.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "app/validation/row.hpp"

namespace ascendsim::validation {
namespace {

std::string work_of(const JudgedRow& judged) {
    const Measurement& given = judged.measurement;
    const ShapeText shape = parse_shape(given.shape);
    const auto elements = shape.elements();
    const std::string size = elements && shape.named.empty()
                                 ? fmt::format("{} of {}", shape.arguments.size(), *elements)
                                 : given.shape;
    return fmt::format("{}|{}|{}|{}|{}", judged.chip, lower(given.kernel), given.metric, given.dtype, size);
}

Repeats repeats_of(const std::string& family, const std::vector<const JudgedRow*>& rows) {
    std::map<std::string, std::vector<double>> works;
    for (const JudgedRow* row : rows) {
        works[work_of(*row)].push_back(row->us().measured);
    }
    Repeats result{.family = family, .rows = rows.size()};
    std::vector<TimePair> known;
    for (const auto& [work, times] : works) {
        double mean = 0;
        for (const double time : times) {
            mean += time / static_cast<double>(times.size());
        }
        for (const double time : times) {
            known.push_back({time, mean});
            result.repeating += times.size() > 1 ? 1U : 0U;
            result.spread += std::abs(time / mean - 1);
        }
    }
    result.spread /= static_cast<double>(std::max<std::size_t>(result.repeating, 1));
    result.kendall = kendall(known);
    return result;
}

}  // namespace

std::vector<Repeats> repeats_of(const Validation& validation) {
    std::vector<Repeats> result;
    for (const std::string& family : validation.families()) {
        std::vector<const JudgedRow*> rows;
        for (const JudgedRow& row : validation.rows) {
            if (row.ran() && row.family == family && row.which == SourceClass::black_box) {
                rows.push_back(&row);
            }
        }
        const Repeats repeats = repeats_of(family, rows);
        if (repeats.repeating > 0) {
            result.push_back(repeats);
        }
    }
    return result;
}

void add_standard_errors(Validation& validation) {
    std::map<std::string, std::vector<JudgedRow*>> works;
    for (JudgedRow& row : validation.rows) {
        if (row.measured_us && row.which == SourceClass::black_box) {  // others differ in their schedules
            works[fmt::format("{}|{}", name(row.which), work_of(row))].push_back(&row);
        }
    }
    for (const auto& [work, rows] : works) {
        const auto count = static_cast<double>(rows.size());
        if (rows.size() < 2) {
            continue;
        }
        double mean = 0;
        for (const JudgedRow* row : rows) {
            mean += *row->measured_us / count;
        }
        double squares = 0;
        for (const JudgedRow* row : rows) {
            squares += std::pow(*row->measured_us - mean, 2);
        }
        for (JudgedRow* row : rows) {
            row->standard_error = std::sqrt(squares / (count - 1)) / mean;
        }
    }
}

std::string repeats_markdown(const Validation& validation) {
    const std::vector<Repeats> all = repeats_of(validation);
    if (all.empty()) {
        return {};
    }
    std::string text =
        "\n## How well the measurements agree with each other\n\nBlack box rows are of the same work if they "
        "have the same chip, kernel, types, number of tensors and elements\nof the first tensor. *Spread* is "
        "the mean distance of such rows from the mean of their work. The last column\nis the Kendall of a "
        "simulator that gives this mean for each of them; one that tells rows of the same work\napart by "
        "their shape can be a little better.\n\n"
        "| family | rows | of repeated work | spread % | Kendall of the means |\n|---|--:|--:|--:|--:|\n";
    for (const Repeats& family : all) {
        text += fmt::format("| {} | {} | {} | {:.1f} | {:.2f} |\n",
                            family.family,
                            family.rows,
                            family.repeating,
                            100 * family.spread,
                            family.kendall);
    }
    return text;
}

}  // namespace ascendsim::validation
