// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/terminal.hpp>
#include <sigma/data/blocks/active.hpp>
#include <sigma/data/transform/preprocessing.hpp>
#include <sigma/data/transform/transform.hpp>
#include <sigma/monitor/watched.hpp>
#include <sigma/network/memory.hpp>

#include <cstdio>
#include <utility>

namespace sigma::monitor::detail {

namespace {

const KnownLine*& innermost_known_line() {
    thread_local const KnownLine* innermost = nullptr;
    return innermost;
}

}  // namespace

KnownLine::KnownLine(const Tap& tap, std::string_view line) : tap_(tap), line_(line), outer_(innermost_known_line()) {
    while (line_.ends_with('\n')) line_.remove_suffix(1);
    innermost_known_line() = this;
}
KnownLine::~KnownLine() { innermost_known_line() = outer_; }

bool KnownLine::is_known(const void* owner, std::string_view line) {
    while (line.ends_with('\n')) line.remove_suffix(1);
    for (const KnownLine* one = innermost_known_line(); one != nullptr; one = one->outer_)
        if (one->tap_.owner() == owner && one->line_ == line) return true;
    return false;
}

void print_line(std::string_view line) { terminal::print(stdout, line); }

namespace {

/// Returns the shape of one record: "(28, 28)".
std::string shape_of_record(const Shape& shape) {
    std::string text = sigma::detail::extents_text(shape);
    constexpr std::string_view records = "(batch, ";
    if (text.starts_with(records)) text.replace(0, records.size(), "(");
    return text;
}

/// Returns the shape of a section: "(28, 28)", "a number".
std::string shape_text(const data::SectionInfo& section) {
    std::string text;
    for (const std::size_t extent : section.shape) text += sentence(text.empty() ? "(" : ", ", extent);
    return text.empty() ? std::string("a number") : sentence(text, ")");
}

}  // namespace

void describe(Watched& to, const sigma::detail::NetworkTable& network, const sigma::detail::GraphTable& graph,
              const Minibatches& batches) {
    for (const sigma::detail::LayerRecord& layer : network.layers) {
        to.nodes.push_back({std::string(layer.name.view()), std::string(layer.kind.view()),
                            shape_of_record(layer.output), layer.parameters});
        to.network += sentence(to.network.empty() ? "" : " + ", layer.kind.view(), to.nodes.back().shape);
    }
    for (const sigma::detail::CostRecord& cost : network.costs) {
        to.nodes.push_back({std::string(cost.name.view()), std::string(cost.kind.view()), "", 0});
        to.network += sentence(" + ", cost.kind.view());
    }
    for (int reader = 0; reader < graph.nodes(); ++reader)
        for (int read = 0; read < graph.layers(); ++read)
            if (graph.reads(reader, read)) to.edges.emplace_back(read, reader);

    const Dataset& data = batches.dataset;
    to.dataset = std::make_shared<const Dataset>(data);
    to.classes = data.classes();
    std::vector<std::size_t> last;  // predecessors of the next step
    const auto follow = [&](std::string kind, std::string text) {
        to.data.push_back({std::move(kind), std::move(text), std::exchange(last, {to.data.size()})});
    };
    std::vector<std::size_t> readers;
    for (const data::Origin& origin : data.origins()) {
        last.clear();
        follow("source", origin.source);
        follow("reader", origin.reader);
        readers.push_back(last.front());
    }
    last = readers;
    std::string records;
    for (const data::SectionInfo& section : data.sections())
        records += sentence(records.empty() ? "" : " and ", shape_text(section));
    follow("records", records);
    for (const data::Preprocessing::Step& step : data.preprocessing().steps())
        follow("transform", sentence(step.transform->kind(), " of ", step.section));
    std::string size = sentence(data.name(), ", ", data.size(), " records");
    if (!data.in_memory())
        size += sentence(", in ", data.blocks()->blocks()->count(), " blocks, ", data.active_blocks(), " in memory");
    follow("dataset", size);
    for (const data::Augmentation& augmentation : batches.augmentations)
        if (!augmentation.empty()) follow("augmentation", augmentation.text());
    if (!batches.mixing.empty()) follow("augmentation", batches.mixing.text());
    follow("minibatches", sentence(batches.size, " records", batches.shuffling ? ", shuffled" : "", ", ",
                                   batches.batches_per_epoch(), " an epoch"));
    if (const auto name = to.registry.find<std::string>("optimizer.name")) to.optimizer = *name;
}

std::string layers_of(const Registry& registry) {
    std::string text;
    for (const std::string& name : registry.resolve_registries("network.layers.*")) {
        const std::vector<std::string> tags = registry.tags(name);  // the first tag is the kind
        if (!tags.empty()) text += sentence(text.empty() ? "" : " + ", tags.front());
    }
    return text;
}

}  // namespace sigma::monitor::detail
