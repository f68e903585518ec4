// SPDX-License-Identifier: Apache-2.0
#include "app/serving/serve_report.hpp"

namespace ascendsim::serving {

std::map<std::string, double> served_figures(const std::filesystem::path& file,
                                             const Settings& settings,
                                             const toolchain::Installation& installation,
                                             std::size_t jobs) {
    const ServeConfig config = read_serving(file, settings, installation);
    const networks::llm::Deployment deployment = config.deployment();
    networks::llm::StepCosts costs{deployment, config.program(), config.host};
    const ServeFigures figures =
        figures_of(serve(config, costs, installation, {.jobs = jobs, .progress = {}}));
    return {{"p50_ms", figures.e2e_ms.p50},
            {"p99_ms", figures.e2e_ms.p99},
            {"first_token_p99_ms", figures.ttft_ms.p99},
            {"token_ms", figures.tpot_ms.mean},
            {"requests_per_s", figures.requests_per_s},
            {"tokens_per_s", figures.output_tokens_per_s},
            {"joules_a_token", figures.joules_a_token},
            {"host_joules_a_token", figures.host_joules_a_token},
            {"copies", figures.copies}};
}

}  // namespace ascendsim::serving
