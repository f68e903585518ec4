// SPDX-License-Identifier: Apache-2.0
#include "models/sanitize/global_contents.hpp"

#include <iterator>

#include <fmt/format.h>

#include "models/sanitize/unwritten_bytes.hpp"

namespace ascendsim::sanitize {
namespace {

constexpr std::size_t most_logged = 1U << 18U;  // reads of one buffer, some 50 MB
constexpr std::size_t most_runs = 1U << 20U;    // some 200 MB

}  // namespace

GlobalContents::GlobalContents(const LaunchCores& cores, Reporter& reporter)
    : cores_{cores}, reporter_{reporter} {
    runs_.clear(true);
}

void GlobalContents::declare(std::uint64_t offset, std::uint64_t bytes, bool written) {
    runs_.update(offset, offset + bytes, true, [written](Bytes& state, std::uint64_t, std::uint64_t) {
        state.written = written;
    });
}

void GlobalContents::declare_unwritten(std::uint64_t offset, std::uint64_t bytes) {
    declare(offset, bytes, false);
}

void GlobalContents::declare_written(std::uint64_t offset, std::uint64_t bytes) {
    declare(offset, bytes, true);
}

void GlobalContents::declare_read_only(std::uint64_t offset, std::uint64_t bytes) {
    read_only_[offset] = offset + bytes;
}

bool GlobalContents::unwritten(std::uint64_t offset, std::uint64_t bytes) const {
    bool none = true;
    runs_.visit(offset, offset + bytes, [&none](const Bytes& state, std::uint64_t, std::uint64_t) {
        none = none && !state.written;
    });
    return none;
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> GlobalContents::unwritten_runs(
    std::uint64_t offset, std::uint64_t bytes) const {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> runs;
    runs_.visit(offset, offset + bytes, [&runs](const Bytes& state, std::uint64_t begin, std::uint64_t end) {
        if (state.written) {
            return;
        }
        if (!runs.empty() && runs.back().second == begin) {
            runs.back().second = end;
        } else {
            runs.emplace_back(begin, end);
        }
    });
    return runs;
}

void GlobalContents::report_unwritten(const Touch& reader, std::uint64_t begin, std::uint64_t end) {
    const Touch* writer = writer_beside(begin, end - begin);
    Finding* finding = reporter_.report(Kind::uninitialised_read, Memory::gm, reader, writer, begin, end);
    const isa::GlobalBuffer* buffer = cores_.memory().find(begin);
    if (finding == nullptr || buffer == nullptr || writer != nullptr) {
        return;
    }
    const std::uint64_t written =
        written_end(buffer->offset, buffer->offset + buffer->bytes) - buffer->offset;
    if (written != 0 && written < buffer->bytes) {
        finding->hint += fmt::format(" Of its {} bytes the first {} have a content.", buffer->bytes, written);
    }
}

const Touch* GlobalContents::writer_beside(std::uint64_t offset, std::uint64_t bytes) const {
    const Touch* writer = nullptr;
    const auto look = [&writer](const Bytes& state, std::uint64_t, std::uint64_t) {
        if (writer == nullptr && state.written && state.writers.size() != 0) {
            writer = &state.writers[0];
        }
    };
    if (offset != 0) {
        runs_.visit(offset - 1, offset, look);
    }
    if (writer == nullptr) {
        runs_.visit(offset + bytes, offset + bytes + 1, look);
    }
    return writer;
}

GlobalContents::ReadOnly::const_iterator GlobalContents::declared(std::uint64_t offset,
                                                                  std::uint64_t bytes) const {
    const auto after = read_only_.upper_bound(offset);
    const bool inside = after != read_only_.begin() && std::prev(after)->second >= offset + bytes;
    return inside ? std::prev(after) : read_only_.end();
}

bool GlobalContents::read_only(std::uint64_t offset, std::uint64_t bytes) const {
    return declared(offset, bytes) != read_only_.end();
}

std::optional<std::pair<std::uint64_t, std::uint64_t>> GlobalContents::read_only_range(
    std::uint64_t offset, std::uint64_t bytes) const {
    const auto found = declared(offset, bytes);
    return found == read_only_.end() ? std::nullopt : std::optional{std::pair{found->first, found->second}};
}

bool GlobalContents::only_reads(const Touch& touch) {
    const auto found = declared(touch.offset, touch.extent);
    if (found == read_only_.end()) {
        return false;
    }
    if (touch.write) {
        reporter_.report(
            Kind::input_written, Memory::gm, touch, nullptr, touch.offset, touch.offset + touch.extent);
        read_only_.erase(found);
    }
    return !touch.write;
}

bool GlobalContents::keep_aside(const Touch& touch, const isa::Access& access) {
    const isa::GlobalBuffer* buffer = cores_.memory().find(touch.offset);
    ReadLog& kept = logs_[buffer == nullptr ? 0 : buffer->offset];
    if (kept.over) {
        return false;
    }
    if (!touch.write && kept.reads.size() < most_logged) {
        log(kept, touch, access);
        return true;
    }
    apply(kept);
    kept = {.reads = {}, .over = true};
    return false;
}

void GlobalContents::log(ReadLog& log, const Touch& touch, const isa::Access& access) {
    UnwrittenBytes unwritten;
    for_each_run(access, [&](std::uint64_t begin, std::uint64_t end) {
        runs_.visit(begin, end, [&](const Bytes& state, std::uint64_t from, std::uint64_t to) {
            unwritten.see(state.written, from, to);
        });
    });
    if (unwritten.used(touch, access)) {
        report_unwritten(touch, unwritten.begin(), unwritten.end());
    } else if (unwritten.any()) {
        reporter_.suspect(Memory::gm, touch, nullptr, unwritten.begin(), unwritten.end());
    }
    log.reads.emplace_back(touch, access);
}

void GlobalContents::apply(const ReadLog& log) {
    for (const auto& read : log.reads) {
        for_each_run(read.second, [&](std::uint64_t begin, std::uint64_t end) {
            runs_.update(begin, end, false, [&](Bytes& state, std::uint64_t, std::uint64_t) {
                state.readers.remember(read.first);
            });
        });
    }
}

RangeMap& GlobalContents::runs() {
    if (runs_.size() > most_runs) {
        runs_.clear(true);
    }
    return runs_;
}

void GlobalContents::start_launch() {
    runs_.forget_touches();
    logs_.clear();
}

}  // namespace ascendsim::sanitize
