// SPDX-License-Identifier: Apache-2.0
#include "models/port/plain_access.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/port/core_port.hpp"
#include "models/port/plain_roots.hpp"
#include "models/port/plain_words.hpp"
#include "models/port/pointer_access.hpp"

namespace ascendsim::isa {

PlainSite* open_plain_sites = nullptr;

namespace {

// Of the core whose program runs, see runtime/README.md.
PlainWords words;                 // NOLINT
const CorePort* owner = nullptr;  // NOLINT: that core; after a crash another may run

constexpr std::uint8_t moves_of_a_run = 4;  // more, and its place goes hither and thither

constexpr std::size_t root_count = 16;
std::array<RootBytes, root_count> roots;  // NOLINT: a cache, by place
std::uint64_t turns = 1;                  // NOLINT: how often runs were closed

std::uint64_t last_root = 0;      // NOLINT: the number of the last one of this turn
std::vector<std::uint32_t> seen;  // NOLINT: places of ascendsim_plain_seen that hold something

RootBytes& bytes_of_root(const void* root) {
    return roots[(reinterpret_cast<std::uint64_t>(root) * 0x9E3779B97F4A7C15U) >> 60U];
}

/// What is known of the buffer that `root` leads to, since runs were closed.
RootBytes& known_of_root(const void* root) {
    RootBytes& known = bytes_of_root(root);
    if (known.root != root || known.turn != turns) {
        known = {.root = root, .all = {}, .noted = {}, .turn = turns, .number = ++last_root};
    }
    return known;
}

/// Whether an access through `root` stays in the bytes that such were found to belong to.
bool belongs_to(const PlainSite& site, std::uint64_t address, const RootBytes& known, const void* root) {
    return known.root == root && known.turn == turns && known.all.hold(address, site.bytes) &&
           address % site.align == 0;
}

enum PlainState : std::uint16_t {
    closed,
    noted,           // the run is to be told
    reads_open_run,  // the same, and it reads what another run, still open, has written
    free_run,        // nothing is to be told of it
};

void link(PlainSite& site);

/// Lets the kernel's code know such an access the next time.
void note_seen(PlainSite& site, std::uint64_t address, const RootBytes& known) {
    constexpr std::uint32_t most = 8;
    if (!std::has_single_bit(site.bytes) || site.bytes > most || known.number > PlainSeen::most_roots) {
        return;
    }
    const auto size = static_cast<std::uint64_t>(std::countr_zero(site.bytes));
    if (site.root != known.root || site.key == 0) {
        link(site);
        site.root = known.root;
        site.key = known.number << PlainSeen::root_bit | size << PlainSeen::size_bit |
                   std::uint64_t{site.write} << PlainSeen::write_bit;
    }
    const std::uint64_t place = (address >> size) % PlainSeen::entries;
    if (ascendsim_plain_seen[place] == 0) {
        seen.push_back(static_cast<std::uint32_t>(place));
    }
    ascendsim_plain_seen[place] = address + site.key;
}

const OpInfo& info_of(const PlainSite& site) {
    return site.write != 0 ? pointer_store_info : pointer_load_info;
}

Site place_of(const PlainSite& site) {
    return {site.file, site.line};
}

/// Where a host address lies in the simulated machine.
struct PlainPlace {
    Memory memory = Memory::gm;
    std::uint64_t offset = 0;
    std::uint64_t base = 0;  // the host's address of offset 0
};

std::optional<PlainPlace> place_in(CorePort& core, const void* pointer) {
    const GlobalMemory& global = core.global();
    if (global.owns(pointer)) {
        return PlainPlace{
            Memory::gm, global.offset_of(pointer), reinterpret_cast<std::uint64_t>(global.base())};
    }
    if (const std::optional<Local> local = core.find_local(pointer)) {
        return PlainPlace{
            local->memory, local->offset, reinterpret_cast<std::uint64_t>(core.local(local->memory).data())};
    }
    return std::nullopt;
}

Access access_at(const PlainPlace& place, std::uint64_t bytes, bool write) {
    return {.memory = place.memory, .write = write, .offset = place.offset, .row_bytes = bytes};
}

/// Ends the run of a site; the bytes it came to, if they are to be told.
std::optional<Access> end_run(CorePort& core, PlainSite& site) {
    const bool tell = site.state == noted || site.state == reads_open_run;
    const std::uint64_t bytes = site.starts + site.bytes - 1;
    const auto* first = reinterpret_cast<const void*>(site.begin);
    site.state = closed;
    site.starts = site.most = 0;
    const std::optional<PlainPlace> place = tell ? place_in(core, first) : std::nullopt;
    return place ? std::optional{access_at(*place, bytes, site.write != 0)} : std::nullopt;
}

void tell_run(CorePort& core, PlainSite& site) {
    const std::optional<Access> run = end_run(core, site);
    if (run && owner == &core) {
        core.observer()->on_plain(info_of(site), *run, place_of(site));
    }
}

void link(PlainSite& site) {
    owner = &CorePort::current();
    if (site.linked == 0) {
        site.linked = 1;
        site.next = open_plain_sites;
        open_plain_sites = &site;
    }
}

void open_run(
    PlainSite& site, std::uint64_t begin, std::uint64_t starts, std::uint64_t most, PlainState state) {
    site.begin = begin;
    site.starts = starts;
    site.most = most;
    site.state = state;
    link(site);
}

/// What lies outside of the simulated machine, such as the stack, is nobody's business, nor is the rest of
/// its page, which is either all of the machine or all not.
void open_foreign(PlainSite& site, const void* pointer) {
    constexpr std::uint64_t page = 4096;
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    site.begin = address / page * page;
    site.starts = site.bytes < page ? page - site.bytes + 1 : 0;
    site.most = 0;
}

/// Who has written [address, address + bytes) and not told it yet; the end of what is written there. 0: not
/// all of it is.
std::uint64_t end_of_open_write(std::uint64_t address, std::uint64_t bytes, bool& overlaps) {
    std::uint64_t end = 0;
    for (const PlainSite* other = open_plain_sites; other != nullptr; other = other->next) {
        if (other->write == 0 || other->state != noted) {
            continue;
        }
        const std::uint64_t last = other->begin + other->starts + other->bytes - 1;
        if (address < last && other->begin < address + bytes) {
            overlaps = true;
            end = address >= other->begin && address + bytes <= last ? std::max(end, last) : end;
        }
    }
    return end;
}

std::string_view verb_of(bool write) {
    return write ? "writes" : "reads";
}

/// How far outside of every buffer an access lies.
std::string distance_words(const GlobalMemory& memory, const Access& access) {
    const std::vector<GlobalBuffer>& all = memory.buffers();
    const auto behind = std::ranges::upper_bound(all, access.offset, {}, &GlobalBuffer::offset);
    const GlobalBuffer* before = behind == all.begin() ? nullptr : &*std::prev(behind);
    const std::uint64_t after_end = before == nullptr ? 0 : access.offset - before->offset - before->bytes;
    if (behind != all.end() && (before == nullptr || behind->offset - access.offset < after_end)) {
        return fmt::format(", {} bytes before '{}'", behind->offset - access.offset, behind->name);
    }
    return before == nullptr ? std::string{}
                             : fmt::format(", {} bytes behind the end of '{}'", after_end, before->name);
}

/// What of an access to global memory is not as it should be; empty if all is well.
std::string complaint(const GlobalMemory& memory, const Access& access, std::optional<std::uint64_t> root) {
    const GlobalBuffer* buffer = memory.find(access.offset);
    if (buffer == nullptr) {
        return fmt::format("{} {} bytes of global memory outside of every argument{}",
                           verb_of(access.write),
                           access.row_bytes,
                           distance_words(memory, access));
    }
    const std::uint64_t at = access.offset - buffer->offset;
    if (at + access.row_bytes > buffer->bytes) {
        return fmt::format("{} bytes [{}, {}) of global-memory buffer '{}', which has {} bytes",
                           verb_of(access.write),
                           at,
                           at + access.row_bytes,
                           buffer->name,
                           buffer->bytes);
    }
    // Each pointer belongs to the buffer it was made for, whatever lies where it has come to.
    const GlobalBuffer* meant =
        root && *root - buffer->offset >= buffer->bytes ? memory.find(*root) : nullptr;
    if (meant == nullptr) {
        return {};
    }
    const bool behind = access.offset > meant->offset;
    return fmt::format("{} bytes [{}, {}) of '{}' in global memory by a pointer to '{}', {} bytes {}",
                       verb_of(access.write),
                       at,
                       at + access.row_bytes,
                       buffer->name,
                       meant->name,
                       behind ? access.offset - meant->offset - meant->bytes : meant->offset - access.offset,
                       behind ? "behind its end" : "before its start");
}

/// True if the access may go on to be judged by what lies there.
bool inside(CorePort& core, const PlainSite& site, const Access& access, std::optional<std::uint64_t> root) {
    if (access.memory != Memory::gm) {
        Accesses whole;
        access.write ? whole.write(access) : whole.read(access);
        if (!core.all_within(whole)) {
            close_plain_runs();
            core.check(whole, info_of(site), place_of(site), Pipe::scalar);  // says which, and ends the run
        }
        return true;
    }
    const std::string wrong = complaint(core.global(), access, root);
    if (wrong.empty()) {
        return true;
    }
    close_plain_runs();
    core.tell_beyond(info_of(site), place_of(site), wrong, Pipe::scalar);
    return core.global().contains(access);
}

/// A pointer into the machine that was moved out of it: what lies there is the simulator's, or nothing, so
/// that the access must not happen.
void check_outside(
    CorePort& core, const PlainSite& site, const void* pointer, const void* root, std::uint64_t bytes) {
    const std::optional<PlainPlace> from = place_in(core, root);
    if (!from) {
        return;
    }
    const auto offset = static_cast<std::int64_t>(reinterpret_cast<std::uint64_t>(pointer) - from->base);
    constexpr std::int64_t farthest = std::int64_t{1} << 40;
    if (offset <= -farthest || offset >= farthest) {
        return;  // no way from there to here
    }
    const bool global = from->memory == Memory::gm;
    const GlobalBuffer* meant = global ? core.global().find(from->offset) : nullptr;
    const std::string message =
        global ? fmt::format("{} {} bytes outside of global memory, {} bytes from the start of '{}'",
                             verb_of(site.write != 0),
                             bytes,
                             offset - static_cast<std::int64_t>(meant == nullptr ? 0 : meant->offset),
                             meant == nullptr ? "global memory" : meant->name)
               : fmt::format("{} {} bytes [{}, {}), but {} has {} bytes on this core",
                             verb_of(site.write != 0),
                             name(from->memory),
                             offset,
                             offset + static_cast<std::int64_t>(bytes),
                             name(from->memory),
                             core.local(from->memory).size());
    close_plain_runs();
    core.fail(info_of(site), place_of(site), message, Pipe::scalar);
}

std::optional<std::uint64_t> root_in(CorePort& core, Memory memory, const void* root) {
    const std::optional<PlainPlace> place = place_in(core, root);
    return place && place->memory == memory ? std::optional{place->offset} : std::nullopt;
}

/// Whether a pointer that leads into one memory was computed from one into another, which begins behind its
/// end: what lies there is not what was meant.
bool left_its_memory(CorePort& core, const PlainPlace& place, const void* root) {
    const std::optional<PlainPlace> from = place_in(core, root);
    return from && from->memory != place.memory;
}

/// An access of a place that goes hither and thither.
void watch_word(CorePort& core, PlainSite& site, const PlainPlace& place, const void* root) {
    const std::uint64_t address = place.base + place.offset;
    const bool write = site.write != 0;
    const Access access = access_at(place, site.bytes, write);
    const std::optional<std::uint64_t> from = root_in(core, place.memory, root);
    if (!inside(core, site, access, from)) {
        return;
    }
    if (place.memory == Memory::gm) {
        if (const GlobalBuffer* buffer = core.global().find(place.offset)) {
            const std::uint64_t begin = place.base + buffer->offset;
            known_of_root(root).all = {begin, begin + buffer->bytes};
        }
    }
    if (words.knows(address, site.bytes, write)) {
        return words.mark(site, address);
    }
    bool overlaps = false;
    if (!write && end_of_open_write(address, site.bytes, overlaps) != 0) {
        return words.mark(site, address);
    }
    if (overlaps || (!write && words.wrote(address, site.bytes))) {
        close_plain_runs();
    }
    const PlainRange range = core.observer()->plain_range(info_of(site), access, from, place_of(site));
    if (range.at_once) {
        close_plain_runs();
        return core.observer()->on_plain(info_of(site), access, place_of(site));
    }
    if (range.noted) {
        link(site);
        RootBytes& known = known_of_root(root);
        known.noted[site.write].join({address, place.base + range.end});
        if (place.memory != Memory::gm) {
            known.all.join({address, place.base + range.end});
        }
        return words.mark(site, address);
    }
    const std::uint64_t starts = range.end - range.begin - site.bytes + 1;
    open_run(site, place.base + range.begin, starts, starts, free_run);
}

/// Notes an access of a place that goes hither and thither, if it is known that nothing but that is asked
/// for. False if not.
bool note_word(PlainSite& site, std::uint64_t address, const RootBytes& known) {
    if (!known.noted[site.write].hold(address, site.bytes)) {
        return false;
    }
    bool overlaps = false;
    if (site.write == 0 && (words.wrote(address, site.bytes) ||
                            (end_of_open_write(address, site.bytes, overlaps) == 0 && overlaps))) {
        return false;
    }
    link(site);
    words.mark(site, address);
    return true;
}

/// Whether a read goes on right behind what its place has read, in what another place has written meanwhile.
bool reads_on(PlainSite& site, std::uint64_t address) {
    const bool told = site.state == noted || site.state == reads_open_run;
    if (!told || site.write != 0 || address != site.begin + site.starts + site.bytes - 1) {
        return false;
    }
    bool overlaps = false;
    const std::uint64_t end = end_of_open_write(address, site.bytes, overlaps);
    if (end == 0) {
        return false;
    }
    site.starts += site.bytes;
    site.most = end - site.begin - site.bytes + 1;
    site.state = reads_open_run;
    return true;
}

/// An element lies at a multiple of its size.
void check_alignment(CorePort& core, const PlainSite& site, const PlainPlace& place) {
    if (place.offset % site.align != 0) [[unlikely]] {
        close_plain_runs();
        core.fail(info_of(site),
                  place_of(site),
                  fmt::format("an element of {} bytes at {} offset {}, which is not a multiple of {}",
                              site.bytes,
                              place.memory == Memory::gm ? "gm" : name(place.memory),
                              place.offset,
                              site.align),
                  Pipe::scalar);
    }
}

/// Looks an access up that lies in the machine.
void watch_access(CorePort& core, PlainSite& site, const PlainPlace& place, const void* root) {
    constexpr std::uint32_t most_of_a_word = 32;
    if (reads_on(site, place.base + place.offset)) {
        return;
    }
    if (site.state != closed && site.moves < moves_of_a_run) {
        ++site.moves;
    }
    const bool scattered = site.moves == moves_of_a_run && site.bytes <= most_of_a_word;
    if (site.state == reads_open_run) {
        close_plain_runs();
    } else {
        tell_run(core, site);
    }
    const Access access = access_at(place, site.bytes, site.write != 0);
    const std::uint64_t address = place.base + place.offset;
    if (scattered || (!access.write && words.wrote(address, site.bytes))) {
        return watch_word(core, site, place, root);
    }
    const std::optional<std::uint64_t> from = root_in(core, place.memory, root);
    if (!inside(core, site, access, from)) {
        return open_run(site, address, 1, 1, free_run);
    }
    bool overlaps = false;
    const std::uint64_t written = access.write ? 0 : end_of_open_write(address, site.bytes, overlaps);
    if (written != 0) {
        return open_run(site, address, 1, written - address - site.bytes + 1, reads_open_run);
    }
    if (overlaps) {
        close_plain_runs();
    }
    const PlainRange range = core.observer()->plain_range(info_of(site), access, from, place_of(site));
    if (range.at_once) {
        close_plain_runs();
        core.observer()->on_plain(info_of(site), access, place_of(site));
        return open_run(site, address, 1, 1, free_run);
    }
    const std::uint64_t end = place.base + range.end;
    if (range.noted) {
        return open_run(site, address, 1, end - address - site.bytes + 1, noted);
    }
    const std::uint64_t starts = range.end - range.begin - site.bytes + 1;
    open_run(site, place.base + range.begin, starts, starts, free_run);
}

/// An access of which nothing is known yet. Apart from the quick answer, which needs none of its registers.
[[gnu::noinline]] void look_up(PlainSite& site, const void* pointer, const void* root) {
    CorePort& core = CorePort::current();
    if (core.observer() == nullptr) {
        site.begin = 0;
        site.starts = std::numeric_limits<std::uint64_t>::max();
        return;
    }
    if (owner != &core) {
        close_plain_runs();
    }
    const std::optional<PlainPlace> place = place_in(core, pointer);
    if (place && !left_its_memory(core, *place, root)) {
        check_alignment(core, site, *place);
        return watch_access(core, site, *place, root);
    }
    check_outside(core, site, pointer, root, site.bytes);
    tell_run(core, site);
    open_foreign(site, pointer);
}

void tell_words(CorePort& core, bool write) {
    if (words.empty() || owner != &core) {
        return;
    }
    constexpr std::uint64_t block = 32;  // of which buffers of a core's memory are made: one ends with it
    for (const PlainWords::Run& run : words.runs(write)) {
        PlainPlace place = *place_in(core, reinterpret_cast<const void*>(run.begin));
        const std::uint64_t end = place.offset + (run.end - run.begin);
        while (place.offset < end) {
            const std::uint64_t next =
                place.memory == Memory::gm ? end : std::min(end, (place.offset / block + 1) * block);
            core.observer()->on_plain(
                info_of(*run.site), access_at(place, next - place.offset, write), place_of(*run.site));
            place.offset = next;
        }
    }
}

}  // namespace

void close_plain_runs() {
    if (open_plain_sites == nullptr) {
        return;
    }
    CorePort& core = CorePort::current();
    PlainSite* sites = std::exchange(open_plain_sites, nullptr);
    ++turns;
    last_root = 0;
    for (const std::uint32_t place : seen) {
        ascendsim_plain_seen[place] = 0;
    }
    seen.clear();
    // First what was written: some of it may be what others have read.
    for (PlainSite* site = sites; site != nullptr; site = site->next) {
        site->linked = site->moves = 0;
        site->key = 0;
        site->root = nullptr;
        if (site->write != 0) {
            tell_run(core, *site);
        }
    }
    tell_words(core, true);
    tell_words(core, false);
    words.clear();
    while (sites != nullptr) {
        PlainSite* site = sites;
        sites = site->next;
        tell_run(core, *site);
    }
}

}  // namespace ascendsim::isa

