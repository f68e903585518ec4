// SPDX-License-Identifier: Apache-2.0
#include "gui/document/run_file.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <fstream>

#include <fmt/format.h>

#include "gui/canvas/format.hpp"
#include "sim/base/error.hpp"
#include "sim/record/format.hpp"

namespace ascendsim::gui {
namespace {

using record::Recording;

/// Finds at once what would otherwise be found by the worker; an empty file may become a recording yet.
void check_header(const std::filesystem::path& path) {
    std::ifstream file{path, std::ios::binary};
    if (!file || std::filesystem::is_directory(path)) {
        throw UserError{"{}: cannot be read", path.string()};
    }
    std::array<char, record::file_magic.size()> magic{};
    file.read(magic.data(), magic.size());
    const auto bytes = static_cast<std::size_t>(file.gcount());
    if (!std::equal(magic.begin(), magic.begin() + static_cast<long>(bytes), record::file_magic.begin())) {
        throw UserError{"{} is not a recording of ascendsim", path.string()};
    }
}

std::uintmax_t size_of(const std::filesystem::path& path) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    return error ? 0 : size;
}

}  // namespace

/// Recordings that are read further while an older state is shown: normally two, each reads every byte once.
/// A lent one comes back when the last view of it is gone.
class RunFile::Pool : public std::enable_shared_from_this<Pool> {
public:
    /// One that nobody looks at, or null if both are in use; for the last state one more is made.
    std::unique_ptr<Recording> take(const std::filesystem::path& path, bool at_any_price) {
        {
            const std::lock_guard lock{mutex_};
            if (!free_.empty()) {
                std::unique_ptr<Recording> found = std::move(free_.back());
                free_.pop_back();
                return found;
            }
            if (made_ >= most && ++refused_ < patience && !at_any_price) {
                return nullptr;
            }
            ++made_;
            refused_ = 0;
        }
        return std::make_unique<Recording>(path);
    }

    void give_back(std::unique_ptr<Recording> recording) {
        const std::lock_guard lock{mutex_};
        if (!closed_) {
            free_.push_back(std::move(recording));
        }
    }

    std::shared_ptr<const Recording> lend(std::unique_ptr<Recording> recording) {
        Recording* const lent = recording.release();
        return {lent, [pool = shared_from_this()](Recording* back) {
                    pool->give_back(std::unique_ptr<Recording>{back});
                }};
    }

    /// The recording is complete: what comes back is not needed again.
    void close() {
        const std::lock_guard lock{mutex_};
        closed_ = true;
        free_.clear();
    }

private:
    static constexpr int most = 2;
    static constexpr int patience = 5;  // somebody keeps an old state: one more is made

    std::mutex mutex_;
    std::vector<std::unique_ptr<Recording>> free_;
    int made_ = 0;
    int refused_ = 0;
    bool closed_ = false;
};

RunFile::RunFile(std::filesystem::path path, Loading loading, analysis::Explained first)
    : path_{std::move(path)},
      loading_{loading},
      pool_{std::make_shared<Pool>()},
      explains_all_{loading == Loading::at_once || first != analysis::Explained::figures} {
    check_header(path_);
    if (loading_ == Loading::at_once) {
        read_more();
    } else {
        worker_ = std::jthread{[this](const std::stop_token& stop) { work(stop); }};
    }
}

RunFile::~RunFile() {
    worker_.request_stop();
    wake_.notify_all();
}

void RunFile::work(const std::stop_token& stop) {
    using std::chrono::steady_clock;
    constexpr std::chrono::milliseconds shortest_pause{100};
    const auto is_asked = [this] { return hurried_.exchange(false) || (has_rest_ && explains_all_); };
    while (!stop.stop_requested() && (!complete_ || has_rest_)) {
        try {
            read_more();
            if (has_rest_ && explains_all_) {
                explain_rest();
            }
        } catch (const std::exception& error) {
            const std::scoped_lock lock{mutex_, wake_mutex_};
            messages_.emplace_back(error.what());
            ended_ = true;
            settled_ = true;
            return;
        }
        note_settled();
        std::unique_lock lock{wake_mutex_};
        if (!complete_) {
            const steady_clock::time_point next = std::max(steady_clock::now() + shortest_pause, next_read_);
            wake_.wait_until(lock, stop, next, is_asked);
        } else if (has_rest_) {
            wake_.wait(lock, stop, is_asked);
        }
    }
}

