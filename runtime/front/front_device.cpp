// SPDX-License-Identifier: Apache-2.0
#include "runtime/front/front_device.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <unistd.h>

#include "models/spec/chip_file.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::front {
namespace {

namespace fs = std::filesystem;

/// The folder of chips: installed beside the command line, or in the source tree above it.
fs::path chips_folder() {
    const fs::path program = fs::weakly_canonical(command_line());
    for (fs::path folder = program.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
        for (const char* below : {"share/ascendsim/models/chips", "models/chips"}) {
            if (fs::exists(folder / below)) {
                return folder / below;
            }
        }
    }
    throw UserError{
        "{}: no chips are found beside this program; set ASCENDSIM to the path of the command line",
        program.string()};
}

std::string wanted_chip() {
    const char* chip = std::getenv("ASCENDSIM_CHIP");
    return chip == nullptr || *chip == '\0' ? "910b3" : chip;
}

/// Where the library lies that holds an address; null if none does.
const void* library_of(const void* address) {
    Dl_info found{};
    return address != nullptr && dladdr(address, &found) != 0 ? found.dli_fbase : nullptr;
}

}  // namespace

FrontDevice& FrontDevice::get() {
    // Never destroyed: tensors that live as long as the process give their memory back to it.
    static FrontDevice* const device = new FrontDevice;  // NOLINT(cppcoreguidelines-owning-memory)
    return *device;
}

FrontDevice::FrontDevice()
    : chip_name_{wanted_chip()}, chip_{load_chip(chip_name_, chips_folder())}, memory_{chip_.hbm.bytes} {
    file_ = memfd_create("ascendsim", MFD_CLOEXEC);
    if (file_ < 0 || ftruncate(file_, static_cast<off_t>(memory_.capacity())) != 0) {
        throw UserError{
            "no memory can be shared with the simulator: memfd_create and ftruncate to {} bytes fail",
            memory_.capacity()};
    }
    memory_.share(file_);
    program::set_current_device(this);
    std::atexit([] { get().finish(); });
}

const char* DoneLaunch::task_type(const ChipSpec& chip) const {
    if (!chip.cores.split || !cores || *cores == CoreUse::aic) {
        return "AI_CORE";
    }
    return *cores == CoreUse::aiv ? "AI_VECTOR_CORE" : "MIX_AIC";
}

void* FrontDevice::allocate(std::size_t bytes) {
    const std::scoped_lock held{lock_};
    try {
        // As the device's allocator pads: kernels read whole blocks. What is too large stays so, and is
        // refused.
        const std::size_t padded = bytes > memory_.capacity() ? bytes : (bytes + 32 + 511) / 512 * 512;
        std::byte* memory = memory_.allocate("tensor", padded);
        allocated_ += padded;
        peak_ = std::max(peak_, allocated_);
        return memory;
    } catch (const UserError& error) {
        fmt::print(stderr, "ascendsim: {}\n", error.what());
        return nullptr;
    }
}

void FrontDevice::release(void* pointer) {
    const std::scoped_lock held{lock_};
    if (const isa::GlobalBuffer* buffer = memory_.find(memory_.offset_of(pointer))) {
        allocated_ -= std::min<std::size_t>(allocated_, buffer->bytes);
        memory_.release(static_cast<std::byte*>(pointer));
    }
}

void FrontDevice::host_forgot(std::uint64_t /*offset*/, std::uint64_t /*bytes*/) {}

void FrontDevice::add(Bundle bundle) {
    const std::scoped_lock held{lock_};
    bundles_.push_back(std::make_unique<Bundle>(std::move(bundle)));
}

void FrontDevice::finish() {
    const std::scoped_lock held{lock_};
    std::fflush(stdout);
    running_.clear();
}

std::string FrontDevice::take_failure() {
    const std::scoped_lock held{lock_};
    return std::exchange(failure_, {});
}

const Bundle& FrontDevice::bundle_of(const program::LaunchRequest& request) const {
    const std::string name = request.text == nullptr ? "" : request.text;
    const void* library =
        library_of(request.call != nullptr ? static_cast<const void*>(request.call) : request.text);
    const Bundle* found = nullptr;
    std::vector<std::string> names;
    for (const std::unique_ptr<Bundle>& bundle : bundles_) {
        const bool has = std::ranges::find(bundle->names, name) != bundle->names.end();
        const bool own = bundle->base == library;
        if (request.call != nullptr ? own : has && (own || found == nullptr)) {
            found = bundle.get();
        }
        names.insert(names.end(), bundle->names.begin(), bundle->names.end());
    }
    if (found == nullptr) {
        throw UserError{
            "{}:{}: kernel '{}' is in none of the libraries that were built for the simulator{} (they have: "
            "{})",
            request.site.file,
            request.site.line,
            name,
            nearest_hint(name, names),
            fmt::join(names, ", ")};
    }
    return *found;
}

std::vector<SharedBlock> FrontDevice::news_for(Running& running) const {
    std::vector<SharedBlock> news;
    std::map<std::uint64_t, std::uint64_t> now;
    for (const isa::GlobalBuffer& buffer : memory_.buffers()) {
        now.emplace(buffer.offset, buffer.bytes);
    }
    for (const auto& [offset, bytes] : running.known) {
        if (const auto same = now.find(offset); same == now.end() || same->second != bytes) {
            news.push_back({offset, 0});
        }
    }
    for (const auto& [offset, bytes] : now) {
        if (const auto same = running.known.find(offset);
            same == running.known.end() || same->second != bytes) {
            news.push_back({offset, bytes});
        }
    }
    running.known = std::move(now);
    return news;
}

void FrontDevice::run(const Bundle& bundle, const program::LaunchRequest& request) {
    Running& running = running_[&bundle];
    std::fflush(stdout);
    try {
        if (!running.server) {
            running.known.clear();
            running.server = std::make_unique<Server>(bundle, chip_name_, file_, memory_.base());
        }
        const LaunchAnswer answer = running.server->launch(request, news_for(running));
        note(request.text == nullptr ? "" : request.text, request.blocks, answer.us, answer.cores);
    } catch (...) {
        running_.erase(&bundle);
        throw;
    }
}

void FrontDevice::note(std::string kernel, std::uint32_t blocks, double us, std::optional<CoreUse> cores) {
    const std::scoped_lock held{lock_};
    launches_.push_back({std::move(kernel), blocks, streams_.now_us(), us, cores});
    streams_.pass(us);
}

void FrontDevice::launch(const program::LaunchRequest& request) {
    const std::scoped_lock held{lock_};
    const Bundle& bundle = bundle_of(request);
    if (!bundle.defers) {
        run(bundle, request);
        return;
    }
    try {
        run(bundle, request);
    } catch (const std::exception& error) {
        fmt::print(stderr, "ascendsim: {}\n", error.what());
        failure_ = failure_.empty() ? error.what() : failure_;
    }
}

void FrontDevice::end_program(int code) {
    std::exit(code);
}

}  // namespace ascendsim::front
