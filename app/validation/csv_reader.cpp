// SPDX-License-Identifier: Apache-2.0
#include "app/validation/csv_reader.hpp"

#include <algorithm>
#include <utility>

#include "sim/base/error.hpp"

namespace ascendsim::validation {

CsvReader::CsvReader(std::string_view text, std::string name) : text_{text}, name_{std::move(name)} {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (text_.starts_with(byte_order_mark)) {
        at_ = byte_order_mark.size();
    }
}

CsvRecord CsvReader::next() {
    while (at_ < text_.size()) {
        CsvRecord record{.line = line_, .cells = {}};
        do {
            record.cells.push_back(cell());
        } while (take(','));
        take('\r');
        if (take('\n')) {
            ++line_;
        }
        if (record.cells.size() > 1 || !record.cells.front().empty()) {
            return record;
        }
    }
    return {.line = line_, .cells = {}};
}

bool CsvReader::take(char wanted) {
    const bool there = at_ < text_.size() && text_[at_] == wanted;
    at_ += there ? 1 : 0;
    return there;
}

std::string CsvReader::cell() {
    if (take('"')) {
        return quoted();
    }
    const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
    std::string value{text_.substr(at_, end - at_)};
    at_ = end;
    return value;
}

std::string CsvReader::quoted() {
    const std::size_t begin = line_;
    std::string value;
    while (at_ < text_.size()) {
        const char letter = text_[at_++];
        if (letter == '"' && !take('"')) {
            if (at_ < text_.size() && std::string_view{",\r\n"}.find(text_[at_]) == std::string_view::npos) {
                throw UserError{"{}:{}: text after a closing quote", name_, line_};
            }
            return value;
        }
        line_ += letter == '\n' ? 1 : 0;
        value += letter;
    }
    throw UserError{"{}:{}: a quote that is never closed", name_, begin};
}

}  // namespace ascendsim::validation
