// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/context.hpp>
#include <sigma/hook/save.hpp>
#include <sigma/storage/workspace.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sigma::detail {

/// Deletes the first of these files, and forgets those that are not there, until `most` are left.
inline void keep_last_files(std::vector<std::string>& files, std::uint64_t most) {
    std::erase_if(files, [](const std::string& file) {  // not written after all, or deleted by others
        std::FILE* const f = std::fopen(storage::placed(file).c_str(), "rb");
        return f == nullptr || std::fclose(f) != 0;
    });
    while (files.size() > most) {
        std::remove(storage::placed(files.front()).c_str());
        files.erase(files.begin());
    }
}

class SaveNode final : public ActionNode {
public:
    SaveNode(std::vector<TextOrValue> name, std::uint64_t kept) : name_(std::move(name)), kept_(kept) {}
    detail::Owned<ActionNode> clone() const override { return std::make_unique<SaveNode>(*this); }
    ActionHandle keeping(std::uint64_t n) const { return std::make_shared<SaveNode>(name_, n); }
    void run(HookContext& context) override {
        const std::string file = file_name_of(name_, context);
        context.save(file);
        if (kept_ == 0) return;
        // What is to be deleted stays remembered until it is: whoever resumes from this file deletes it.
        std::erase(*files_, file);
        files_->push_back(file);
        context.afterwards([files = files_, most = kept_] { keep_last_files(*files, most); });
    }
    void visit_values(const ValueVisitor& f) override {
        for (TextOrValue& part : name_)
            if (part.value) f(part.value);
    }
    /// A copy in another trainer remembers files of its own.
    void restart(HookContext&) override { files_ = std::make_shared<std::vector<std::string>>(*files_); }
    void archive(Archive& a) override {
        if (kept_ == 0) return;
        std::vector<char> text;
        if (!a.reading())
            for (const std::string& file : *files_)
                text.insert(text.end(), file.c_str(), file.c_str() + file.size() + 1);
        a.tensor(text);
        if (!a.reading()) return;
        files_->clear();
        for (auto from = text.begin(); from != text.end();) {
            const auto end = std::find(from, text.end(), '\0');
            files_->emplace_back(from, end);
            from = end == text.end() ? end : end + 1;
        }
    }
    std::string text() const override {
        return sentence("save(", file_name_words(name_), kept_ > 0 ? sentence(").keep_last(", kept_, ")") : ")");
    }

private:
    std::vector<TextOrValue> name_;
    std::uint64_t kept_;
    std::shared_ptr<std::vector<std::string>> files_ = std::make_shared<std::vector<std::string>>();
};

/// Throws ArgumentError where no file can have the trainer's name.
class SaveByNameNode final : public ActionNode {
public:
    detail::Owned<ActionNode> clone() const override { return std::make_unique<SaveByNameNode>(); }
    void run(HookContext& context) override { context.save(sentence(context.name(), ".sigma")); }
    void restart(HookContext& context) override {
        const std::string& name = context.name();
        if (name.empty() || name.find('/') != std::string::npos)
            throw ArgumentError("save", "a trainer whose name a file can have, or the name of a file",
                                name.empty() ? "a trainer without a name" : sentence("trainer '", name, "'"));
    }
    std::string text() const override { return "save"; }
};

SIGMA_IMPL ActionHandle make_save(std::vector<TextOrValue> name, std::uint64_t kept) {
    return std::make_shared<SaveNode>(std::move(name), kept);
}
SIGMA_IMPL ActionHandle make_save() { return std::make_shared<SaveByNameNode>(); }
SIGMA_IMPL ActionHandle keep_last(const ActionHandle& save, Integer n) {
    return static_cast<const SaveNode&>(*save).keeping(positive("keep_last", n));
}

}  // namespace sigma::detail
