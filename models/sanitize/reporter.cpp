// SPDX-License-Identifier: Apache-2.0
#include "models/sanitize/reporter.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/sanitize/words/finding_words.hpp"

namespace ascendsim::sanitize {
namespace {

// Findings of a launch as further cores had them, some 4 MB. A core beyond is not compared: a kernel with
// that many findings has other worries than which core came first.
constexpr std::size_t most_rivals = 4096;

std::string_view last_of_path(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

}  // namespace

Reporter::Key Reporter::key(Kind kind, const Touch& later, const Touch* earlier) {
    const auto place = [](const Touch& touch) {
        return Place{touch.info->name, touch.site.file, touch.site.line, touch.strand};
    };
    return {kind, place(later), earlier == nullptr ? Place{} : place(*earlier)};
}

std::string Reporter::where(Memory memory, const Touch& touch, std::uint64_t offset) const {
    if (memory == Memory::gm) {
        const isa::GlobalBuffer* buffer = cores_.memory().find(offset);
        return buffer == nullptr ? "gm" : buffer->name;
    }
    const BufferMap::Part* part = cores_[touch.core].buffers[index(memory)].find(offset);
    if (part == nullptr || part->origin.line == 0) {
        return std::string{name(memory)};
    }
    const std::string_view file{part->origin.file};
    const std::string place = file == touch.site.file
                                  ? fmt::format("of line {}", part->origin.line)
                                  : fmt::format("of {}:{}", last_of_path(file), part->origin.line);
    const std::string& buffer = names_.at(part->origin);
    return fmt::format("{} ({} {})", name(memory), buffer.empty() ? "buffer" : buffer, place);
}

Party Reporter::describe(const Touch& touch) const {
    return {.core = cores_[touch.core].title,
            .block = touch.block,
            .pipe = touch.strand == scalar_reads ? Pipe::scalar : static_cast<Pipe>(touch.strand),
            .op = std::string{touch.info->name},
            .file = touch.site.file,
            .line = touch.site.line,
            .issue = touch.issue};
}

Party Reporter::party(Memory memory, const Touch& touch) const {
    Party party = describe(touch);
    if (touch.extent != 0) {
        const isa::GlobalBuffer* global = memory == Memory::gm ? cores_.memory().find(touch.offset) : nullptr;
        party.access = touch.atomic ? "atomic" : touch.write ? "write" : "read";
        party.buffer = where(memory, touch, touch.offset);
        party.offset = touch.offset - (global == nullptr ? 0 : global->offset);
        party.bytes = touch.extent;
    }
    return party;
}

Finding* Reporter::report(Kind kind,
                          Memory memory,
                          const Touch& later,
                          const Touch* earlier,
                          std::uint64_t begin,
                          std::uint64_t end) {
    const auto [known, first] = known_.try_emplace(
        key(kind, later, kind == Kind::uninitialised_read ? nullptr : earlier), findings_.size());
    const Kept kept{Kept::List::findings, known->second};
    const bool rival = is_rival(kept, later);
    if (!first) {
        ++findings_[known->second].count;
        return rival ? &add_rival(kept, finding_of(kind, memory, later, earlier, begin, end), later, earlier)
                     : nullptr;
    }
    findings_.push_back(finding_of(kind, memory, later, earlier, begin, end));
    await_times(kept, later, earlier);
    return &findings_.back();
}

Finding Reporter::finding_of(Kind kind,
                             Memory memory,
                             const Touch& later,
                             const Touch* earlier,
                             std::uint64_t begin,
                             std::uint64_t end) const {
    const isa::GlobalBuffer* global =
        memory == Memory::gm && begin != end ? cores_.memory().find(begin) : nullptr;
    const std::uint64_t base = global == nullptr ? 0 : global->offset;
    const std::string range =
        begin == end ? std::string{}
                     : fmt::format("{} [{}, {})", where(memory, later, begin), begin - base, end - base);
    Finding finding{.kind = kind,
                    .later = party(memory, later),
                    .overlap_offset = begin - base,
                    .overlap_bytes = end - begin,
                    .message = message_of(kind, later, earlier, range),
                    .hint = hint_of(kind, later, earlier)};
    if (earlier != nullptr) {
        finding.earlier = party(memory, *earlier);
    }
    if (global != nullptr && kind == Kind::uninitialised_read) {
        finding.hint += neighbour_hint(*global);
    }
    if (earlier != nullptr && kind == Kind::uninitialised_read) {
        finding.hint += fmt::format(" {} of line {} ", finding.earlier->op, finding.earlier->line);
        finding.hint +=
            earlier->extent == 0 ? "has no repeats or no lanes and does nothing." : "writes beside it.";
    }
    return finding;
}

void Reporter::suspect(Memory memory,
                       const Touch& later,
                       const Touch* writer,
                       std::uint64_t begin,
                       std::uint64_t end,
                       bool wide) {
    const auto [known, first] =
        suspected_.try_emplace(key(Kind::uninitialised_read, later, nullptr), suspects_.size());
    const Kept kept{Kept::List::suspects, known->second};
    const bool rival = is_rival(kept, later);
    if (!first) {
        Suspect& one = suspects_[known->second];
        ++one.finding.count;
        one.begin = std::min(one.begin, begin);
        one.end = std::max(one.end, end);
        one.wide = one.wide || wide;
        if (rival) {
            add_rival(
                kept, finding_of(Kind::uninitialised_read, memory, later, writer, begin, end), later, writer);
        }
        return;
    }
    suspects_.push_back({.memory = memory,
                         .begin = begin,
                         .end = end,
                         .wide = wide,
                         .finding = finding_of(Kind::uninitialised_read, memory, later, writer, begin, end)});
    await_times(kept, later, writer);
}

void Reporter::confirm(std::size_t i, std::string_view where) {
    Finding finding = suspects_[i].finding;
    finding.message += fmt::format(", and {} depends on it", where);
    findings_.push_back(std::move(finding));
}

void Reporter::confirm_wide() {
    for (Suspect& one : suspects_) {
        if (std::exchange(one.wide, false)) {
            findings_.push_back(one.finding);
        }
    }
}

void Reporter::report_arrival(std::string_view where) {
    findings_.push_back(
        {.kind = Kind::uninitialised_read,
         .later = {.access = "write", .buffer = std::string{where}},
         .message = fmt::format("{} depends on bytes that nobody wrote: runs that differ in these alone "
                                "give different results",
                                where),
         .hint = "No instruction was seen to read them: look at reads through plain pointers."});
}

Finding* Reporter::report(Kind kind, const Touch& later, Party party) {
    const auto [known, first] = known_.try_emplace(key(kind, later, nullptr), findings_.size());
    if (!first) {
        ++findings_[known->second].count;
        return nullptr;
    }
    findings_.push_back({.kind = kind,
                         .later = std::move(party),
                         .message = message_of(kind, later, nullptr, {}),
                         .hint = hint_of(kind, later, nullptr)});
    return &findings_.back();
}

void Reporter::report_race(const Suspects& pair) {
    const bool own = pair.later.core == pair.earlier.core && pair.later.block == pair.earlier.block;
    report(own ? Kind::race : Kind::core_race, Memory::gm, pair.later, &pair.earlier, pair.begin, pair.end);
}

namespace {

/// Whether a message is of an index beyond an array of the kernel's own (models/port/local_array.cpp).
bool is_subscript(std::string_view message) {
    return message.find(" of an array of its own") != std::string_view::npos;
}

constexpr std::string_view subscript_hint = "Check the index, and where the loop ends that it comes from.";

}  // namespace

void Reporter::report_fault(const Touch& touch, std::string_view message) {
    const bool aligned = message.find("multiple of") == message.npos && message.find("align") == message.npos;
    const bool inside = message.find(" bytes [") == std::string_view::npos &&
                        message.find("global memory") == std::string_view::npos &&
                        message.find("bytes of argument") == std::string_view::npos && !is_subscript(message);
    const Kind kind = !inside ? Kind::out_of_range : !aligned ? Kind::misaligned : Kind::illegal;
    Finding* finding = report(kind, touch);
    if (finding == nullptr) {
        return;
    }
    finding->stops = true;
    finding->message = fmt::format("{}: {}", touch.info->name, message);
    finding->hint += kind == Kind::out_of_range ? neighbour_hint(message) : "";
    if (message.find("bytes requested") != std::string_view::npos) {
        finding->hint = "Ask InitBuffer for less: smaller tiles, or fewer buffers.";
    } else if (message.find("FreeTensor one first") != std::string_view::npos) {
        finding->hint = "Each tensor that AllocTensor gave goes back by FreeTensor, every time round.";
    } else if (message.find("EnQue comes first") != std::string_view::npos) {
        finding->hint = "Every tensor that DeQue gives was put into the queue by EnQue before.";
    } else if (kind == Kind::misaligned && touch.strand == index(Pipe::vector)) {
        finding->hint = "Begin at a multiple, and leave elements out by the mask or by Gather.";
    } else if (is_subscript(message)) {
        finding->hint = subscript_hint;
    }
}

namespace {

/// What a finding about something beyond an end is, by what its message says.
struct Beyond {
    std::string_view part;  // of the message
    Kind kind;
    std::string_view hint;
};

constexpr std::array beyond_kinds{
    Beyond{"the same or apart", Kind::operands_overlap, ""},
    Beyond{"never written", Kind::uninitialised_read, "Set it on every way that leads here."},
    Beyond{"bytes requested",
           Kind::oversized,
           "The run goes on, as on the chip, until something uses what is not there. Ask for less: smaller "
           "tiles, or fewer buffers."},
    Beyond{"each pair of pipes",
           Kind::illegal,
           "Use the documented flags. The run goes on with one more, which published kernels use; --strict "
           "stops it."},
    Beyond{"EnQue comes first",
           Kind::illegal,
           "Every tensor that DeQue gives was put into the queue by EnQue before. The run goes on, as on the "
           "chip, with the tensor that the queue gave last; --strict stops it."},
};

}  // namespace

void Reporter::report_beyond(const Touch& touch, std::string_view message) {
    const auto* known = std::ranges::find_if(
        beyond_kinds, [&](const Beyond& one) { return message.find(one.part) != std::string_view::npos; });
    const bool memory = known == beyond_kinds.end();
    Finding* finding = report(memory ? Kind::out_of_range : known->kind, touch);
    if (finding == nullptr) {
        return;
    }
    finding->message = fmt::format("{}: {}", touch.info->name, message);
    if (!memory) {
        finding->hint = known->hint.empty() ? finding->hint : std::string{known->hint};
    } else if (is_subscript(message)) {
        finding->hint = subscript_hint;
    } else {
        finding->hint += neighbour_hint(message);
        finding->hint += " The run goes on, as on the chip, with what lies there; --strict stops it.";
    }
}

void Reporter::note_rounded(const Touch& touch, std::uint64_t asked, std::uint64_t moved) {
    if (Finding* finding = report(Kind::rounded_count, touch)) {
        finding->message =
            moved == 0
                ? fmt::format("DataCopy of {} bytes moves nothing: it copies whole blocks of 32", asked)
                : fmt::format("DataCopy of {} bytes moves {}: it copies whole blocks of 32", asked, moved);
        finding->hint =
            "Copy the rest with DataCopyPad, or pad the tensor; if the rest is meant to stay, all is well.";
    }
}

void Reporter::note_unwritten(const std::string& name, std::uint64_t bytes, const std::string& reason) {
    findings_.push_back({
        .kind = Kind::never_written,
        .later = {.access = "leave", .buffer = name, .bytes = bytes},
        .message = fmt::format("output '{}' was never written: its {} bytes are as they were", name, bytes),
        .hint = reason.empty() ? "Does the kernel copy to another argument, or does no block reach the copy?"
                               : reason,
    });
}

void Reporter::note_partly_unwritten(Kind kind,
                                     const std::string& name,
                                     std::uint64_t bytes,
                                     std::pair<std::uint64_t, std::uint64_t> first,
                                     std::uint64_t left,
                                     const Touch* writer) {
    Party later{
        .access = "leave", .buffer = name, .offset = first.first, .bytes = first.second - first.first};
    if (writer != nullptr) {
        later.pipe = static_cast<Pipe>(writer->strand);
        later.op = writer->info->name;
        later.file = writer->site.file;
        later.line = writer->site.line;
    }
    findings_.push_back({
        .kind = kind,
        .later = std::move(later),
        .message = fmt::format("output '{}': {} of its {} bytes were never written, the first at byte {}",
                               name,
                               left,
                               bytes,
                               first.first),
        .hint = kind == Kind::copied_unwritten
                    ? "Does every block copy its share, the last one its tail? Bytes that the program does "
                      "not look at are no fault."
                    : "Does every block copy its share, the last one its tail? Where a part is meant to "
                      "stay, give the argument the role in_out, or state [[allow]] kind = "
                      "\"never_written\".",
    });
}

void Reporter::report_timings(const std::string& name,
                              std::uint64_t first,
                              std::uint64_t bytes,
                              std::string message) {
    findings_.push_back(
        {.kind = Kind::timings_differ,
         .later = {.access = "write", .buffer = name, .offset = first, .bytes = bytes},
         .message = std::move(message),
         .hint = "Nothing orders what these elements depend on: the races named beside this are the first "
                 "suspects. The same seed gives the same timings."});
}

/// Buffers lie one behind the other: what runs far over the end of one is found in the next.
std::string Reporter::neighbour_hint(const isa::GlobalBuffer& buffer) const {
    constexpr std::size_t most = 3;
    std::vector<std::string> before;  // the nearest first
    std::uint64_t from = 0;
    for (const isa::GlobalBuffer& other : cores_.memory().buffers()) {
        if (other.offset < buffer.offset) {
            before.insert(before.begin(), fmt::format("'{}'", other.name));
            from = other.bytes;
        }
    }
    if (before.empty()) {
        return {};
    }
    if (before.size() == 1) {
        return fmt::format(
            " If '{}' is not meant: it lies behind {} in memory, whose {} bytes may be overrun.",
            buffer.name,
            before.front(),
            from);
    }
    before.resize(std::min(before.size(), most));
    return fmt::format(" If '{}' is not meant: it lies behind {} in memory, one of which may be overrun.",
                       buffer.name,
                       fmt::join(before, " and "));
}

std::string Reporter::neighbour_hint(std::string_view message) const {
    const auto named = [message](const isa::GlobalBuffer& buffer) {
        return message.find(fmt::format("global-memory buffer '{}'", buffer.name)) != std::string_view::npos;
    };
    const std::vector<isa::GlobalBuffer>& all = cores_.memory().buffers();
    const auto found = std::ranges::find_if(all, named);
    return found == all.end() ? std::string{} : neighbour_hint(*found);
}

Finding& Reporter::at(Kept kept) {
    switch (kept.list) {
        case Kept::List::findings:
            break;
        case Kept::List::suspects:
            return suspects_[kept.number].finding;
        case Kept::List::rivals:
            return rivals_[kept.number].finding;
    }
    return findings_[kept.number];
}

bool Reporter::is_rival(Kept known, const Touch& later) {
    const std::size_t old = known.list == Kept::List::suspects ? old_suspects_ : old_findings_;
    return known.number >= old && rivals_.size() < most_rivals && had_by_.emplace(known, later.core).second;
}

Finding& Reporter::add_rival(Kept known, Finding finding, const Touch& later, const Touch* earlier) {
    rivals_.push_back({.known = known, .finding = std::move(finding)});
    await_times({Kept::List::rivals, rivals_.size() - 1}, later, earlier);
    return rivals_.back().finding;
}

void Reporter::await_times(Kept finding, const Touch& later, const Touch* earlier) {
    await_time(finding, later, true);
    if (earlier != nullptr) {
        await_time(finding, *earlier, false);
    }
}

void Reporter::await_time(Kept finding, const Touch& touch, bool later) {
    const ProgramClock* program = cores_[touch.core].program;
    if (program != nullptr) {
        // What a plain pointer does has no time of its own: that of the operation before it.
        untimed_.push_back({finding, later, program, touch.issue - (touch.plain ? 1 : 0)});
    }
}

void Reporter::fill_in_times() {
    for (const Untimed& one : untimed_) {
        Finding& finding = at(one.finding);
        Party& party = one.later ? finding.later : *finding.earlier;
        if (one.issue == 0) {
            party.cycle = 0;
        } else if (const std::optional<OpTime> time = one.program->time_of(one.issue - 1)) {
            party.cycle = time->start;
            party.end_cycle = time->end;
        }
    }
    untimed_.clear();
    keep_first_cores();
}

void Reporter::keep_first_cores() {
    for (Rival& rival : rivals_) {
        Finding& known = at(rival.known);
        if (is_before(rival.finding.later, known.later)) {
            rival.finding.count = known.count;
            rival.finding.stops = rival.finding.stops || known.stops;
            known = std::move(rival.finding);
        }
    }
    rivals_.clear();
    had_by_.clear();
    old_findings_ = findings_.size();
    old_suspects_ = suspects_.size();
}

void Reporter::ended_by(Kind kind) {
    for (Finding& finding : findings_) {
        finding.stops = finding.stops || finding.kind == kind;
    }
}

}  // namespace ascendsim::sanitize
