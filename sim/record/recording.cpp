// SPDX-License-Identifier: Apache-2.0
#include "sim/record/recording.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/record/format.hpp"
#include "sim/record/frames/frame_reader.hpp"

namespace ascendsim::record {

// The file, and how far it has been read.
class Recording::Source {
public:
    Source(const std::filesystem::path& path, Extent extent)
        : path_{path}, file_{::open(path.c_str(), O_RDONLY | O_CLOEXEC)}, extent_{extent} {
        if (file_ < 0) {
            throw UserError{"cannot read the recording {}: {}", path.string(), std::strerror(errno)};
        }
    }

    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;

    ~Source() { ::close(file_); }

    /// Reads the file's header once it is there; throws UserError if it is another.
    bool begin() {
        size_ = file_size();
        seen_ = {};
        if (at_ != 0) {
            return true;
        }
        std::array<char, file_header_bytes> header{};
        const std::size_t bytes = read(0, std::as_writable_bytes(std::span{header}));
        if (!std::equal(header.begin(),
                        header.begin() + static_cast<long>(std::min(bytes, file_magic.size())),
                        file_magic.begin())) {
            throw UserError{"{} is not a recording of ascendsim", path_.string()};
        }
        if (bytes < header.size()) {
            return false;
        }
        std::uint32_t version{};
        std::memcpy(&version, header.data() + file_magic.size(), sizeof(version));
        if (version != format_version) {
            throw UserError{"{} is a recording of format {}, this program reads {}; record it again",
                            path_.string(),
                            version,
                            format_version};
        }
        at_ = header.size();
        return true;
    }

    /// Applies the next frame if it is whole.
    bool next(Recording& recording) {
        FrameHeader header;
        if (!whole_frame(at_, header)) {
            return false;
        }
        const auto type = static_cast<FrameType>(header.type);
        if (extent_ == Extent::heads && (type == FrameType::spans || type == FrameType::buffers)) {
            at_ += sizeof(header) + header.length;
            return true;
        }
        payload_.resize(header.length);
        read(at_ + sizeof(header), payload_);
        if (checksum(payload_) != header.checksum) {
            throw UserError{"the recording {} is damaged at byte {}", path_.string(), at_};
        }
        reader_.apply(recording, type, payload_);
        at_ += sizeof(header) + header.length;
        return true;
    }

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    [[nodiscard]] bool whole_frame(std::uint64_t at, FrameHeader& header) const {
        const std::uint64_t size = size_;
        if (size < at) {
            throw UserError{"the recording {} became shorter while it was read", path_.string()};
        }
        if (size < at + sizeof(header) ||
            read(at, std::as_writable_bytes(std::span{&header, 1})) < sizeof(header)) {
            return false;
        }
        if (header.length > max_frame_bytes) {
            throw UserError{"the recording {} is damaged at byte {}", path_.string(), at};
        }
        return size >= at + sizeof(header) + header.length;
    }

    [[nodiscard]] std::uint64_t file_size() const {
        struct stat status {};

        return ::fstat(file_, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
    }

    /// Reads through a window of the file, as most frames are small.
    std::size_t read(std::uint64_t at, std::span<std::byte> to) const {
        constexpr std::size_t window_bytes = 1U << 14U;
        if (to.size() > window_bytes / 2) {
            return read_file(at, to);
        }
        if (at < seen_from_ || at + to.size() > seen_from_ + seen_.size()) {
            window_.resize(window_bytes);
            seen_from_ = at;
            seen_ = std::span{window_}.first(read_file(at, window_));
        }
        const std::span<const std::byte> from = seen_.subspan(at - seen_from_);
        const std::size_t bytes = std::min(from.size(), to.size());
        std::copy_n(from.begin(), bytes, to.begin());
        return bytes;
    }

    std::size_t read_file(std::uint64_t at, std::span<std::byte> to) const {
        std::size_t done = 0;
        while (done < to.size()) {
            const ssize_t bytes =
                ::pread(file_, to.data() + done, to.size() - done, static_cast<off_t>(at + done));
            if (bytes < 0 && errno == EINTR) {
                continue;
            }
            if (bytes < 0) {
                throw UserError{"cannot read the recording {}: {}", path_.string(), std::strerror(errno)};
            }
            if (bytes == 0) {
                break;
            }
            done += static_cast<std::size_t>(bytes);
        }
        return done;
    }

    std::filesystem::path path_;
    int file_;
    Extent extent_;
    std::uint64_t size_ = 0;  // of the file when reading began
    mutable std::vector<std::byte> window_;
    mutable std::span<const std::byte> seen_;  // what of the file is in the window, and from where
    mutable std::uint64_t seen_from_ = 0;
    std::uint64_t at_ = 0;
    std::vector<std::byte> payload_;
    FrameReader reader_;
};

Recording::Recording(const std::filesystem::path& file, Extent extent)
    : source_{std::make_unique<Source>(file, extent)} {
    refresh();
}

Recording::Recording(Recording&&) noexcept = default;
Recording& Recording::operator=(Recording&&) noexcept = default;
Recording::~Recording() = default;

bool Recording::refresh() {
    if (!source_->begin()) {
        return false;
    }
    bool any = false;
    while (source_->next(*this)) {
        any = true;
    }
    return any;
}

const std::filesystem::path& Recording::path() const {
    return source_->path();
}

Span Recording::span(SpanId id) const {
    return contains(id) ? lanes_[id.lane].span(id.index) : Span{};
}

std::optional<std::uint32_t> Recording::find(const TrackPath& path) const {
    const auto found =
        std::ranges::find_if(lanes_, [&](const Lane& lane) { return same_track(lane.path, path); });
    return found == lanes_.end() ? std::nullopt
                                 : std::optional{static_cast<std::uint32_t>(found - lanes_.begin())};
}

std::uint64_t Recording::span_count() const {
    std::uint64_t count = 0;
    for (const Lane& lane : lanes_) {
        count += lane.size();
    }
    return count;
}

std::string_view Recording::name(std::uint32_t number) const {
    return number < names_.size() ? std::string_view{names_[number]} : std::string_view{};
}

const SourceLine& Recording::site(std::uint32_t number) const {
    return sites_[number < sites_.size() ? number : 0];
}

std::uint64_t Recording::cycles() const {
    if (totals_.is_object()) {
        const auto found = totals_.find("cycles");
        if (found != totals_.end() && found->is_number_unsigned()) {
            return found->get<std::uint64_t>();
        }
    }
    return last_cycle_;
}

std::uint64_t Recording::launch_end(std::uint32_t number) const {
    const Lane& lane = lanes_[number];
    if (!lane.core_index) {
        return lane.empty() ? cycles() : std::min(lane.start.front(), cycles());
    }
    return *lane.core_index < core_starts_.size() ? std::min(core_starts_[*lane.core_index], cycles())
                                                  : cycles();
}

}  // namespace ascendsim::record