bool RunFile::read_more() {
    const std::uintmax_t size = size_of(path_);
    if (complete_ || size == seen_bytes_) {
        return false;
    }
    std::unique_ptr<Recording> recording = pool_->take(path_, writer_ended_);
    if (recording == nullptr) {
        return false;
    }
    const std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
    seen_bytes_ = size;
    recording->refresh();
    is_read_ = true;
    complete_ = recording->complete();
    constexpr auto explained = analysis::Explained::without_blame;  // no panel shows it
    std::shared_ptr<RunAnalysis> of_program;
    if (const auto axis = complete_ ? analysis::program_axis_of(*recording) : std::nullopt) {
        // Its figures are those of the time in which kernels run; its pictures have the program's axis.
        of_program = std::make_shared<RunAnalysis>(analysis::explain(*recording, explained));
        analysis::onto_axis(*axis, *of_program);
        recording->put_cores_on(axis->map, axis->length);
    }
    std::vector<record::LaneSums> sums;
    const auto data =
        std::make_shared<const RunData>(pool_->lend(std::move(recording)), of_program ? nullptr : &sums);
    std::shared_ptr<const RunAnalysis> before;
    if (const std::shared_ptr<const Run> shown = latest_) {
        before = shown->analysis_pointer();
    }
    has_rest_ = false;  // that of the run before
    if (of_program) {
        publish(data, of_program);
    } else {
        if (loading_ == Loading::background) {
            publish(data, before);
        }
        has_rest_ = !explains_all_;
        auto found = std::make_shared<const RunAnalysis>(
            analysis::explain(*data->recording, sums, has_rest_ ? analysis::Explained::figures : explained));
        if (has_rest_) {
            sums_ = std::move(sums);
            publish(data, before, std::move(found));
        } else {
            publish(data, std::move(found));
        }
    }
    if (complete_) {
        pool_->close();
    }
    // Large recordings are read further in larger steps, so that most of the time is the user's.
    const std::chrono::steady_clock::time_point end = std::chrono::steady_clock::now();
    next_read_ = end + 2 * (end - begin);
    return true;
}

std::string RunFile::opening() const {
    {
        const std::lock_guard lock{mutex_};
        if (latest_ != nullptr || ended_ || loading_ == Loading::at_once) {
            return {};
        }
    }
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin_;
    return fmt::format("Opening {}, {}: {} for {:.1f} s",
                       path_.filename().string(),
                       format_bytes(size_of(path_)),
                       is_read_ ? "read, adding up" : "reading",
                       passed.count());
}

void RunFile::explain_rest() {
    const std::shared_ptr<const Run> run = [this] {
        const std::lock_guard lock{mutex_};
        return latest_;
    }();
    has_rest_ = false;
    const std::vector<record::LaneSums> sums = std::exchange(sums_, {});
    publish(run->data(),
            std::make_shared<const RunAnalysis>(
                analysis::explain(run->recording(), sums, analysis::Explained::without_blame)));
}

void RunFile::explain_all() {
    if (explains_all_.exchange(true)) {
        return;
    }
    {
        const std::lock_guard lock{wake_mutex_};  // the worker has looked and waits, or will look
    }
    wake_.notify_all();
}

void RunFile::note_settled() {
    const bool writer_ended = writer_ended_;  // before the size: what is written meanwhile would be missed
    const bool settled = complete_ || size_of(path_) == seen_bytes_;
    const std::lock_guard lock{wake_mutex_};
    ended_ = complete_;
    settled_ = complete_ || (settled && writer_ended == writer_ended_);
}

void RunFile::hurry() {
    {
        const std::lock_guard lock{wake_mutex_};
        writer_ended_ = true;
        hurried_ = true;
        settled_ = ended_.load();
    }
    wake_.notify_all();
}

void RunFile::publish(std::shared_ptr<const RunData> data,
                      std::shared_ptr<const RunAnalysis> analysis,
                      std::shared_ptr<const RunAnalysis> figures) {
    auto run = std::make_shared<const Run>(
        std::move(data), std::move(analysis), loading_ == Loading::at_once, std::move(figures));
    const std::lock_guard lock{mutex_};
    latest_ = std::move(run);
}

std::shared_ptr<const Run> RunFile::latest() {
    if (loading_ == Loading::at_once && (hurried_ || std::chrono::steady_clock::now() >= next_read_)) {
        read_more();
        note_settled();
    }
    const std::lock_guard lock{mutex_};
    return latest_;
}

std::vector<std::string> RunFile::take_messages() {
    const std::lock_guard lock{mutex_};
    return std::exchange(messages_, {});
}

}  // namespace ascendsim::gui
