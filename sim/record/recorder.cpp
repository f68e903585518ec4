// SPDX-License-Identifier: Apache-2.0
#include "sim/record/recorder.hpp"

#include <array>
#include <atomic>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

#include "sim/base/portable_text.hpp"
#include "sim/record/buffer_entry.hpp"
#include "sim/record/chunk_writer.hpp"
#include "sim/record/output_file.hpp"

namespace ascendsim::record {

namespace {

// Marks a stretch in which the recorder's own state is not whole, so that a signal handler leaves it alone.
class Busy {
public:
    explicit Busy(std::atomic<int>& depth) : depth_{depth} { depth_.fetch_add(1, std::memory_order_relaxed); }

    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

    ~Busy() { depth_.fetch_sub(1, std::memory_order_relaxed); }

private:
    std::atomic<int>& depth_;
};

// Remember numbers by a text's address, which spares a search. A name's text may change at its address.
struct RememberedName {
    const std::string* name = nullptr;
    std::uint32_t number = 0;
};

struct RememberedSite {
    const char* file = nullptr;
    std::uint32_t line = 0;
    std::uint32_t number = 0;
    bool apart = false;
};

}  // namespace

struct Recorder::Impl {
    explicit Impl(const std::filesystem::path& path) : file{path}, chunks{file} {
        buffers.reserve(buffer_chunk);
    }

    static std::size_t slot(const char* text, std::uint32_t extra) {
        std::uintptr_t address{};
        std::memcpy(&address, &text, sizeof(text));
        return (address ^ (address >> 8U) ^ extra * 31U) % remembered_count;
    }

    /// Writes a frame of few bytes behind the chunks that are under way.
    template <class Fill>
    void small_frame(FrameType type, Fill fill) {
        chunks.drain();
        ByteWriter to{chunks.block()};
        fill(to);
        file.frame(type, {chunks.block(), to.size()});
    }

    [[nodiscard]] nlohmann::json relative(const nlohmann::json& values) const {
        return root.empty() ? values : with_texts(values, [this](std::string_view text) {
            return ascendsim::relative_to(root, text);
        });
    }

    void json_frame(FrameType type, const nlohmann::json& values) {
        const Busy busy{depth};
        const std::string text =
            relative(values).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
        chunks.drain();
        file.frame(type, std::as_bytes(std::span{text}));
    }

    void write_buffers() {
        chunks.drain();
        ByteWriter to{chunks.block()};
        to.put_bytes(buffers.data(), buffers.size() * sizeof(BufferEntry));
        const auto raw_bytes = static_cast<std::uint32_t>(to.size());
        file.frame(FrameType::buffers, chunks.compressed(std::as_bytes(std::span{&raw_bytes, 1}), raw_bytes));
        buffers.clear();
    }

    static constexpr std::size_t remembered_count = 4096;
    static constexpr std::size_t buffer_chunk = 4096;

