// SPDX-License-Identifier: Apache-2.0
// What the user does with the runs there are.
#include <algorithm>
#include <utility>

#include "gui/runs/workbench.hpp"
#include "gui/shell/view_state.hpp"

namespace ascendsim::gui {

void Workbench::cancel() {
    if (job_ != nullptr) {
        job_->cancel();
    }
}

const RunEntry* Workbench::find(int number) const {
    const auto found = std::ranges::find(runs_, number, &RunEntry::number);
    return found == runs_.end() ? nullptr : &*found;
}

RunEntry* Workbench::find(int number) {
    const auto found = std::ranges::find(runs_, number, &RunEntry::number);
    return found == runs_.end() ? nullptr : &*found;
}

void Workbench::select_a(int number) {
    if (const RunEntry* entry = find(number); entry != nullptr && number != a_) {
        if (number == b_) {
            swap_runs();
            return;
        }
        documents_.open(entry->recording.string());
        a_ = number;
        pending_ = nullptr;
        note_open();
    }
}

void Workbench::select_b(int number) {
    if (const RunEntry* entry = find(number)) {
        if (number == a_) {
            swap_runs();
            return;
        }
        documents_.open_b(entry->recording.string());
        b_ = number;
        note_open();
    }
}

void Workbench::close_b() {
    documents_.close_b();
    b_ = 0;
    note_open();
}

void Workbench::swap_runs() {
    if (b_ != 0) {
        documents_.swap_runs();
        std::swap(a_, b_);
        note_open();
    }
}

void Workbench::rename(int number, std::string name) {
    if (RunEntry* entry = find(number); entry != nullptr && !name.empty()) {
        entry->name = std::move(name);
    }
}

void Workbench::edit_run() {
    if (!origin_ || origin_->missing) {
        say(origin_ ? *origin_->missing : "No run is open");
        return;
    }
    try {
        std::filesystem::create_directories(options_.run_folder);
        draft_ = std::make_unique<Draft>(
            options_.program,
            origin_->shipped_kernel ? origin_->scenario : std::filesystem::absolute(origin_->scenario),
            options_.run_folder,
            origin_->settings);
        fresh_ = false;
        from_recording_ = true;
    } catch (const std::exception& error) {  // of the file system or in the scenario
        say(error.what());
    }
}

void Workbench::close() {
    cancel();
    documents_.close();
    draft_.reset();
    pending_ = nullptr;
    a_ = b_ = 0;
    note_open();
}

}  // namespace ascendsim::gui
