// SPDX-License-Identifier: Apache-2.0
#include "app/validation/serving/model_names.hpp"

#include <cctype>

#include "sim/config/table_reader.hpp"

namespace ascendsim::validation {
namespace {

bool is_digit_at(std::string_view text, std::size_t at) {
    return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
}

/// Letters and digits alone, and what parts two numbers: "Qwen3-30B-A3B" and "qwen3_30b_a3b" are the same.
std::string plain_words(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool between = i > 0 && is_digit_at(text, i - 1) && is_digit_at(text, i + 1);
        if (std::isalnum(static_cast<unsigned char>(text[i])) != 0) {
            result += static_cast<char>(std::tolower(static_cast<unsigned char>(text[i])));
        } else if (between) {
            result += text[i] == '.' ? '.' : '-';
        }
    }
    return result;
}

/// True if the words hold the name whole: "v3" goes on in "v3.2", "7b" begins in front of itself in "27b",
/// and a model distilled from one is another.
bool holds(std::string_view words, std::string_view name) {
    for (std::size_t at = words.find(name); at != std::string_view::npos; at = words.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        const bool number_goes_on = is_digit_at(name, name.size() - 1) &&
                                    (is_digit_at(words, end) || words.substr(end).starts_with('.'));
        const bool begins = at == 0 || !is_digit_at(name, 0) || !is_digit_at(words, at - 1);
        const std::string_view behind = words.substr(end);
        if (begins && !number_goes_on && !behind.starts_with('.') && !behind.starts_with("distill")) {
            return true;
        }
    }
    return false;
}

}  // namespace

ModelNames::ModelNames(const std::filesystem::path& file) {
    const TomlFile toml = TomlFile::open(file);
    TableReader root = toml.reader();
    for (TableReader& table : root.tables("model")) {
        NamedModel& model = models_.emplace_back();
        model.file = table.get<std::string>("file");
        model.names = table.list<std::string>("names");
        (void)table.get<std::string>("source");
        table.finish();
    }
    root.finish();
}

const NamedModel* ModelNames::in(std::string_view words) const {
    const std::string text = plain_words(words);
    const NamedModel* best = nullptr;
    std::size_t length = 0;
    for (const NamedModel& model : models_) {
        for (const std::string& given : model.names) {
            const std::string name = plain_words(given);
            if (name.size() > length && holds(text, name)) {
                best = &model;
                length = name.size();
            }
        }
    }
    return best;
}

}  // namespace ascendsim::validation
