// SPDX-License-Identifier: Apache-2.0
#include "models/sanitize/stream_races.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "models/sanitize/range_map.hpp"

namespace ascendsim::sanitize {
namespace {

/// True if `earlier` has ended when `later` begins, in every run.
bool comes_before(const StreamWork& earlier, const StreamWork& later) {
    return earlier.lane < later.clock.size() && later.clock[earlier.lane] >= earlier.number;
}

}  // namespace

void join(StreamClock& into, const StreamClock& from) {
    into.resize(std::max(into.size(), from.size()));
    for (std::size_t lane = 0; lane < from.size(); ++lane) {
        into[lane] = std::max(into[lane], from[lane]);
    }
}

void StreamRaces::begin(std::uint64_t id, StreamWork work) {
    open_[id].work = std::make_shared<const StreamWork>(std::move(work));
}

void StreamRaces::touch(std::uint64_t id, const isa::Access& access, const Place& place) {
    const auto open = open_.find(id);
    if (open == open_.end() || access.covering || access.memory != Memory::gm || access.extent() == 0) {
        return;
    }
    Spans& spans = access.write ? open->second.writes : open->second.reads;
    for_each_run(access, [&](std::uint64_t begin, std::uint64_t end) {
        add(spans, begin, {.end = end, .atomic = access.atomic, .place = place});
    });
}

/// Joins what one place touches; of several places the first one counts.
void StreamRaces::add(Spans& spans, std::uint64_t begin, const Span& span) {
    auto next = spans.upper_bound(begin);
    std::uint64_t at = begin;
    if (next != spans.begin()) {
        const auto before = std::prev(next);
        const bool alike = before->second.place == span.place && before->second.atomic == span.atomic;
        if (before->second.end >= at && alike) {
            at = before->first;
            if (before->second.end >= span.end) {
                return;
            }
            before->second.end = span.end;  // and over what follows, below
        } else {
            at = std::max(at, before->second.end);
        }
    }
    while (at < span.end) {
        auto here = spans.find(at);
        next = spans.upper_bound(at);
        const bool meets = next != spans.end() && next->first <= span.end;
        const std::uint64_t to = meets ? next->first : span.end;
        if (here != spans.end()) {
            here->second.end = std::min(here->second.end, to);
        } else {
            here = spans.emplace(at, Span{to, span.atomic, span.place}).first;
        }
        const bool alike = meets && next->second.place == span.place && next->second.atomic == span.atomic;
        if (alike) {
            here->second.end = std::max(span.end, next->second.end);
            spans.erase(next);
            if (here->second.end > span.end) {
                return;
            }
            continue;
        }
        at = meets ? next->second.end : span.end;
    }
}

void StreamRaces::split(std::uint64_t at) {
    auto run = runs_.upper_bound(at);
    if (run == runs_.begin()) {
        return;
    }
    run = std::prev(run);
    if (run->first < at && at < run->second.end) {
        Run behind{run->second.end, run->second.latest};
        run->second.end = at;
        runs_.emplace(at, std::move(behind));
    }
}

void StreamRaces::compare(const Latest& access,
                          std::uint64_t begin,
                          std::uint64_t end,
                          const isa::GlobalMemory& memory) {
    split(begin);
    split(end);
    std::uint64_t at = begin;
    while (at < end) {
        const auto next = runs_.lower_bound(at);
        if (next == runs_.end() || next->first > at) {
            const std::uint64_t to = next == runs_.end() ? end : std::min(end, next->first);
            runs_[at] = {to, {access}};
            at = to;
            continue;
        }
        for (const Latest& other : next->second.latest) {
            const bool conflict = (access.write || other.write) && !(access.atomic && other.atomic);
            if (conflict && !comes_before(*other.work, *access.work) &&
                !comes_before(*access.work, *other.work)) {
                report(access, other, next->first, next->second.end, memory);
            }
        }
        remember(access, next->second);
        at = next->second.end;
    }
}

/// What comes before a write can be in nobody's way that the write is not.
void StreamRaces::remember(const Latest& access, Run& run) {
    std::erase_if(run.latest, [&](const Latest& other) {
        const bool replaced = other.write == access.write || access.write;
        return replaced && (other.work == access.work || comes_before(*other.work, *access.work));
    });
    run.latest.push_back(access);
}

void StreamRaces::end(std::uint64_t id, const isa::GlobalMemory& memory) {
    const auto found = open_.find(id);
    if (found == open_.end()) {
        return;
    }
    const Open open = std::move(found->second);
    open_.erase(found);
    for (const bool write : {false, true}) {
        for (const auto& [begin, span] : write ? open.writes : open.reads) {
            compare({.work = open.work, .write = write, .atomic = span.atomic, .place = span.place},
                    begin,
                    span.end,
                    memory);
        }
    }
}

void StreamRaces::forget(std::uint64_t begin, std::uint64_t end) {
    split(begin);
    split(end);
    runs_.erase(runs_.lower_bound(begin), runs_.lower_bound(end));
}

void StreamRaces::report(const Latest& later,
                         const Latest& earlier,
                         std::uint64_t begin,
                         std::uint64_t end,
                         const isa::GlobalMemory& memory) {
    const isa::GlobalBuffer* buffer = memory.find(begin);
    const std::uint64_t base = buffer == nullptr ? 0 : buffer->offset;
    const std::string name = buffer == nullptr ? "gm" : buffer->name;
    const auto party = [&](const Latest& access) {
        return Party{.pipe = access.place.pipe,
                     .op = std::string{access.place.op},
                     .file = access.place.file,
                     .line = access.place.line,
                     .access = access.atomic  ? "atomic"
                               : access.write ? "write"
                                              : "read",
                     .buffer = name,
                     .offset = begin - base,
                     .bytes = end - begin};
    };
    const auto same = [](const Party& a, const Party& b) {
        return a.file == b.file && a.line == b.line && a.op == b.op;
    };
    Finding finding{.kind = Kind::stream_race, .later = party(later), .earlier = party(earlier)};
    const auto known = std::ranges::find_if(findings_, [&](const Finding& other) {
        return same(other.later, finding.later) && same(*other.earlier, *finding.earlier);
    });
    if (known != findings_.end()) {
        ++known->count;
        return;
    }
    finding.overlap_offset = begin - base;
    finding.overlap_bytes = end - begin;
    const auto verb = [](const Latest& access) {
        return access.place.op == "aclrtFree" ? "frees" : access.write ? "writes" : "reads";
    };
    finding.message = fmt::format("{} {} {} [{}, {}) that {} {}, and nothing orders the two",
                                  later.work->what,
                                  verb(later),
                                  name,
                                  begin - base,
                                  end - base,
                                  earlier.work->what,
                                  verb(earlier));
    finding.hint =
        "Let the second stream wait for an event that the first records behind its work "
        "(aclrtRecordEvent, aclrtStreamWaitEvent), let the host wait for the first "
        "(aclrtSynchronizeStream), or put both on one stream.";
    findings_.push_back(std::move(finding));
}

}  // namespace ascendsim::sanitize
