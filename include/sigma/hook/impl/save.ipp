// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/node.hpp>
#include <sigma/hook/save.hpp>
#include <sigma/storage/workspace.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <tuple>

namespace sigma {

namespace detail {

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

struct SaveNode {
    std::vector<TextOrValue> name{};
    std::uint64_t kept = 0;
    std::shared_ptr<std::vector<std::string>> files = std::make_shared<std::vector<std::string>>();

    auto fields() { return std::tie(name); }
    void run(HookContext& context) {
        const std::string file = file_name_of(name, context);
        context.save(file);
        if (kept == 0) return;
        // What is to be deleted stays remembered until it is: whoever resumes from this file deletes it.
        std::erase(*files, file);
        files->push_back(file);
        context.afterwards([f = files, most = kept] { keep_last_files(*f, most); });
    }
    /// A copy in another trainer remembers files of its own.
    void restart() { files = std::make_shared<std::vector<std::string>>(*files); }
    void archive(Archive& a) {
        if (kept == 0) return;
        std::vector<char> names;
        if (!a.reading())
            for (const std::string& file : *files)
                names.insert(names.end(), file.c_str(), file.c_str() + file.size() + 1);
        a.tensor(names);
        if (!a.reading()) return;
        files->clear();
        for (auto from = names.begin(); from != names.end();) {
            const auto end = std::find(from, names.end(), '\0');
            // Where the hook saves to another place now, those of before are no longer its files.
            if (std::string file(from, end); could_name(name, file)) files->push_back(std::move(file));
            from = end == names.end() ? end : end + 1;
        }
    }
    std::string text() const {
        return sentence("save(", file_name_words(name), kept > 0 ? sentence(").keep_last(", kept, ")") : ")");
    }
};

/// Throws ArgumentError where no file can have the trainer's name.
struct SaveByNameNode {
    static void run(HookContext& context) { context.save(sentence(context.name(), ".sigma")); }
    static void restart(HookContext& context) {
        const std::string& name = context.name();
        if (name.empty() || name.find('/') != std::string::npos)
            throw ArgumentError("save", "the name of a file, or a trainer with a name without '/'",
                                name.empty() ? "a trainer without a name" : sentence("trainer '", name, "'"));
    }
    static std::string text() { return "save"; }
};

SIGMA_IMPL ActionHandle make_save(std::vector<TextOrValue> name, std::uint64_t kept) {
    return make_action(SaveNode{std::move(name), kept});
}
SIGMA_IMPL ActionHandle make_save() { return make_action(SaveByNameNode{}); }
SIGMA_IMPL ActionHandle keep_last(const ActionHandle& save, Integer n) {
    return make_save(static_cast<const ActionNodeOf<SaveNode>&>(*save).self.name, positive("keep_last", n));
}

/// The run as it was: parameters, states, counts, position and hooks; or the parameters that match a pattern, alone.
struct RestoreNode {
    bool everything = true;
    std::string file{}, pattern{};

    void run(HookContext& context) {
        TrainerView& trainer = context.view();
        if (everything) return trainer.load_after_hooks(file);
        context.afterwards([&trainer, f = file, p = pattern] {
            trainer.load_parameters(f, p);
            trainer.parameters_changed();
        });
    }
    const char* word() const { return everything ? "restore" : "restore_parameters"; }
    std::string text() const {
        return sentence(word(), "(\"", file, pattern == "*" ? "" : sentence("\", \"", pattern), "\")");
    }
};

inline RestoreFile make_restore(RestoreNode made) {
    if (made.file.empty()) throw ArgumentError(made.word(), "the name of a file", "an empty text");
    return RestoreFile(make_action(std::move(made)));
}

}  // namespace detail

SIGMA_IMPL RestoreFile restore(std::string file) { return detail::make_restore({true, std::move(file), "*"}); }
SIGMA_IMPL RestoreFile restore_parameters(std::string file, std::string pattern) {
    return detail::make_restore({false, std::move(file), std::move(pattern)});
}

}  // namespace sigma
