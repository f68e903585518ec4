// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "gui/document/run.hpp"

namespace ascendsim::gui {

/// Whether recordings are read by a worker, or before open() returns, as pictures without a display need.
enum class Loading : std::uint8_t { background, at_once };

/// A recording on disk that may still grow, and the latest run made of it. A worker reads what is added;
/// whoever draws takes the latest and never waits.
class RunFile {
public:
    /// Throws UserError if `path` is no recording of this version. With figures alone, a worker puts path and
    /// advice off until explain_all().
    RunFile(std::filesystem::path path,
            Loading loading,
            analysis::Explained first = analysis::Explained::without_blame);
    RunFile(const RunFile&) = delete;
    RunFile& operator=(const RunFile&) = delete;
    ~RunFile();

    /// Null until the first part is read.
    [[nodiscard]] std::shared_ptr<const Run> latest();
    /// "Opening add.rec, 26 MiB: reading for 1.2 s" until then; empty afterwards.
    [[nodiscard]] std::string opening() const;
    /// The writer has ended: what was put off is read as soon as can be.
    void hurry();
    /// The worker computes path and advice as well, from now on.
    void explain_all();

    /// True once everything that was written when the writer ended is in latest(), or cannot be read.
    [[nodiscard]] bool settled() const { return settled_; }

    /// What went wrong since the last call.
    [[nodiscard]] std::vector<std::string> take_messages();

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    class Pool;

    void work(const std::stop_token& stop);
    /// Reads what was added and publishes it; true if there was anything.
    bool read_more();
    /// Says whether there is more to come, after a look at the file.
    void note_settled();
    /// What was put off of the latest run.
    void explain_rest();
    void publish(std::shared_ptr<const RunData> data,
                 std::shared_ptr<const RunAnalysis> analysis,
                 std::shared_ptr<const RunAnalysis> figures = nullptr);

    std::filesystem::path path_;
    Loading loading_;
    std::shared_ptr<Pool> pool_;
    std::uintmax_t seen_bytes_ = 0;
    std::chrono::steady_clock::time_point next_read_;  // of a growing recording
    std::atomic<bool> hurried_{false};
    std::atomic<bool> writer_ended_{false};
    std::atomic<bool> settled_{false};
    std::atomic<bool> ended_{false};  // nothing more is read, whatever is written
    bool complete_ = false;
    std::atomic<bool> explains_all_;
    bool has_rest_ = false;               // of the latest run, put off
    std::vector<record::LaneSums> sums_;  // for that

    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    std::atomic<bool> is_read_{false};  // and is being added up

    mutable std::mutex mutex_;  // guards the next two
    std::shared_ptr<const Run> latest_;
    std::vector<std::string> messages_;

    std::condition_variable_any wake_;
    std::mutex wake_mutex_;
    std::jthread worker_;  // last, so that it ends first
};

}  // namespace ascendsim::gui
