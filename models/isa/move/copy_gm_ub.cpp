// SPDX-License-Identifier: Apache-2.0
#include "models/isa/move/copy_gm_ub.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "models/isa/move/atomic.hpp"
#include "models/isa/move/copy_rows.hpp"
#include "models/port/issue.hpp"
#include "models/port/scalar_access.hpp"
#include "sim/base/units.hpp"

namespace ascendsim::isa {
namespace {

/// Lets the other programs run if this one reads nothing but flags: one small row of the same place, more
/// often in a row than kernels read data that way.
void watch(const void* gm, const CopyShape& shape) {
    constexpr std::uint32_t copies_before_poll = 64;
    constexpr std::uint32_t most_bytes = 8192;  // the flags of all cores
    constexpr std::uint64_t nowhere = std::uint64_t{1} << 47U;
    CorePort& core = CorePort::current();
    const bool flags = shape.rows == 1 && shape.row_bytes <= most_bytes;
    watch_poll(core,
               PollKind::copy,
               flags ? core.global().offset_of(gm) : nowhere,
               flags ? copies_before_poll : ~0U);
}

constexpr OpInfo in_info{"copy_gm_to_ubuf", "Copies blocks from global memory into the core."};
constexpr OpInfo in_pad_info{"copy_gm_to_ubuf_align",
                             "Copies bytes from global memory into the core, rows padded to 32 bytes."};
constexpr OpInfo out_info{"copy_ubuf_to_gm", "Copies blocks from the core to global memory."};
constexpr OpInfo out_pad_info{"copy_ubuf_to_gm_align", "Copies bytes from the core to global memory."};

void time_transfer(Pipe pipe, Local local, const CopyShape& shape, TimedOp& op) {
    op.kind = OpKind::transfer;
    op.pipe = pipe;
    op.bytes = shape.rows * shape.row_bytes;
    op.memory = local.memory;
    op.offset = local.offset;
}

/// The fields of a copy have limits: 4095 blocks, and 32 bytes of padding at each end of a row
/// [docs/sources.md, S33].
void check_fields(
    const CopyShape& shape, const CopyPadding& padding, const OpInfo& info, Site site, Pipe pipe) {
    constexpr std::uint32_t most_rows = 4095;
    if (shape.rows > most_rows) [[unlikely]] {
        CorePort::current().fail(
            info,
            site,
            fmt::format("{} blocks: a copy has at most {} (blockCount)", shape.rows, most_rows),
            pipe);
    }
    if (std::max(padding.left_bytes, padding.right_bytes) > block_bytes) [[unlikely]] {
        CorePort::current().fail(
            info,
            site,
            fmt::format("padding of {} bytes on the left and {} on the right: each is at "
                        "most {}",
                        padding.left_bytes,
                        padding.right_bytes,
                        block_bytes),
            pipe);
    }
}

Transfer rows_transfer(std::uint64_t offset, const CopyShape& shape, Route route) {
    const bool dense = shape.gm_pitch == shape.row_bytes || shape.rows <= 1;
    return {.offset = offset,
            .row_pitch = dense ? 0 : shape.gm_pitch,
            .row_bytes = dense ? shape.row_bytes * shape.rows : shape.row_bytes,
            .rows = dense ? 1 : shape.rows,
            .route = route,
            .bypass_l2 = shape.bypass_l2};
}

std::uint64_t gm_offset(const void* gm, const OpInfo& info, Site site, Pipe pipe) {
    CorePort& core = CorePort::current();
    if (!core.global().owns(gm)) [[unlikely]] {
        core.fail(
            info, site, "the global-memory address was never set, or lies outside of global memory", pipe);
    }
    return core.global().offset_of(gm);
}

void fill_elements(std::byte* at, std::uint32_t bytes, const void* value, std::uint32_t size) {
    for (std::uint32_t i = 0; i < bytes; i += size) {
        std::memcpy(at + i, value, std::min(size, bytes - i));
    }
}

// One padded row: left padding, data, right padding, and dummy bytes up to the next 32-byte boundary.
void copy_padded_row(std::byte* dst,
                     const std::byte* src,
                     const CopyShape& shape,
                     const CopyPadding& padding,
                     std::uint32_t total) {
    const std::uint32_t right = padding.left_bytes + shape.row_bytes;
    const void* value =
        padding.pads ? static_cast<const void*>(&padding.value) : static_cast<const void*>(src);
    fill_elements(dst, padding.left_bytes, value, padding.element_bytes);
    std::memcpy(dst + padding.left_bytes, src, shape.row_bytes);
    fill_elements(dst + right, total - right, value, padding.element_bytes);
}

}  // namespace

Instructions copy_gm_ub_instructions() {
    return {&in_info, &in_pad_info, &out_info, &out_pad_info};
}

std::uint32_t CopyIn::local_row_bytes() const {
    return round_up(padding.left_bytes + shape.row_bytes + padding.right_bytes, block_bytes);
}

void CopyIn::accesses(Accesses& list) const {
    list.read(rows_access(Memory::gm, src, shape.rows, shape.row_bytes, shape.gm_pitch));
    list.write(rows_access(dst.memory, dst.offset, shape.rows, local_row_bytes(), shape.local_pitch));
}

void CopyIn::time(const ChipSpec&, TimedOp& op) const {
    time_transfer(Pipe::mte2, dst, shape, op);
}

Transfer CopyIn::transfer(const CorePort&) const {
    return rows_transfer(src,
                         shape,
                         dst.memory == Memory::ub   ? Route::gm_to_ub
                         : dst.memory == Memory::l1 ? Route::gm_to_l1
                                                    : Route::gm_to_l0);
}

void CopyIn::execute(CorePort& core) const {
    std::byte* to = core.at(dst);
    const std::byte* from = core.global().base() + src;
    const std::uint32_t total = local_row_bytes();
    if (total == shape.row_bytes && shape.local_pitch == total &&
        (shape.gm_pitch == total || shape.rows == 1)) {
        std::memcpy(to, from, std::size_t{total} * shape.rows);
        return;
    }
    for (std::uint32_t row = 0; row < shape.rows && shape.row_bytes > 0; ++row) {
        copy_padded_row(to, from, shape, padding, total);
        to += shape.local_pitch;
        from += shape.gm_pitch;
    }
}

void CopyOut::accesses(Accesses& list) const {
    list.read(rows_access(src.memory, src.offset, shape.rows, shape.row_bytes, shape.local_pitch));
    Access target = rows_access(Memory::gm, dst, shape.rows, shape.row_bytes, shape.gm_pitch);
    target.atomic = how.active();
    list.write(target);
}

void CopyOut::time(const ChipSpec&, TimedOp& op) const {
    time_transfer(Pipe::mte3, src, shape, op);
}

Transfer CopyOut::transfer(const CorePort&) const {
    Transfer result = rows_transfer(dst, shape, src.memory == Memory::ub ? Route::ub_to_gm : Route::l1_to_gm);
    result.atomic = how.active();
    return result;
}

void CopyOut::execute(CorePort& core) const {
    const std::byte* from = core.at(src);
    std::byte* to = core.global().base() + dst;
    for (std::uint32_t row = 0; row < shape.rows; ++row) {
        if (how.active()) {
            store(to, from, shape.row_bytes, how);
        } else {
            std::memcpy(to, from, shape.row_bytes);
        }
        from += shape.local_pitch;
        to += shape.gm_pitch;
    }
}

void copy_in(Local dst, const void* gm, const CopyShape& shape, Site site) {
    check_local(dst, in_info, site, Pipe::mte2);
    check_fields(shape, {}, in_info, site, Pipe::mte2);
    watch(gm, shape);
    issue(CopyIn{.info = in_info,
                 .dst = dst,
                 .src = gm_offset(gm, in_info, site, Pipe::mte2),
                 .shape = shape,
                 .padding = {}},
          site);
}

void copy_in_padded(
    Local dst, const void* gm, const CopyShape& shape, const CopyPadding& padding, Site site) {
    check_local(dst, in_pad_info, site, Pipe::mte2);
    check_fields(shape, padding, in_pad_info, site, Pipe::mte2);
    watch(gm, shape);
    issue(CopyIn{.info = in_pad_info,
                 .dst = dst,
                 .src = gm_offset(gm, in_pad_info, site, Pipe::mte2),
                 .shape = shape,
                 .padding = padding},
          site);
}

void copy_out(const void* gm, Local src, const CopyShape& shape, Site site) {
    check_local(src, out_info, site, Pipe::mte3);
    check_fields(shape, {}, out_info, site, Pipe::mte3);
    issue(CopyOut{.info = out_info,
                  .src = src,
                  .dst = gm_offset(gm, out_info, site, Pipe::mte3),
                  .shape = shape,
                  .how = AtomicWrite::of(CorePort::current().registers())},
          site);
}

void copy_out_bytes(const void* gm, Local src, const CopyShape& shape, Site site) {
    check_local(src, out_pad_info, site, Pipe::mte3);
    check_fields(shape, {}, out_pad_info, site, Pipe::mte3);
    issue(CopyOut{.info = out_pad_info,
                  .src = src,
                  .dst = gm_offset(gm, out_pad_info, site, Pipe::mte3),
                  .shape = shape,
                  .how = AtomicWrite::of(CorePort::current().registers())},
          site);
}

}  // namespace ascendsim::isa