std::uint64_t ascendsim_plain_seen[ascendsim::isa::PlainSeen::entries];  // NOLINT: C linkage

void ascendsim_plain_access(ascendsim::isa::PlainSite* site, const void* pointer, const void* root) {
    using namespace ascendsim::isa;
    if (!CorePort::running()) {
        return;
    }
    if (site->moves == moves_of_a_run && site->state == closed && owner == &CorePort::current()) {
        const RootBytes& known = bytes_of_root(root);
        const auto address = reinterpret_cast<std::uint64_t>(pointer);
        if (belongs_to(*site, address, known, root) &&
            (words.knows(address, site->bytes, site->write != 0) || note_word(*site, address, known))) {
            return note_seen(*site, address, known);
        }
    }
    look_up(*site, pointer, root);
}

void ascendsim_plain_block(ascendsim::isa::PlainSite* site,
                           const void* pointer,
                           const void* root,
                           std::uint64_t bytes) {
    using namespace ascendsim::isa;
    if (bytes == 0 || !CorePort::running() || CorePort::current().observer() == nullptr) {
        return;
    }
    CorePort& core = CorePort::current();
    const std::optional<PlainPlace> place = place_in(core, pointer);
    if (!place || left_its_memory(core, *place, root)) {
        return check_outside(core, *site, pointer, root, bytes);
    }
    const Access access = access_at(*place, bytes, site->write != 0);
    close_plain_runs();
    const std::optional<std::uint64_t> from = root_in(core, place->memory, root);
    if (inside(core, *site, access, from)) {
        static_cast<void>(core.observer()->plain_range(info_of(*site), access, from, place_of(*site)));
        core.observer()->on_plain(info_of(*site), access, place_of(*site));
    }
}

void ascendsim_plain_frame(const void* end, const char* file, std::uint32_t line) {
    using namespace ascendsim::isa;
    if (CorePort::running() && CorePort::current().observer() != nullptr) {
        close_plain_runs();
        CorePort::current().observer()->on_buffer(
            BufferNotice::frame, {.offset = reinterpret_cast<std::uintptr_t>(end)}, {file, line});
    }
}

void ascendsim_array_access(const ascendsim::isa::PlainSite* site,
                            std::int64_t offset,
                            std::uint64_t bytes,
                            std::uint64_t size) {
    using namespace ascendsim::isa;
    if (bytes == 0 || !CorePort::running() || CorePort::current().observer() == nullptr) {
        return;
    }
    CorePort& core = CorePort::current();
    const std::string message = fmt::format("{} bytes [{}, {}) of a variable of its own, which has {} bytes",
                                            verb_of(site->write != 0),
                                            offset,
                                            offset + static_cast<std::int64_t>(bytes),
                                            size);
    close_plain_runs();
    if (site->write != 0) {
        core.fail(info_of(*site), place_of(*site), message, ascendsim::Pipe::scalar);
    }
    core.tell_beyond(info_of(*site), place_of(*site), message, ascendsim::Pipe::scalar);
}
