// SPDX-License-Identifier: Apache-2.0
// The engine alone: the operation stream of a blocked 8192^3 matrix product on 24 cube cores, issued without
// a kernel around it, timing only. One process, one run (SystemC elaborates once), so no benchmark harness.
//   engine_bench [recording]
#include <chrono>
#include <cstdio>

#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "models/core/testing_programs.hpp"
#include "sim/record/recorder.hpp"

namespace {

using namespace ascendsim;           // NOLINT(google-build-using-namespace): a program of one file
using namespace ascendsim::testing;  // NOLINT(google-build-using-namespace)

constexpr std::uint64_t size = 8192;
constexpr std::uint64_t base_m = 128;
constexpr std::uint64_t base_n = 256;
constexpr std::uint64_t base_k = 64;
constexpr std::uint64_t l1_k = 256;  // depth of one copy to L1

void load_l1(std::uint64_t base, std::uint64_t row, std::uint64_t rows, std::uint64_t k) {
    isa::CorePort::current().push(
        isa::TimedOp{
            .info = &copy_info, .site = {"bench", 10}, .kind = isa::OpKind::transfer, .pipe = Pipe::mte2},
        isa::Transfer{.offset = base + (row * size + k) * 2,
                      .row_pitch = size * 2,
                      .row_bytes = l1_k * 2,
                      .rows = static_cast<std::uint32_t>(rows),
                      .route = isa::Route::gm_to_l1_nd2nz});
}

void multiply_block(std::uint64_t a, std::uint64_t b, std::uint64_t m, std::uint64_t n) {
    std::uint32_t step = 0;
    for (std::uint64_t k1 = 0; k1 < size; k1 += l1_k) {
        const std::uint32_t l1_slot = (k1 / l1_k) % 2;
        await(Pipe::mte1, Pipe::mte2, l1_slot);
        load_l1(a, m, base_m, k1);
        load_l1(b, n, base_n, k1);
        set(Pipe::mte2, Pipe::mte1, l1_slot);
        await(Pipe::mte2, Pipe::mte1, l1_slot);
        for (std::uint64_t k0 = 0; k0 < l1_k; k0 += base_k, ++step) {
            const std::uint32_t slot = step % 2;
            await(Pipe::cube, Pipe::mte1, slot);
            work(Pipe::mte1, 64 + 2, 28);
            work(Pipe::mte1, 256 + 2, 28);
            set(Pipe::mte1, Pipe::cube, slot);
            await(Pipe::mte1, Pipe::cube, slot);
            work(Pipe::cube, 512 + 2, 21);
            set(Pipe::cube, Pipe::mte1, slot);
        }
        set(Pipe::mte1, Pipe::mte2, l1_slot);
    }
}

void program(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    const std::uint64_t blocks_n = size / base_n;
    const isa::CoreIdentity& self = isa::CorePort::current().identity();
    for (std::uint32_t slot = 0; slot < 2; ++slot) {
        set(Pipe::mte1, Pipe::mte2, slot);
        set(Pipe::cube, Pipe::mte1, slot);
    }
    set(Pipe::fixpipe, Pipe::cube);
    for (std::uint64_t block = self.block; block < size / base_m * blocks_n; block += self.block_count) {
        const std::uint64_t m = block / blocks_n * base_m;
        const std::uint64_t n = block % blocks_n * base_n;
        await(Pipe::fixpipe, Pipe::cube);
        multiply_block(a, b, m, n);
        set(Pipe::cube, Pipe::fixpipe);
        await(Pipe::cube, Pipe::fixpipe);
        isa::CorePort::current().push(isa::TimedOp{.info = &copy_info,
                                                   .site = {"bench", 50},
                                                   .kind = isa::OpKind::transfer,
                                                   .pipe = Pipe::fixpipe},
                                      isa::Transfer{.offset = c + (m * size + n) * 2,
                                                    .row_pitch = size * 2,
                                                    .row_bytes = base_n * 2,
                                                    .rows = base_m,
                                                    .route = isa::Route::l0c_to_gm_nz2nd});
        set(Pipe::fixpipe, Pipe::cube);
    }
}

}  // namespace

int main(int argc, char** argv) {
    ChipSpec chip;
    chip.hbm.bytes = 4ULL << 30;  // little address space, so that valgrind can run it
    record::Recorder recorder{argc > 1 ? argv[1] : ""};
    Machine machine{chip, recorder, {.functional = false}};
    isa::GlobalMemory& memory = machine.memory();
    const auto allocate = [&](const char* name) {
        return memory.offset_of(memory.allocate(name, size * size * 2));
    };
    const std::uint64_t a = allocate("a");
    const std::uint64_t b = allocate("b");
    const std::uint64_t c = allocate("c");
    const auto start = std::chrono::steady_clock::now();
    machine.run([&](Machine& m) {
        m.launch({.name = "matmul", .kind = CoreUse::aic, .blocks = 24, .cube_program = [=] {
                      program(a, b, c);
                  }});
    });
    recorder.finish(nlohmann::json::object());
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    const MachineTotals totals = machine.totals();
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::printf(
        "%llu instructions, %llu cycles (%.1f us), %.3f s wall, %.2f M instructions/s, %ld MiB, %llu late\n",
        static_cast<unsigned long long>(totals.instructions),
        static_cast<unsigned long long>(totals.cycles),
        double(totals.cycles) / 1850.0,
        wall.count(),
        double(totals.instructions) / wall.count() / 1e6,
        usage.ru_maxrss / 1024,
        static_cast<unsigned long long>(totals.late_transfers));
    return 0;
}
