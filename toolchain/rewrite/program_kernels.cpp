// SPDX-License-Identifier: Apache-2.0
// Finds the kernels of a host program and the cores they ask for.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

#include "toolchain/rewrite/program_text.hpp"

namespace ascendsim::toolchain {
namespace {

std::optional<CoreUse> use_of(std::string_view type) {
    if (type.find("AIV_ONLY") != std::string_view::npos ||
        type.find("MIX_AIV_1_0") != std::string_view::npos) {
        return CoreUse::aiv;
    }
    if (type.find("AIC_ONLY") != std::string_view::npos ||
        type.find("MIX_AIC_1_0") != std::string_view::npos) {
        return CoreUse::aic;
    }
    if (type.find("MIX_AIC_1_1") != std::string_view::npos) {
        return CoreUse::mix_1_1;
    }
    return type.find("MIX_AIC_1_2") != std::string_view::npos ? std::optional{CoreUse::mix_1_2}
                                                              : std::nullopt;
}

/// The content of a string literal.
std::string_view inside(std::string_view literal) {
    return literal.size() >= 2 ? literal.substr(1, literal.size() - 2) : std::string_view{};
}

class Finder {
public:
    explicit Finder(std::string_view text) : tokens_{tokens_of(text)} {}

    std::vector<ProgramKernel> run() {
        bool is_template = false;
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            const std::string_view word = tokens_[i].text;
            if (word == "{") {
                scopes_.push_back(is_linkage(i));
            } else if (word == "}" && !scopes_.empty()) {
                scopes_.pop_back();
            }
            if (word == ";" || word == "{" || word == "}") {
                is_template = false;
            } else if (word == "template") {
                is_template = true;
            } else if (word == "ascendsim_global") {
                i = declaration(i, is_template);
            } else if (word == "\"ascendsim_task_type\"" || word == "\"ascendsim_task_key\"") {
                task_type(i);
            }
        }
        return std::move(found_);
    }

private:
    [[nodiscard]] std::string_view at(std::size_t i) const {
        return i < tokens_.size() ? tokens_[i].text : std::string_view{};
    }

    /// `extern "C" {` opens no scope of names.
    [[nodiscard]] bool is_linkage(std::size_t i) const {
        return i >= 2 && at(i - 1).starts_with('"') && at(i - 2) == "extern";
    }

    [[nodiscard]] std::size_t behind(std::size_t open) const {
        int depth = 0;
        for (std::size_t i = open; i < tokens_.size(); ++i) {
            depth += at(i) == "(" ? 1 : at(i) == ")" ? -1 : 0;
            if (depth == 0) {
                return i + 1;
            }
        }
        return tokens_.size();
    }

    /// Reads on from `ascendsim_global` to the end of the parameter list; returns its last token.
    std::size_t declaration(std::size_t i, bool is_template) {
        ProgramKernel kernel;
        kernel.is_template = is_template;
        kernel.at_top = std::ranges::all_of(scopes_, [](bool linkage) { return linkage; });
        for (++i; i < tokens_.size() && at(i) != ";" && at(i) != "{"; ++i) {
            const std::string_view word = at(i);
            if (word == "ascendsim_vector" || word == "ascendsim_cube") {
                kernel.cores = word == "ascendsim_cube" ? CoreUse::aic : CoreUse::aiv;
            } else if (word == "ascendsim_mix") {
                const std::size_t end = behind(i + 1);
                kernel.cores = at(i + 2) == "0"     ? CoreUse::aiv
                               : at(end - 2) == "0" ? CoreUse::aic
                               : at(end - 2) == "1" ? CoreUse::mix_1_1
                                                    : CoreUse::mix_1_2;
                i = end - 1;
            } else if (word != "__attribute__" && is_name(word) && at(i + 1) == "(") {
                kernel.name = word;
                const std::size_t end = behind(i + 1);
                kernel.has_body = at(end) == "{";
                found_.push_back(std::move(kernel));
                return end - 1;
            }
        }
        return i - 1;
    }

    static bool is_name(std::string_view word) {
        return std::isalpha(static_cast<unsigned char>(word[0])) != 0 || word[0] == '_';
    }

    void task_type(std::size_t i) {
        if (found_.empty()) {
            return;
        }
        const bool keyed = at(i) == "\"ascendsim_task_key\"";
        const std::optional<CoreUse> use = use_of(inside(at(i + (keyed ? 2 : 1))));
        if (keyed && use) {
            const std::string key{inside(at(i + 1))};
            found_.back().by_key.emplace_back(std::strtoull(key.c_str(), nullptr, 0), *use);
        } else if (use) {
            found_.back().cores = use;
        }
    }

    std::vector<SourceToken> tokens_;
    std::vector<bool> scopes_;  // true for linkage blocks
    std::vector<ProgramKernel> found_;
};

}  // namespace

std::vector<ProgramKernel> find_program_kernels(std::string_view preprocessed) {
    if (preprocessed.find("ascendsim_global") == std::string_view::npos) {
        return {};
    }
    return Finder{preprocessed}.run();
}

bool defines_main(std::string_view preprocessed) {
    int depth = 0;
    const std::vector<SourceToken> tokens = tokens_of(preprocessed);
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        const std::string_view word = tokens[i].text;
        depth += word == "{" ? 1 : word == "}" ? -1 : 0;
        if (depth == 0 && word == "main" && tokens[i + 1].text == "(") {
            return true;
        }
    }
    return false;
}

}  // namespace ascendsim::toolchain
