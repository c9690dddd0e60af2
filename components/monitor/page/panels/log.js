// SPDX-License-Identifier: BSL-1.0
import {connection, query} from "../connection.js";
import {clear, h, memory} from "../dom.js";

const levels = ["trace", "debug", "info", "warning", "error", "critical"], most = 2000;

export function create(panel, body) {
    const kept = memory.get(`log.${panel.id}`, {level: "info"});
    let records = [], last = 0;
    const lines = h("div", {class: "log scroll", role: "log", tabindex: "0", "aria-label": "Messages"});
    const level = h("select", {"aria-label": "Minimum level", onchange: () => { kept.level = level.value; memory.set(`log.${panel.id}`, kept); show(); }}, levels.map(l => h("option", {value: l}, l)));
    const search = h("input", {type: "search", placeholder: "Search", "aria-label": "Search messages", oninput: () => show()});
    level.value = kept.level;
    body.append(h("div", {class: "toolbar"}, level, search), lines);

    const wanted = record => levels.indexOf(record.level) >= levels.indexOf(level.value) &&
        (!search.value || `${record.source} ${record.message}`.toLowerCase().includes(search.value.toLowerCase()));
    const line = record => h("p", {class: record.level}, h("time", {}, new Date(record.time * 1000).toLocaleTimeString("en-GB")), " ", record.level.padEnd(8), " ",
        h("span", {class: "source"}, record.source ? `${record.source}: ` : ""), record.message);
    const at_end = () => lines.scrollHeight - lines.scrollTop - lines.clientHeight < 30;
    function show() {
        clear(lines).append(...records.filter(wanted).map(line));
        if (!lines.firstChild) lines.append(h("p", {class: "dim"}, "No messages"));
        lines.scrollTop = lines.scrollHeight;
    }
    function take(fresh) {
        fresh = fresh.filter(record => record.number > last);
        if (!fresh.length) return;
        last = fresh[fresh.length - 1].number;
        records.push(...fresh);
        if (records.length > most) { records = records.slice(-most); show(); return; }
        const follow = at_end(), added = fresh.filter(wanted).map(line);
        if (added.length && lines.firstChild?.className === "dim") clear(lines);
        lines.append(...added);
        if (follow) lines.scrollTop = lines.scrollHeight;
    }
    let greeted = null;
    /// Reads new messages; all of them after a greeting, since another program numbers them again from 1. Keeps the old ones if there is no answer.
    async function read() {
        const before = {records, last}, anew = greeted !== connection.hellos;
        if (anew) { records = []; last = 0; greeted = connection.hellos; }
        try {
            take(await query("/api/log", {after: last, level: "trace"}));
            if (anew) show();
        } catch { if (anew && !records.length) ({records, last} = before); }  // tried again at the next hello
    }
    const heard = event => take(event.detail), hello = () => { read(); };
    return {
        begin() { connection.addEventListener("log", heard); connection.addEventListener("hello", hello); read(); },
        end() { connection.removeEventListener("log", heard); connection.removeEventListener("hello", hello); },
    };
}
