// SPDX-License-Identifier: Apache-2.0
#include "models/port/core_port.hpp"

#include <algorithm>
#include <utility>

#include "models/port/buffer_capacity.hpp"
#include "models/port/pointer_access.hpp"
#include "models/port/scalar_access.hpp"
#include "sim/base/error.hpp"
#include "sim/base/units.hpp"

std::uint64_t ascendsim_scalar_steps = 0;
std::uint64_t ascendsim_stack_marks = 0;
std::uint64_t ascendsim_scalar_divisions = 0;
std::uint64_t ascendsim_scalar_hits = 0;

namespace ascendsim::isa {
namespace {

constexpr OpInfo stack_load_info{"stack_load",
                                 "The scalar unit touches a line of its stack for the first time."};
constexpr OpInfo scalar_load_info{"scalar_load", "The scalar unit reads global memory past its data cache."};
constexpr OpInfo scalar_store_info{"scalar_store",
                                   "The scalar unit writes global memory through its data cache."};
constexpr OpInfo preload_info{"preload_line",
                              "The scalar unit lets a line of global memory come into its data cache."};
constexpr std::uint64_t cache_empty = ~std::uint64_t{0};

bool has(CoreKind kind, Memory memory) {
    switch (memory) {
        case Memory::gm:
            return false;
        case Memory::ub:
            return kind != CoreKind::aic;
        case Memory::l1:
        case Memory::l0a:
        case Memory::l0b:
        case Memory::l0c:
        case Memory::bias_table:
        case Memory::fixpipe_buffer:
            return kind != CoreKind::aiv;
    }
    return false;
}

/// The buffer whose end an access at `offset` is a little behind of; null if none is near. An allocation
/// starts at a multiple of its step.
const GlobalBuffer* buffer_before(const GlobalMemory& memory, std::uint64_t offset) {
    constexpr std::uint64_t step = 512;
    constexpr std::uint64_t farthest = 1U << 20U;
    for (std::uint64_t back = step; back <= std::min(farthest, offset); back += step) {
        if (const GlobalBuffer* buffer = memory.find(offset - back)) {
            return buffer;
        }
    }
    return nullptr;
}

}  // namespace

Instructions core_port_instructions() {
    return {&stack_load_info, &scalar_load_info, &scalar_store_info, &preload_info};
}

CorePort* CorePort::current_ = nullptr;

std::string_view name(Route route) {
    constexpr std::array<std::string_view, route_count> names{"gm_to_ub",
                                                              "gm_to_l1",
                                                              "gm_to_l1_nd2nz",
                                                              "gm_to_l0",
                                                              "ub_to_gm",
                                                              "l1_to_gm",
                                                              "l0c_to_gm",
                                                              "l0c_to_gm_nz2nd",
                                                              "scalar_read",
                                                              "scalar_write"};
    return names[static_cast<std::size_t>(route)];
}

CorePort::CorePort(const ChipSpec& chip, GlobalMemory& memory)
    : chip_{chip},
      global_{memory},
      data_cache_(chip.scalar.dcache_bytes / chip.scalar.dcache_line, CacheLine{.number = cache_empty}) {}

CorePort::~CorePort() = default;

void CorePort::allocate_locals(CoreKind kind) {
    constexpr std::size_t alignment = 4096;
    // The indices of sparse weights have a buffer without a name, a quarter of L0B: it lies behind L0B
    // (sparse.hpp).
    const auto reserved = [this](Memory memory) {
        const std::size_t bytes = buffer_capacity(chip_.buffers, memory);
        return round_up<std::size_t>(memory == Memory::l0b ? bytes + bytes / 4 : bytes, alignment);
    };
    std::size_t total = 0;
    for (std::size_t m = 0; m < memory_count; ++m) {
        const auto memory = static_cast<Memory>(m);
        total += has(kind, memory) ? reserved(memory) : 0;
    }
    storage_.emplace(total);  // starts at a page, so at `alignment`
    std::byte* next = &(*storage_)[0];
    for (std::size_t m = 0; m < memory_count; ++m) {
        const auto memory = static_cast<Memory>(m);
        const std::size_t bytes = has(kind, memory) ? buffer_capacity(chip_.buffers, memory) : 0;
        locals_[m] = {next, bytes};
        next += bytes == 0 ? 0 : reserved(memory);
    }
}

std::optional<Local> CorePort::find_local(const void* pointer) const {
    const auto* byte = static_cast<const std::byte*>(pointer);
    for (std::size_t m = 0; m < memory_count; ++m) {
        const std::span<std::byte> bytes = locals_[m];
        if (!bytes.empty() && byte >= bytes.data() && byte < bytes.data() + bytes.size()) {
            return Local{static_cast<Memory>(m), static_cast<std::uint32_t>(byte - bytes.data())};
        }
    }
    return std::nullopt;
}

std::uint64_t CorePort::counted_cycles() const {
    const std::uint64_t simple = ascendsim_scalar_steps - ascendsim_scalar_divisions - ascendsim_scalar_hits;
    return simple * chip_.scalar.issue_cycles + ascendsim_scalar_divisions * chip_.scalar.divide_cycles +
           ascendsim_scalar_hits * chip_.scalar.dcache_hit_cycles;
}

void CorePort::take_steps() {
    TimedOp& op = next();
    if (op.kind == OpKind::buffer) {
        return;  // costs no time; the next one carries it
    }
    const std::uint64_t cycles = counted_cycles();
    ascendsim_scalar_steps = 0;
    ascendsim_scalar_divisions = 0;
    ascendsim_scalar_hits = 0;
    if (cycles > arithmetic_limit_) {
        fail_endless();
    }
    arithmetic_cycles_ += cycles;
    op.scalar += static_cast<std::uint32_t>(cycles);
}

void CorePort::fail_endless() {
    const TimedOp& op = next();
    fail(*op.info,
         op.site,
         fmt::format(
             "the kernel has computed for more than {} cycles before it without another call of Ascend C "
             "(limits.arithmetic_cycles sets the limit)",
             arithmetic_limit_),
         op.pipe);
}

void CorePort::commit(const Transfer& transfer) {
    if (free_transfers_.empty()) {
        free_transfers_.push_back(static_cast<std::uint32_t>(transfers_.size()));
        transfers_.emplace_back();
    }
    const std::uint32_t id = free_transfers_.back();
    free_transfers_.pop_back();
    transfers_[id] = transfer;
    next().id = id;
    commit();
}

void CorePort::scalar_global_access(const void* pointer, std::uint32_t bytes, bool write, Site site) {
    const std::uint64_t offset = global_.offset_of(pointer);
    const Access access{.memory = Memory::gm, .write = write, .offset = offset, .row_bytes = bytes};
    if (!global_.contains(access)) {
        leave(access, write ? scalar_store_info : scalar_load_info, site, Pipe::scalar);
    }
    TimedOp op{.info = write ? &scalar_store_info : &scalar_load_info,
               .site = site,
               .kind = OpKind::scalar_work,
               .pipe = Pipe::scalar,
               .scalar = chip_.scalar.dcache_hit_cycles,
               .bytes = bytes,
               .memory = Memory::gm};
    if (observer_ != nullptr) {
        Accesses accesses;
        write ? accesses.write(access) : accesses.read(access);
        observer_->on_issue(op, accesses);
    }
    push_global_access(offset, op, write ? Route::scalar_write : Route::scalar_read);
}

void CorePort::scalar_global_reference(const void* pointer, std::uint32_t bytes, Site site) {
    const std::uint64_t offset = global_.offset_of(pointer);
    const Access access{.memory = Memory::gm, .offset = offset, .row_bytes = bytes};
    if (observer_ == nullptr && !global_.contains(access)) {  // else the kernel's own code tells
        leave(access, scalar_load_info, site, Pipe::scalar);
    }
    referenced_ = offset;
    push_global_access(offset,
                       {.info = &scalar_load_info,
                        .site = site,
                        .kind = OpKind::scalar_work,
                        .pipe = Pipe::scalar,
                        .scalar = chip_.scalar.dcache_hit_cycles,
                        .bytes = bytes,
                        .memory = Memory::gm},
                       Route::scalar_read);
}

void CorePort::scalar_pointer_access(const void* pointer, std::uint64_t bytes, bool write, Site site) {
    const std::uint64_t offset = global_.offset_of(pointer);
    if (std::exchange(referenced_, nowhere) == offset) {
        return;
    }
    const std::uint64_t line_bytes = chip_.scalar.dcache_line;
    const std::uint64_t end = std::min(offset + bytes, global_.capacity());
    for (std::uint64_t line = offset / line_bytes; line * line_bytes < end; ++line) {
        const CacheLine& place = cache_place(line);
        if (place.number == line && place.load == 0) {
            ++ascendsim_scalar_steps;
            ++ascendsim_scalar_hits;
            continue;
        }
        push_global_access(line * line_bytes,
                           {.info = write ? &pointer_store_info : &pointer_load_info,
                            .site = site,
                            .kind = OpKind::scalar_work,
                            .pipe = Pipe::scalar,
                            .scalar = chip_.scalar.dcache_hit_cycles,
                            .bytes = chip_.scalar.dcache_line,
                            .memory = Memory::gm},
                           write ? Route::scalar_write : Route::scalar_read);
    }
}

Transfer CorePort::line_transfer(std::uint64_t line, Route route) const {
    const std::uint32_t bytes = chip_.scalar.dcache_line;
    return {.offset = line * bytes, .row_bytes = bytes, .route = route};
}

void CorePort::push_global_access(std::uint64_t offset, TimedOp op, Route route) {
    const std::uint64_t line = offset / chip_.scalar.dcache_line;
    CacheLine& place = cache_place(line);
    if (place.number != line) {
        place = {.number = line};
        op.kind = OpKind::scalar_load;
        push(op, line_transfer(line, route));
        return;
    }
    if (place.load != 0) {
        op.kind = OpKind::scalar_load;
        op.a = load_arrives;
        op.id = std::exchange(place.load, 0);
    }
    push(op);
}

void CorePort::preload_line(const void* pointer, Site site) {
    if (!global_.owns(pointer)) {
        return;
    }
    const std::uint64_t line = global_.offset_of(pointer) / chip_.scalar.dcache_line;
    CacheLine& place = cache_place(line);
    TimedOp op{.info = &preload_info,
               .site = site,
               .kind = OpKind::scalar_work,
               .pipe = Pipe::scalar,
               .scalar = chip_.scalar.call_cycles,
               .memory = Memory::gm};
    if (place.number == line) {
        push(op);
        return;
    }
    preloads_ = preloads_ == ~std::uint32_t{0} ? 1 : preloads_ + 1;
    place = {.number = line, .load = preloads_};
    op.kind = OpKind::scalar_load;
    op.a = load_starts;
    op.latency = preloads_;
    op.bytes = chip_.scalar.dcache_line;
    push(op, line_transfer(line, Route::scalar_read));
}

void CorePort::touch_stack(std::uint32_t lines, Site site) {
    const std::uint32_t line = chip_.scalar.dcache_line;
    if (stack_ == stack_held) {
        return;
    }
    for (std::uint32_t i = 0; i < lines; ++i) {
        push({.info = &stack_load_info,
              .site = site,
              .kind = OpKind::scalar_load,
              .pipe = Pipe::scalar,
              .scalar = chip_.scalar.dcache_hit_cycles,
              .bytes = line},
             Transfer{
                 .offset = stack_ + std::uint64_t{i} * line, .row_bytes = line, .route = Route::scalar_read});
    }
    stack_ = stack_held;
}

void CorePort::clean_data_cache(const void* pointer, bool whole) {
    whole = whole || pointer == nullptr;
    if (observer_ != nullptr && current_ == this) {
        observer_->on_clean(whole ? 0 : global_.offset_of(pointer), whole);
    }
    if (whole) {
        std::ranges::fill(data_cache_, CacheLine{.number = cache_empty});
        return;
    }
    const std::uint64_t line = global_.offset_of(pointer) / chip_.scalar.dcache_line;
    cache_place(line) = {.number = cache_empty};
    if (current_ == this) {
        // Kernels that poll through a plain pointer invalidate its line each time; that is all there is to
        // see.
        constexpr std::uint32_t patience = 8;
        watch_poll(*this, PollKind::line, line, patience);
    }
}

void CorePort::leave(const Access& access, const OpInfo& info, Site site, Pipe pipe) {
    const bool reads_on =
        access.memory == Memory::gm && !access.write &&
        (global_.find(access.offset) != nullptr || buffer_before(global_, access.offset) != nullptr);
    if (!reads_on) {
        fail(info, site, range_message(access), pipe);
    }
    tell_beyond(info, site, range_message(access), pipe);
}

void CorePort::note_oversized(const OpInfo& info, Site site, std::string_view message) {
    if (too_much_ == nullptr) {
        too_much_ = &info;
        too_much_at_ = kernel_line(site);
    }
    tell_beyond(info, site, message, Pipe::scalar);
}

void CorePort::tell_beyond(const OpInfo& info, Site site, std::string_view message, Pipe pipe) {
    if (strict_) {
        fail(info, site, message, pipe);
    }
    if (observer_ != nullptr) {
        observer_->on_beyond(info, kernel_line(site), message, pipe);
    }
}

std::string CorePort::range_message(const Access& access) const {
    const std::string_view verb = access.write ? "writes" : "reads";
    const std::uint64_t last = access.offset + access.extent();
    if (access.memory != Memory::gm) {
        return fmt::format("{} {} bytes [{}, {}), but {} has {} bytes on this core{}",
                           verb,
                           name(access.memory),
                           access.offset,
                           last,
                           name(access.memory),
                           locals_[index(access.memory)].size(),
                           too_much_ == nullptr ? std::string{}
                                                : fmt::format("; {} at {}:{} asked for more than there is",
                                                              too_much_->name,
                                                              too_much_at_.file,
                                                              too_much_at_.line));
    }
    const GlobalBuffer* buffer = global_.find(access.offset);
    if (buffer == nullptr) {
        const GlobalBuffer* before = buffer_before(global_, access.offset);
        return fmt::format("{} {} bytes of global memory outside of every argument{}",
                           verb,
                           access.extent(),
                           before == nullptr ? std::string{}
                                             : fmt::format(", {} bytes behind the end of '{}'",
                                                           access.offset - before->offset - before->bytes,
                                                           before->name));
    }
    return fmt::format("{} bytes [{}, {}) of global-memory buffer '{}', which has {} bytes",
                       verb,
                       access.offset - buffer->offset,
                       last - buffer->offset,
                       buffer->name,
                       buffer->bytes);
}

}  // namespace ascendsim::isa
