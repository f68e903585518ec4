// SPDX-License-Identifier: Apache-2.0
#include "app/validation/serving/row_load.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "sim/base/lower_case.hpp"

namespace ascendsim::validation {

std::optional<double> tokens_at(std::string_view text, std::size_t& at) {
    std::size_t end = at;
    while (end < text.size() &&
           (std::isdigit(static_cast<unsigned char>(text[end])) != 0 || text[end] == '.')) {
        ++end;
    }
    if (end == at || text[at] == '.') {
        return std::nullopt;
    }
    double value = 0;
    double unit = 0;
    for (std::size_t i = at; i < end; ++i) {
        if (text[i] == '.') {
            if (unit > 0) {
                return std::nullopt;
            }
            unit = 1;
            continue;
        }
        constexpr double ten = 10;
        unit = unit > 0 ? unit / ten : 0;
        value = unit > 0 ? value + (text[i] - '0') * unit : value * ten + (text[i] - '0');
    }
    if (end < text.size() && (text[end] == 'k' || text[end] == 'K')) {
        constexpr double thousand = 1000;  // as the benchmarks' own names: 3.5k is 3500
        value *= thousand;
        ++end;
    } else if (end < text.size() && text[end] == 'M') {
        constexpr double million = 1e6;
        value *= million;
        ++end;
    }
    at = end;
    return value;
}

double part_number(const SystemRow& row, std::string_view word) {
    const std::string text = " " + row.shape;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        std::size_t place = at + word.size();
        const char before = at == 0 ? ' ' : text[at - 1];
        if (before != ' ' && before != '-' && before != '_') {
            continue;
        }
        if (place < text.size() && text[place] == ' ') {
            ++place;
        }
        if (const std::optional<double> value = tokens_at(text, place)) {
            return *value;
        }
    }
    return 0;
}

namespace {

/// "2048/2048", "1K+0.3K", wherever a word of the shape begins so; a word that is a number alone is a prompt.
std::pair<double, double> lengths_in(const std::string& shape) {
    double alone = 0;
    for (std::size_t word = 0; word < shape.size();) {
        std::size_t at = word;
        const std::optional<double> first = tokens_at(shape, at);
        if (first && at < shape.size() && (shape[at] == '/' || shape[at] == '+')) {
            ++at;
            return {*first, tokens_at(shape, at).value_or(0)};
        }
        alone = first && (at == shape.size() || shape[at] == ' ') && alone == 0 ? *first : alone;
        const std::size_t blank = shape.find(' ', word);
        word = blank == std::string::npos ? shape.size() : blank + 1;
    }
    return {alone, 0};
}

double requests_at_once(const SystemRow& row) {
    const double stated = std::max(part_number(row, "c"), part_number(row, "c<="));
    if (stated > 0) {
        return stated;
    }
    const std::size_t at = row.shape.rfind(" bs");  // the last: "bs400" is of the data set's name
    constexpr std::size_t skipped = 3;
    std::size_t place = at + skipped;
    return at == std::string::npos ? part_number(row, "b") : tokens_at(row.shape, place).value_or(0);
}

/// One of a static batch: no request follows another.
bool of_script(const SystemRow& row) {
    return row.category == "e2e_latency";
}

}  // namespace

RowLoad load_of_row(const SystemRow& row, const StatedLoad& stated) {
    // Steps where a row does not say how many: keys grow by one a step, and time with them. Of Qwen3-8B
    // behind 4096 tokens, 16 sequences, the mean of 64 steps is 0.8 % below that of 256, and 4 % below that
    // of 1024.
    constexpr double some = 64;
    RowLoad load;
    load.prompt = part_number(row, "in");
    load.output = part_number(row, "out");
    if (load.prompt == 0) {
        const auto [prompt, output] = lengths_in(row.shape);
        load.prompt = prompt;
        load.output = output > 0 ? output : load.output;
    }
    load.concurrency = requests_at_once(row);
    if (const double sequences = part_number(row, "gb"); sequences > 0) {
        const double keys = part_number(row, "seq");
        load = {.prompt = keys > 0 ? keys : load.prompt,
                .output = some,
                .concurrency = sequences,
                .computed = true};
    }
    load.count = part_number(row, "n");
    load.rate = part_number(row, "rate");
    load.prompt = load.prompt > 0 ? load.prompt : stated.prompt.value_or(0);
    load.output = load.output > 0 ? load.output : stated.output.value_or(0);
    load.concurrency = load.concurrency > 0 ? load.concurrency : stated.concurrency.value_or(0);
    load.count = load.count > 0 ? load.count : stated.count.value_or(0);
    load.rate = load.rate > 0 ? load.rate : stated.rate.value_or(0);
    load.prompt_spread = stated.prompt_spread.value_or(0);
    load.output_spread = stated.output_spread.value_or(0);
    load.prefix = load.prompt * part_number(row, "prefix") / 100;  // "prefix75": of the prompt, in percent
    load.prefix = load.prefix > 0 ? load.prefix : stated.prefix.value_or(0);
    if (of_script(row)) {
        const std::string metric = lower(row.metric);
        load.output = load.output > 0 ? load.output : metric == "prefill" ? 1 : some;
        // what such a script calls throughput is that of its decoding steps
        load.computed = load.computed || lower(row.unit).starts_with("tok/s");
        load.count = load.count > 0 || load.computed ? load.count : load.concurrency;
    }
    return load;
}

std::string RowLoad::table() const {
    // Where the number of requests is not stated, enough that most do not come with the first: of Qwen3-8B,
    // 16 at a time, four waves are within 0.3 % of the throughput of 64 and 2 % of their time of a token.
    // Time to the first token is 5 % more for prompts of 1024 tokens, and 60 % for 3500 (docs/serving.md).
    // In a static batch, every step has all sequences: where tokens are drafted, some end before others,
    // whose places are taken.
    constexpr double waves = 4;
    const double requests = count > 0              ? count
                            : computed && !drafted ? concurrency
                                                   : std::max(1.0, waves * concurrency);
    const double together = std::min(concurrency, requests);  // "16 at most" of eight
    return fmt::format(
        "[requests]\narrivals = \"closed\"\nrate = {}\nconcurrency = {:.0f}\ncount = {:.0f}\nprompt = "
        "{:.0f}\noutput = {:.0f}\nprompt_spread = {}\noutput_spread = {}\nprefix = {:.0f}\ncomputed = {}\n",
        rate,
        together,
        requests,
        prompt,
        output,
        prompt_spread,
        output_spread,
        prefix,
        computed);
}

}  // namespace ascendsim::validation
