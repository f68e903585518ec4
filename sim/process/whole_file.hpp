// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <ostream>
#include <streambuf>
#include <string_view>

namespace ascendsim::process {

/// A file under way: others see what was there before until finish() puts all that was written in its place,
/// and never a part of it, not after a signal, not when the disk is full. What is no regular file, such as
/// /dev/stdout, is written as it stands; so is a file that a closed sandbox lets be written.
class WholeFile {
public:
    /// Throws UserError, which names the file and the cause, if it cannot be written.
    explicit WholeFile(const std::filesystem::path& file);
    WholeFile(const WholeFile&) = delete;
    WholeFile& operator=(const WholeFile&) = delete;
    /// Forgets what was written unless it was finished.
    ~WholeFile();

    /// Appends; what fails is told by finish().
    void write(std::string_view text);

    /// Appends as write() does.
    [[nodiscard]] std::ostream& stream() { return stream_; }

    /// Throws as the constructor does.
    void finish();

private:
    /// What a stream needs to write here.
    class Buffer final : public std::streambuf {
    public:
        explicit Buffer(WholeFile& to) : to_{to} { setp(bytes_.data(), bytes_.data() + bytes_.size()); }

    protected:
        int_type overflow(int_type letter) override;
        int sync() override;

    private:
        WholeFile& to_;
        std::array<char, std::size_t{1} << 16U> bytes_{};
    };

    void open_fresh();
    void put_in_place();
    [[noreturn]] void fail(int error) const;

    std::filesystem::path file_;     // as given
    std::filesystem::path target_;   // behind links
    std::filesystem::path passing_;  // a name for the moment between writing and renaming
    int descriptor_ = -1;
    int error_ = 0;         // errno of the first write that failed
    bool in_place_ = true;  // written as it stands
    bool named_ = false;    // `passing_` is there
    Buffer buffer_{*this};
    std::ostream stream_{&buffer_};
};

/// Writes a WholeFile that holds `text`.
void write_whole(const std::filesystem::path& file, std::string_view text);

/// Moves a file, which may lie in another file system, to a place where others see what was there before or
/// all of it. Throws UserError if that is not possible.
void move_whole(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace ascendsim::process
