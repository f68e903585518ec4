// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/plan/comparison.hpp"
#include "kernels/plan/content.hpp"
#include "kernels/plan/plugin.hpp"
#include "models/port/testing/plain_core.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::testing {

/// Runs an in-tree kernel block after block on cores without a machine, and compares its outputs with the
/// reference. For kernels whose cores do not wait for each other.
class PlainRun {
public:
    explicit PlainRun(std::string_view kernel)
        : host_{host::load_kernel_host(file(kernel, "host"))},
          aic_{file(kernel, "aic")},
          aiv_{file(kernel, "aiv")} {}

    [[nodiscard]] host::Knobs knobs() const { return host::Knobs{host_.knobs()}; }

    [[nodiscard]] host::Plan plan(const host::Knobs& knobs) const { return host_.plan(knobs, chip_); }

    /// Runs and compares; one result for each tolerance of the plan.
    [[nodiscard]] std::vector<host::Comparison> run(const host::Knobs& knobs, std::uint64_t seed) {
        const host::Plan plan = this->plan(knobs);
        isa::GlobalMemory memory{std::uint64_t{1} << 30U};
        std::map<std::string, std::byte*> places;
        std::map<std::string, std::vector<std::byte>> before;
        for (const host::Buffer& buffer : plan.buffers) {
            std::byte* place = memory.allocate(buffer.name, buffer.bytes(), buffer.control);
            places[buffer.name] = place;
            host::write_content(buffer, seed, {place, buffer.bytes()});
            before[buffer.name].assign(place, place + buffer.bytes());
        }
        instructions_ = 0;
        for (const host::Launch& launch : plan.launches) {
            for (std::uint32_t block = 0; block < launch.blocks; ++block) {
                run_block(launch, block, memory, places);
            }
        }
        host::ReferenceData data;
        for (const host::Buffer& buffer : plan.buffers) {
            data.add(buffer, before[buffer.name]);
        }
        plan.reference(data);
        std::vector<host::Comparison> results;
        for (const host::Tolerance& tolerance : plan.tolerances) {
            const std::vector<double>& expected = data.expected(tolerance.output);
            const host::Buffer& buffer = data.buffer(tolerance.output);
            results.push_back(host::compare(
                buffer,
                {places[buffer.name], buffer.bytes()},
                [&](std::uint64_t i) { return expected[i]; },
                tolerance,
                data.errors(tolerance.output)));
        }
        return results;
    }

    [[nodiscard]] std::uint64_t instructions() const { return instructions_; }

    ChipSpec& chip() { return chip_; }

private:
    static std::filesystem::path file(std::string_view kernel, std::string_view pass) {
        return toolchain::Installation::find().plugins() /
               (std::string{kernel} + "." + std::string{pass} + ".so");
    }

    void run_block(const host::Launch& launch,
                   std::uint32_t block,
                   isa::GlobalMemory& memory,
                   std::map<std::string, std::byte*>& places) {
        const bool cube = launch.cores == CoreUse::aic;
        const isa::Entry& entry = (cube ? aic_ : aiv_).entry(launch.entry);
        host::check_arguments(launch, entry);
        std::vector<std::vector<std::byte>> values;
        for (const host::Argument& argument : launch.arguments) {
            values.push_back(argument.value);
            if (!argument.buffer.empty()) {
                const std::byte* place = places.at(argument.buffer) + argument.offset;
                values.back().resize(sizeof(place));
                std::memcpy(values.back().data(), &place, sizeof(place));
            }
        }
        std::vector<void*> pointers;
        for (std::vector<std::byte>& value : values) {
            pointers.push_back(value.data());
        }
        const CoreKind kind = cube ? CoreKind::aic : CoreKind::aiv;
        isa::PlainCore core{chip_, memory, kind};
        core.set_identity({.core = block, .block = block, .block_count = launch.blocks, .kind = kind});
        entry.invoke(pointers.data());
        instructions_ += core.ops().size();
    }

    const host::KernelHost& host_;
    host::DevicePlugin aic_;
    host::DevicePlugin aiv_;
    ChipSpec chip_ = [] {
        ChipSpec chip;
        chip.name = "test chip";
        return chip;
    }();
    std::uint64_t instructions_ = 0;
};

}  // namespace ascendsim::testing