    OutputFile file;
    ChunkWriter chunks;
    std::string root;  // empty: files keep their names
    std::atomic<int> depth{0};
    bool finished = false;
    std::array<RememberedName, remembered_count> remembered_names{};
    std::array<RememberedSite, remembered_count> remembered_sites{};
    std::map<std::string, std::uint32_t, std::less<>> names{{"", 0}};
    std::map<std::tuple<std::string, std::uint32_t, bool>, std::uint32_t> sites{{{"", 0, false}, 0}};
    std::map<std::tuple<std::string, std::uint32_t, std::uint32_t>, std::uint32_t>
        called_sites;  // by caller, too
    std::vector<BufferEntry> buffers;
};

Recorder::Recorder(const std::filesystem::path& file) : impl_{std::make_unique<Impl>(file)} {}

Recorder::~Recorder() {
    flush();
}

void Recorder::relative_to(const std::filesystem::path& root) {
    impl_->root = root.string();
}

void Recorder::metadata(const nlohmann::json& values) {
    impl_->json_frame(FrameType::metadata, values);
}

void Recorder::event(const nlohmann::json& values) {
    impl_->json_frame(FrameType::event, values);
}

std::uint32_t Recorder::lane(const TrackPath& path) {
    check(!path.empty(), "a lane without a path");
    const Busy busy{impl_->depth};
    const auto number = static_cast<std::uint32_t>(lanes_.size());
    lanes_.push_back(std::make_unique<SpanBuffer>(number));
    paths_.push_back(path);
    core_indices_.push_back(cores_.of(path));
    impl_->small_frame(FrameType::lane, [&](ByteWriter& to) {
        to.put(number);
        to.put_text(path.text());
    });
    impl_->chunks.add_lane();
    return number;
}

std::uint32_t Recorder::op(std::string_view name) {
    const auto length = static_cast<std::uint32_t>(name.size());
    RememberedName& remembered = impl_->remembered_names[Impl::slot(name.data(), length)];
    if (remembered.name != nullptr && *remembered.name == name) {
        return remembered.number;
    }
    const Busy busy{impl_->depth};
    auto known = impl_->names.find(name);
    if (known == impl_->names.end()) {
        known = impl_->names.emplace(name, static_cast<std::uint32_t>(impl_->names.size())).first;
        check(name.size() < SpanEncoder::block_bound, "a name of {} bytes", name.size());
        impl_->small_frame(FrameType::op, [&](ByteWriter& to) {
            to.put(known->second);
            to.put_text(name);
        });
    }
    remembered = {&known->first, known->second};
    return known->second;
}

std::uint32_t Recorder::site(const char* file, std::uint32_t line, bool apart) {
    RememberedSite& remembered = impl_->remembered_sites[Impl::slot(file, line)];
    if (remembered.file == file && remembered.line == line && remembered.apart == apart) {
        return remembered.number;
    }
    const Busy busy{impl_->depth};
    auto& sites = impl_->sites;
    auto known = sites.find({file, line, apart});
    if (known == sites.end()) {
        known = sites
                    .emplace(std::tuple{std::string{file}, line, apart},
                             static_cast<std::uint32_t>(sites.size() + impl_->called_sites.size()))
                    .first;
        impl_->small_frame(FrameType::site, [&](ByteWriter& to) {
            to.put(known->second);
            to.put(line);
            to.put_text(ascendsim::relative_to(impl_->root, std::get<std::string>(known->first)));
        });
    }
    remembered = {file, line, known->second, apart};
    return known->second;
}

std::uint32_t Recorder::called_site(std::string_view file, std::uint32_t line, std::uint32_t caller) {
    const Busy busy{impl_->depth};
    const auto number = static_cast<std::uint32_t>(impl_->sites.size() + impl_->called_sites.size());
    const auto [known, fresh] = impl_->called_sites.try_emplace({std::string{file}, line, caller}, number);
    if (fresh) {
        impl_->small_frame(FrameType::site, [&, place = known](ByteWriter& to) {
            to.put(number);
            to.put(line);
            to.put_text(ascendsim::relative_to(impl_->root, std::get<std::string>(place->first)));
            to.put(caller);
        });
    }
    return known->second;
}

void Recorder::make_room(SpanBuffer& buffer) {
    const Busy busy{impl_->depth};
    if (buffer.count_in_chunk() < chunk_rows) {
        buffer.chunk().grow();
    } else {
        impl_->chunks.submit(buffer);
    }
}

void Recorder::send() {
    const Busy busy{impl_->depth};
    for (const std::unique_ptr<SpanBuffer>& lane : lanes_) {
        if (!lane->empty()) {
            impl_->chunks.submit(*lane);
        }
    }
}

const LaneTotals& Recorder::totals(std::uint32_t lane) const {
    return impl_->chunks.totals(lane);
}

void Recorder::sums_from(std::uint64_t cycle) {
    impl_->chunks.drain();
    for (LaneSums& sums : impl_->chunks.sums()) {
        sums.begin_at(cycle);
    }
    for (LaneTotals& totals : impl_->chunks.totals()) {
        totals.begin_at(cycle);
    }
}

std::vector<LaneSums> Recorder::take_sums() {
    check(impl_->finished, "sums of a recording that goes on");
    return std::move(impl_->chunks.sums());
}

void Recorder::buffer(const BufferLife& life) {
    const std::uint32_t label = op(life.label);
    const Busy busy{impl_->depth};
    impl_->buffers.push_back({.from = life.from,
                              .to = life.to,
                              .core_index = life.core_index,
                              .offset = life.offset,
                              .bytes = life.bytes,
                              .site = life.site,
                              .label = label,
                              .memory = life.memory});
    if (impl_->buffers.size() == Impl::buffer_chunk) {
        impl_->write_buffers();
    }
}

void Recorder::flush() {
    if (impl_->finished) {
        return;
    }
    impl_->chunks.drain();
    if (impl_->depth.load(std::memory_order_relaxed) == 0) {
        for (const std::unique_ptr<SpanBuffer>& lane : lanes_) {
            if (!lane->empty()) {
                const Busy busy{impl_->depth};
                impl_->chunks.write(lane->chunk());
                lane->restart();
            }
        }
        if (!impl_->buffers.empty()) {
            impl_->write_buffers();
        }
    }
    impl_->file.flush();
}

void Recorder::finish(const nlohmann::json& totals) {
    flush();
    impl_->json_frame(FrameType::totals, totals);
    impl_->file.flush();
    impl_->finished = true;
    impl_->chunks.check_written();
}

}  // namespace ascendsim::record
