// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/inputs/systems.hpp"

#include <fstream>

#include "app/serving/serve_config.hpp"
#include "models/node/host_calls.hpp"
#include "models/node/node_file.hpp"
#include "networks/llm/model_config.hpp"
#include "toolchain/installation/installation.hpp"
#ifdef ASCENDSIM_FUZZ_TRAINING
#include "app/training/training_config.hpp"
#endif

namespace fuzz {
namespace {

namespace fs = std::filesystem;
using namespace ascendsim;  // NOLINT(google-build-using-namespace): a test

const toolchain::Installation& tree() {
    static const toolchain::Installation found = toolchain::Installation::find();
    return found;
}

fs::path written(const fs::path& file, const std::string& bytes) {
    std::ofstream{file, std::ios::binary} << bytes;
    return file;
}

}  // namespace

void read_node(const std::string& bytes, const fs::path& folder) {
    const node::NodeFile file =
        node::open_node(written(folder / "x.toml", bytes).string(), tree().root / "models" / "nodes");
    static_cast<void>(node::describe_node(file));
}

void read_host(const std::string& bytes, const fs::path& folder) {
    const node::HostFile file =
        node::open_host(written(folder / "x.toml", bytes).string(), tree().root / "models" / "hosts");
    static_cast<void>(node::describe_host(file));
    for (const node::IssueMode mode : {node::IssueMode::launch, node::IssueMode::queue}) {
        static_cast<void>(node::steady_call_us(file.spec, mode, 10));
    }
}

void read_model(const std::string& bytes, const fs::path& /*folder*/) {
    const networks::llm::ModelConfig model = networks::llm::parse_model(bytes, "x", "x.json");
    static_cast<void>(model.parameters());
    static_cast<void>(model.active_parameters());
}

void read_requests(const std::string& bytes, const fs::path& folder) {
    static const std::string serving =
        "[serve]\nmodel = \"qwen3_8b\"\nnode = \"atlas800t_a2\"\n"
        "[requests]\narrivals = \"trace\"\nfile = \"x.csv\"\n";
    written(folder / "x.csv", bytes);
    static_cast<void>(serving::cache_blocks(serving::parse_serving(serving, folder / "x.toml", tree())));
}

void read_serving_file(const std::string& bytes, const fs::path& /*folder*/) {
    const serving::ServeConfig config =
        serving::parse_serving(bytes, tree().scenarios() / "serving" / "x.toml", tree());
    static_cast<void>(serving::cache_blocks(config));
}

#ifdef ASCENDSIM_FUZZ_TRAINING
void read_training_file(const std::string& bytes, const fs::path& folder) {
    const training::TrainingConfig config =
        training::read_training(written(folder / "x.toml", bytes), tree());
    std::size_t most = 8;
    for (const std::uint32_t devices : config.scaling) {
        static_cast<void>(training::on_devices(config, devices));
        if (--most == 0) {
            break;
        }
    }
}
#endif

std::vector<std::string> request_seeds() {
    return {"arrival,prompt,output\n0,128,16\n0.5,512,64\n0.25,1,1\n",
            "arrival,prompt,output\n10,4096,2\n",
            "a,b,c\n1e3,1.0,1\n1e-3,7,9\n"};
}

}  // namespace fuzz
