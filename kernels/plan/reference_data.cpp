// SPDX-License-Identifier: Apache-2.0
#include "kernels/plan/reference_data.hpp"

#include <utility>

#include "kernels/plan/element.hpp"

namespace ascendsim::host {

void ReferenceData::add(const Buffer& buffer, std::span<const std::byte> bytes) {
    check(bytes.size() >= buffer.bytes(), "content of '{}' is short", buffer.name);
    entries_[buffer.name] = Entry{
        .buffer = &buffer, .bytes = bytes.first(buffer.bytes()), .floats = {}, .expected = {}, .errors = {}};
}

const std::vector<float>& ReferenceData::floats(std::string_view name) {
    static_cast<void>(find(name));
    Entry& entry = entries_.find(name)->second;
    if (entry.floats.empty()) {
        entry.floats.resize(entry.buffer->count());
        read_floats(entry.buffer->type, entry.bytes, entry.floats);
    }
    return entry.floats;
}

std::vector<double>& ReferenceData::expected(std::string_view name) {
    static_cast<void>(find(name));
    Entry& entry = entries_.find(name)->second;
    if (entry.expected.empty()) {
        entry.expected.resize(entry.buffer->count());
    }
    return entry.expected;
}

void ReferenceData::set_errors(std::string_view name, ElementErrors errors) {
    static_cast<void>(find(name));
    entries_.find(name)->second.errors = std::move(errors);
}

const ReferenceData::Entry& ReferenceData::find(std::string_view name) const {
    const auto found = entries_.find(name);
    check(found != entries_.end(), "the reference names '{}', which is no buffer of the plan", name);
    return found->second;
}

}  // namespace ascendsim::host
