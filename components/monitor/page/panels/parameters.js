// SPDX-License-Identifier: BSL-1.0
// Values that can be changed during the run, each with a control for its type. The program refuses a wrong value with a message.
import {connection, query, request} from "../connection.js";
import {clear, h, number} from "../dom.js";
import {polled} from "./polled.js";

const is_number = type => /^(double|float|u?int\d*)$/.test(type);
/// Converts a text to the JSON of the value's type. A text that is not a finite decimal number is sent unchanged, and the program refuses it with a
/// message. So is 1,000, which is a thousand in one country and one in another.
export function typed(text, type) {
    if (type === "bool") return text === "true";
    const plain = text.trim();
    if (!is_number(type) || /^[+-]?[1-9]\d{0,2}(,\d{3})+$/.test(plain)) return text;
    const dotted = plain.replace(",", "."), x = Number(dotted);
    if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(dotted) || !Number.isFinite(x)) return text;
    // Whole numbers that a double would round are sent as they are.
    if (/int/.test(type) && /^-?[1-9]\d*$/.test(dotted) && !Number.isSafeInteger(x)) return JSON.rawJSON?.(dotted) ?? text;
    return x;
}

/// Makes the panel. panel.fields: {name: {low, high, log, choices: []}}, for values with a slider or choices.
export function create(panel, body) {
    const rows = new Map(), list = h("div");
    body.append(list);

    function row(value) {
        const says = panel.fields?.[value.name] ?? {}, why = h("div", {class: "why", role: "alert", hidden: true});
        const field = h("div", {class: "field", "data-name": value.name}, h("label", {class: "mono"}, value.name));
        let edited = false, sent = 0, show;  // typed and not sent; sent and not answered
        const write = async fresh => {
            field.className = "field pending";
            why.hidden = true;
            ++sent;
            try {
                const now = await request("/api/registry", {trainer: panel.trainer, name: value.name, value: fresh});
                --sent;
                field.className = edited ? "field pending" : "field done";
                show({...value, number: Number(now.text), ...now});
                setTimeout(() => { if (field.className === "field done") field.className = "field"; }, 1200);
            } catch (error) {
                --sent;
                field.className = "field refused";
                why.textContent = error.message;
                why.hidden = false;
            }
        };
        const put_back = () => { edited = false; field.className = "field"; why.hidden = true; show(value); };
        // An unchanged text is not sent: a field cannot hold every text.
        const leave = (text, send) => { if (text.readOnly) return; if (text.value === value.text) put_back(); else send(); };
        const keys_of = (text, send) => event => {
            if (event.key === "Enter") leave(text, send);
            if (event.key === "Escape") put_back();
        };
        const locked = () => !value.writable || connection.state?.read_only;
        if (says.choices) {
            const select = h("select", {disabled: locked(), "aria-label": value.name, onchange: () => write(typed(select.value, value.type))}, says.choices.map(c => h("option", {value: c}, c)));
            show = now => { if (document.activeElement !== select) select.value = now.text; };
            field.append(select);
        } else if (value.type === "bool") {
            const box = h("input", {type: "checkbox", role: "switch", disabled: locked(), "aria-label": value.name, onchange: () => write(box.checked)});
            show = now => { box.checked = now.text === "true"; };
            field.append(h("span", {}, box));
        } else if (is_number(value.type)) {  // including NaN, which is not a number in JSON
            const text = h("input", {type: "text", inputmode: "decimal", disabled: locked(), "aria-label": value.name,
                oninput: () => { edited = true; field.className = "field pending"; },
                onblur: () => { if (edited) leave(text, send); },
                onkeydown: event => keys_of(text, send)(event)});
            const send = () => { edited = false; write(typed(text.value, value.type)); };
            const known = says.low !== undefined && says.high !== undefined;
            // Default range: 0 to 1 for a number in [0.1, 1), else three decades around the current value.
            const share = value.number >= 0.1 && value.number < 1, log = says.log ?? !(known || share);
            const [low, high] = known ? [says.low, says.high] : share ? [0, 1] : [value.number / 1000, value.number * 1000];
            let range = null;
            if (!locked() && (known || (value.number > 0 && !/^u?int/.test(value.type)))) {
                const to = x => log ? Math.log(x / low) / Math.log(high / low) : (x - low) / (high - low);
                const from = p => log ? low * (high / low) ** p : low + p * (high - low);
                range = h("input", {type: "range", min: 0, max: 1, step: "any", "aria-label": `${value.name}, slider`,
                    oninput: () => { edited = true; text.value = Number(from(Number(range.value)).toPrecision(3)); },
                    onchange: () => { edited = false; write(Number(Number(from(Number(range.value))).toPrecision(3))); }});
                range.to = to;
            }
            show = now => {
                [value.number, value.text] = [now.number, now.text];
                if (edited || sent || document.activeElement === text && field.classList.contains("refused")) return;
                text.value = now.text;
                if (range && document.activeElement !== range && Number.isFinite(now.number)) range.value = range.to(now.number);
            };
            field.append(range ? h("div", {class: "both"}, range, text) : text);
        } else if (value.writable && /^string$/.test(value.type)) {
            const send = () => { edited = false; write(text.value); };
            const text = h("input", {type: "text", disabled: locked(), "aria-label": value.name,
                oninput: () => { edited = true; field.className = "field pending"; },
                onblur: () => { if (edited) leave(text, send); },
                onkeydown: event => keys_of(text, send)(event)});
            show = now => {
                value.text = now.text;
                if (edited || sent || document.activeElement === text && field.classList.contains("refused")) return;
                text.value = now.text;
                // A text that the field cannot show unchanged, such as one with line breaks, is read-only.
                text.readOnly = Boolean(now.partial) || text.value !== now.text;
                text.title = text.readOnly ? "This text is too long for the field, or has line breaks or bytes that the field cannot show. Only the program can change it." : "";
            };
            field.append(text);
        } else {
            const text = h("span", {class: "mono dim"});
            show = now => { text.textContent = now.number !== null && now.number !== undefined ? number(now.number) : now.text; };
            field.append(text);
        }
        field.append(why);
        show(value);
        return {field, show, type: value.type, writable: value.writable};
    }

    return polled(async () => {
        const patterns = panel.names ?? [panel.pattern];
        const values = (await Promise.all(patterns.map(pattern => query("/api/registry", {trainer: panel.trainer, pattern})))).flat();
        const names = new Set(values.map(value => value.name));
        for (const [name, one] of rows) if (!names.has(name)) { one.field.remove(); rows.delete(name); }
        for (const value of values) {
            const one = rows.get(value.name);
            if (one && one.type === value.type && one.writable === value.writable) { one.show(value); continue; }
            one?.field.remove();
            const fresh = row(value);
            rows.set(value.name, fresh);
            list.append(fresh.field);
        }
        if (!values.length && !list.firstChild) clear(list).append(h("p", {class: "empty"}, `No values match ${patterns.join(", ")}`));
        else if (values.length) list.querySelector(":scope > .empty")?.remove();
    }, 500);
}
