// SPDX-License-Identifier: Apache-2.0
#include "toolchain/project/cmake_text.hpp"

#include <cctype>

#include "sim/base/lower_case.hpp"

namespace ascendsim::toolchain {
namespace {

bool is_word(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

class Cutter {
public:
    explicit Cutter(std::string_view text) : text_{text} {}

    std::vector<CmakeCommand> run() {
        std::vector<CmakeCommand> commands;
        while (at_ < text_.size()) {
            if (text_[at_] == '#') {
                skip_comment();
            } else if (is_word(text_[at_])) {
                CmakeCommand command{.name = word(), .arguments = {}};
                while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) {
                    ++at_;
                }
                if (at_ < text_.size() && text_[at_] == '(') {
                    ++at_;
                    command.arguments = arguments();
                    commands.push_back(std::move(command));
                }
            } else {
                ++at_;
            }
        }
        return commands;
    }

private:
    void skip_comment() {
        const std::string_view close = text_.substr(at_).starts_with("#[[") ? "]]" : "\n";
        const std::size_t end = text_.find(close, at_);
        at_ = end == std::string_view::npos ? text_.size() : end + close.size();
    }

    std::string word() {
        std::string result;
        for (; at_ < text_.size() && is_word(text_[at_]); ++at_) {
            result += lower(text_[at_]);
        }
        return result;
    }

    std::string quoted() {
        std::string result;
        for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
            at_ += text_[at_] == '\\' && at_ + 1 < text_.size() ? 1U : 0U;
            result += text_[at_];
        }
        ++at_;
        return result;
    }

    /// What stands up to the bracket that closes the command; brackets inside are words of their own.
    std::vector<std::string> arguments() {
        std::vector<std::string> result;
        std::string open;
        bool any = false;
        const auto finish = [&] {
            if (any) {
                result.push_back(open);
            }
            open.clear();
            any = false;
        };
        int depth = 0;
        int generator = 0;  // $<...> may hold blanks' worth of colons, but ends with its bracket
        while (at_ < text_.size()) {
            const char letter = text_[at_];
            if (letter == '#' && !any) {
                skip_comment();
                continue;
            }
            if (letter == '"') {
                open += quoted();
                any = true;
                continue;
            }
            generator += letter == '<' ? 1 : letter == '>' ? -1 : 0;
            if (std::isspace(static_cast<unsigned char>(letter)) != 0 || (letter == ';' && generator <= 0)) {
                finish();
            } else if (letter == '(' || letter == ')') {
                finish();
                if (letter == ')' && depth == 0) {
                    ++at_;
                    return result;
                }
                depth += letter == '(' ? 1 : -1;
            } else {
                open += letter;
                any = true;
            }
            ++at_;
        }
        finish();
        return result;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace

std::vector<CmakeCommand> cmake_commands(std::string_view text) {
    return Cutter{text}.run();
}

}  // namespace ascendsim::toolchain
