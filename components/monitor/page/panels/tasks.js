// SPDX-License-Identifier: BSL-1.0
import {connection} from "../connection.js";
import {clear, h, number, updated} from "../dom.js";

const size = (x, unit) => unit !== "bytes" ? `${number(x)} ${unit}` : x < 1e3 ? `${x} B` : x < 1e6 ? `${(x / 1e3).toFixed(1)} kB` : x < 1e9 ? `${(x / 1e6).toFixed(1)} MB` : `${(x / 1e9).toFixed(2)} GB`;

/// Shows tasks that take long: downloading, reading, saving.
export function create(_, body) {
    const list = h("div");
    body.append(list);
    const show = () => {
        const tasks = connection.state?.tasks ?? [];
        clear(list);
        if (!tasks.length) list.append(h("p", {class: "empty"}, "No tasks"));
        for (const task of tasks) {
            const bar = h("progress", {value: task.total ? task.done / task.total : undefined, max: 1, "aria-label": task.description});
            list.append(h("div", {class: "field"}, h("span", {}, `${task.kind} ${task.description}`),
                h("div", {}, bar, h("div", {class: "dim"}, task.total ? `${size(task.done, task.unit)} of ${size(task.total, task.unit)}` : size(task.done, task.unit)))));
        }
    };
    return updated(connection, ["state"], show);
}
