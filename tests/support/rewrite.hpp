// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/emit_again.hpp>
#include <sigma/tape/program.hpp>

namespace sigma {

/// The same program on a fresh tape without dead code, its nodes emitted again with the given passes switched on. Of a
/// program recorded with `sharing` and `identities` off, this shows what each pass does.
constexpr detail::Program rewrite(const detail::Program& program, bool sharing, bool identities) {
    const detail::Tape& from = program.tape;
    detail::List<char> live(from.size(), 0);
    for (const Variable& v : program.outputs) live[v.id] = 1;
    for (const Variable& v : program.assignments) live[v.id] = 1;
    for (bool again = true; again;) {  // a carry that is read needs what it becomes
        for (int i = from.size() - 1; i >= 0; --i)
            if (live[i])
                for (int o : {from[i].a, from[i].b, from[i].c})
                    if (o >= 0) live[o] = 1;
        again = false;
        for (int i = 0; i < from.size(); ++i)
            if (from[i].operation == detail::Operation::advance && live[from[i].a] && !live[i]) live[i] = again = true;
    }
    detail::Program result;
    for (const detail::Loop& loop : from.loops()) result.tape.add_loop(loop);
    result.sequential = program.sequential;
    result.tape.sharing = sharing;
    result.tape.identities = identities;
    detail::List<int> moved(from.size(), -1);
    for (int i = 0; i < from.size(); ++i)
        if (live[i]) moved[i] = detail::emit_again(from[i], result.tape, [&](int o) { return moved[o]; }).id;
    for (const Variable& v : program.outputs) result.outputs.push({nullptr, moved[v.id]});
    for (const Variable& v : program.assignments) result.assignments.push({nullptr, moved[v.id]});
    return result;
}

}  // namespace sigma
