// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/environment/log.hpp>

#include <cstdio>

namespace sigma::detail {

SIGMA_IMPL std::shared_ptr<TerminalSink> Log::to_terminal(LogLevel least, std::FILE* file) {
    return add(std::make_shared<TerminalSink>(least, file));
}

SIGMA_IMPL std::shared_ptr<FileSink> Log::to_file(std::filesystem::path path, LogLevel least, Rotation rotation) {
    return add(std::make_shared<FileSink>(std::move(path), least, rotation));
}

SIGMA_IMPL std::shared_ptr<CallbackSink> Log::to(std::function<void(const LogRecord&)> function, LogLevel least) {
    return add(std::make_shared<CallbackSink>(std::move(function), least));
}

SIGMA_IMPL void Log::remove(const std::shared_ptr<LogSink>& sink) {
    change([&](Sinks& sinks) { std::erase(sinks, sink); });
}

SIGMA_IMPL bool Log::enabled(LogLevel level) const {
    if (!shared_->any.load(std::memory_order_relaxed)) return false;
    const auto sinks = present();
    return std::ranges::any_of(*sinks, [&](const auto& sink) { return level >= sink->level(); });
}

SIGMA_IMPL std::shared_ptr<const Log::Sinks> Log::present() const {
    std::lock_guard lock(shared_->mutex);
    return shared_->sinks;
}

}  // namespace sigma::detail
