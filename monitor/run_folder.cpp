// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/error.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/monitor/run_folder.hpp>
#include <sigma/storage/error.hpp>
#include <sigma/storage/write_file.hpp>

#include "json.hpp"
#include "run_records.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>

#include <fcntl.h>
#include <unistd.h>

namespace sigma::monitor {

using records::put;

namespace {

std::string bytes_of(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw StorageError(file, "a file that can be read", "none");
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Calls record(payload) for each whole record; the bytes up to the end of the last.
template <class Record>
std::size_t for_each_record(std::string_view file, Record record) {
    if (!file.starts_with(records::magic)) return 0;
    std::string_view left = file.substr(records::magic.size());
    std::size_t sound = records::magic.size();
    while (true) {
        std::uint32_t size = 0, sum = 0;
        if (!records::take(left, size) || !records::take(left, sum) || left.size() < size ||
            records::sum_of(left.substr(0, size)) != sum)
            return sound;
        if (!record(left.substr(0, size))) return sound;
        left.remove_prefix(size);
        sound = file.size() - left.size();
    }
}

void write_all(int file, std::string& bytes, const std::string& path) {
    std::string_view left = bytes;
    while (!left.empty()) {
        const ssize_t written = ::write(file, left.data(), left.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            bytes.clear();
            throw StorageError(path, "to write it", sigma::storage::system_text(errno), errno);
        }
        left.remove_prefix(static_cast<std::size_t>(written));
    }
    bytes.clear();
}

}  // namespace

RunFolder::RunFolder(const std::string& runs, std::string_view name, std::string_view description) {
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::tm parts{};
    ::localtime_r(&now, &parts);
    std::array<char, 32> date{};
    std::strftime(date.data(), date.size(), "%Y%m%d-%H%M%S-", &parts);
    std::string word = date.data();
    for (const char c : name.substr(0, 60))
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_')
            word += c;
    std::error_code failed;
    std::filesystem::create_directories(runs, failed);
    path_ = (std::filesystem::path(runs) / word).string();
    for (int i = 2; !std::filesystem::create_directory(path_, failed) && !failed && i < 1000; ++i)
        path_ = (std::filesystem::path(runs) / sentence(word, "-", i)).string();  // two runs of one second
    if (failed) throw StorageError(path_, "to make this folder", failed.message(), failed.value());
    write_file_atomically(std::filesystem::absolute(path_ + "/run.json").string(),
                          std::as_bytes(std::span(description)));
    open();
}

RunFolder::RunFolder(const std::string& folder) : path_(folder) { open(); }

RunFolder::~RunFolder() {
    try {
        flush();
    } catch (const StorageError&) {  // the last second of it
    }
    if (series_file_ >= 0) ::close(series_file_);
    if (log_file_ >= 0) ::close(log_file_);
}

void RunFolder::open() {
    const std::string series = path_ + "/series.bin", lines = path_ + "/log.jsonl";
    const auto append = [&](const std::string& file) {
        const int opened = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
        if (opened < 0) throw StorageError(file, "to open it", sigma::storage::system_text(errno), errno);
        return opened;
    };
    const auto cut = [](const std::string& file, std::size_t to) {
        std::error_code failed;
        std::filesystem::resize_file(file, to, failed);
        if (failed) throw StorageError(file, "to cut its torn end", failed.message(), failed.value());
    };
    if (std::filesystem::exists(series)) {
        const std::string bytes = bytes_of(series);
        const std::size_t sound = for_each_record(bytes, [&](std::string_view payload) {
            if (auto name = records::name_of(payload))
                (payload[0] == records::letter::tensor ? tensors_
                                                       : numbers_)[{std::move(name->trainer), std::move(name->name)}] =
                    name->number;
            return true;
        });
        if (sound == 0 && bytes.size() >= records::magic.size())
            throw StorageError(series, "series of a run", "something else");
        if (sound < bytes.size()) cut(series, sound);
        if (sound == 0) bytes_ = records::magic;
    } else {
        bytes_ = records::magic;
    }
    if (std::filesystem::exists(lines)) {
        const std::string text = bytes_of(lines);
        const std::size_t end = text.rfind('\n');
        const std::size_t sound = end == text.npos ? 0 : end + 1;
        if (sound < text.size()) cut(lines, sound);
    }
    series_file_ = append(series);
    log_file_ = append(lines);
}

void RunFolder::record(std::string_view payload) {
    put(bytes_, static_cast<std::uint32_t>(payload.size()));
    put(bytes_, records::sum_of(payload));
    bytes_ += payload;
}

std::uint32_t RunFolder::number_of(Numbers& numbers, char letter, std::pair<std::string, std::string> name) {
    const auto [at, fresh] = numbers.try_emplace(std::move(name), static_cast<std::uint32_t>(numbers.size()));
    if (fresh) {
        std::string payload(1, letter);
        put(payload, at->second);
        for (const std::string_view text : {std::string_view(at->first.first), std::string_view(at->first.second)}) {
            const std::string_view part = text.substr(0, 60'000);
            put(payload, static_cast<std::uint16_t>(part.size()));
            payload += part;
        }
        record(payload);
    }
    return at->second;
}

void RunFolder::add(std::string_view trainer, std::string_view series, const Point& point) {
    if (last_number_ == ~0u || last_name_.first != trainer || last_name_.second != series) {
        last_name_ = {std::string(trainer), std::string(series)};
        last_number_ = number_of(numbers_, records::letter::series, last_name_);
    }
    waiting_[last_number_].push_back(point);
}

void RunFolder::add(std::string_view trainer, std::string_view tensor, const Distribution& distribution) {
    if (!records::is_sound(distribution))
        throw ArgumentError(
            sentence("run folder, '", tensor, "'"),
            sentence("a distribution of 1 to ", Distributions::bins, " bins over a range"),
            sentence(distribution.counts.size(), " bins over [", distribution.low, ", ", distribution.high, "]"));
    record(records::payload_of(
        number_of(tensors_, records::letter::tensor, {std::string(trainer), std::string(tensor)}), distribution));
}

void RunFolder::add(const LogLine& line) {
    lines_ +=
        text_of(Json{{"time", line.time}, {"level", line.level}, {"source", line.source}, {"message", line.message}});
    lines_ += '\n';
}

void RunFolder::flush() {
    for (auto& [number, points] : waiting_) {
        for (std::size_t first = 0; first < points.size(); first += records::most_points) {
            const std::size_t count = std::min(records::most_points, points.size() - first);
            std::string payload(1, records::letter::points);
            put(payload, number);
            put(payload, static_cast<std::uint32_t>(count));
            for (std::size_t i = first; i < first + count; ++i) {
                put(payload, points[i].x);
                put(payload, points[i].y);
                put(payload, points[i].seconds);
            }
            record(payload);
        }
        points.clear();
    }
    write_all(series_file_, bytes_, path_ + "/series.bin");
    write_all(log_file_, lines_, path_ + "/log.jsonl");
}

KeptRun read_run(const std::string& folder) {
    KeptRun run;
    run.name = std::filesystem::path(folder).filename().string();
    run.description = bytes_of(folder + "/run.json");
    const std::string bytes = bytes_of(folder + "/series.bin");
    std::map<std::uint32_t, Series*> by_number;
    std::map<std::uint32_t, Distributions*> tensors;
    for_each_record(bytes, [&](std::string_view payload) {
        switch (payload.empty() ? '\0' : payload[0]) {
            case records::letter::series:
            case records::letter::tensor: {
                const auto name = records::name_of(payload);
                if (!name) return false;
                if (payload[0] == records::letter::series)
                    by_number[name->number] = &run.trainers[name->trainer][name->name];
                else tensors[name->number] = &run.distributions[name->trainer][name->name];
                return true;
            }
            case records::letter::points: {
                const auto points = records::points_of(payload);
                if (!points || !by_number.contains(points->number)) return false;
                for (std::uint32_t i = 0; i < points->count; ++i) by_number[points->number]->append((*points)[i]);
                return true;
            }
            case records::letter::distribution: {
                auto found = records::distribution_of(payload);
                if (!found || !tensors.contains(found->number)) return false;
                tensors[found->number]->restore(std::move(found->distribution));
                return true;
            }
            default: return true;  // of a version to come
        }
    });
    std::ifstream lines(folder + "/log.jsonl", std::ios::binary);
    std::uint64_t number = 0;
    for (std::string text; std::getline(lines, text);) {
        const auto line = parsed(text);
        if (!line || !line->is_object()) continue;
        LogLine next{.number = ++number};
        next.time = number_in(*line, "time");
        next.level = text_in(*line, "level");
        next.source = text_in(*line, "source");
        next.message = text_in(*line, "message");
        run.log.push_back(std::move(next));
        if (run.log.size() > 20'000) run.log.erase(run.log.begin(), run.log.begin() + 10'000);
    }
    if (run.log.size() > 10'000) run.log.erase(run.log.begin(), run.log.end() - 10'000);
    return run;
}

std::vector<std::string> runs_in(const std::string& folder) {
    std::vector<std::string> names;
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator(folder, failed))
        if (std::filesystem::exists(entry.path() / "series.bin", failed))
            names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
}

}  // namespace sigma::monitor
