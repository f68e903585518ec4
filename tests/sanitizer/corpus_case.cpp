// SPDX-License-Identifier: Apache-2.0
#include "tests/sanitizer/corpus_case.hpp"

#include <fstream>
#include <map>
#include <ostream>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace ascendsim::testing {
namespace {

using Labels = std::map<std::string, std::uint32_t>;

std::vector<std::string> words_of(const std::string& text) {
    std::istringstream stream{text};
    std::vector<std::string> words;
    for (std::string word; stream >> word;) {
        words.push_back(word);
    }
    return words;
}

std::vector<std::string> lines_of(const std::filesystem::path& file) {
    std::ifstream stream{file};
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

// The labels of the kernel whose body starts behind line `from`.
Labels labels_of(const std::vector<std::string>& lines, std::size_t from) {
    const std::regex label{R"(// @(\w+)$)"};
    Labels labels;
    std::smatch match;
    for (std::size_t i = from; i < lines.size() && lines[i] != "}"; ++i) {
        if (std::regex_search(lines[i], match, label)) {
            labels[match[1]] = static_cast<std::uint32_t>(i + 1);
        }
    }
    return labels;
}

Expected parse(const std::string& text, const Labels& labels) {
    const std::vector<std::string> words = words_of(text);
    Expected expected{.kind = words.at(0), .parties = {}};
    for (std::size_t i = 1; i < words.size(); ++i) {
        const std::size_t at = words[i].find('@');
        expected.parties.push_back(
            {.pipe = words[i].substr(0, at),
             .line = at == std::string::npos ? 0 : labels.at(words[i].substr(at + 1))});
    }
    return expected;
}

}  // namespace

void PrintTo(const CorpusCase& one, std::ostream* out) {
    *out << one.file << ".cpp: " << one.kernel;
}

std::vector<CorpusCase> read_corpus(const std::filesystem::path& file) {
    const std::regex tag{R"(^// (expect|blocks|cores|numbers|missed): (.*)$)"};
    const std::regex kernel{R"(^extern "C" .*void (\w+)\(GM_ADDR)"};
    const std::vector<std::string> lines = lines_of(file);
    std::vector<CorpusCase> cases;
    std::multimap<std::string, std::string> tags;
    std::smatch match;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (std::regex_match(lines[i], match, tag)) {
            tags.emplace(match[1], match[2]);
        } else if (std::regex_search(lines[i], match, kernel)) {
            CorpusCase one{.file = file.stem().string(), .kernel = match[1], .expected = {}};
            const Labels labels = labels_of(lines, i);
            if (tags.count("expect") == 0) {
                throw std::runtime_error{one.kernel + ": no expectation"};
            }
            for (const auto& [key, value] : tags) {
                if (key == "expect" && value != "silent") {
                    one.expected.push_back(parse(value, labels));
                } else if (key == "blocks") {
                    one.blocks = static_cast<std::uint32_t>(std::stoul(value));
                } else if (key == "cores") {
                    one.cores = value;
                } else if (key == "missed") {
                    one.missed = true;
                } else if (key == "numbers") {
                    one.sum = value == "sum";
                }
            }
            cases.push_back(std::move(one));
            tags.clear();
        }
    }
    return cases;
}

}  // namespace ascendsim::testing
