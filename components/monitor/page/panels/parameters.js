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

/// A value and a control for it.
class Row {
    #edited = false;        // typed and not sent
    #sent = 0;              // sent and not answered

    constructor(panel, value) {
        const says = panel.fields?.[value.name] ?? {}, {type, name} = value;
        this.trainer = panel.trainer;
        this.value = value;
        this.why = h("div", {class: "why", role: "alert", hidden: true});
        this.locked = !value.writable || connection.state?.read_only;
        // Number types include NaN, which is not a number in JSON.
        const {element, show} = says.choices ? this.#choice(says.choices) : type === "bool" ? this.#switch() : is_number(type) ? this.#number(says)
            : value.writable && type === "string" ? this.#text() : this.#shown();
        this.show = show;
        this.field = h("div", {class: "field", "data-name": name}, h("label", {class: "mono"}, name), element, this.why);
        show(value);
    }
    async #write(fresh) {
        const {field, value} = this;
        this.#edited = false;
        field.className = "field pending";
        this.why.hidden = true;
        ++this.#sent;
        try {
            const now = await request("/api/registry", {trainer: this.trainer, name: value.name, value: fresh});
            --this.#sent;
            field.className = this.#edited ? "field pending" : "field done";
            this.show({...value, number: Number(now.text), ...now});
            setTimeout(() => { if (field.className === "field done") field.className = "field"; }, 1200);
        } catch (error) {
            --this.#sent;
            field.className = "field refused";
            this.why.textContent = error.message;
            this.why.hidden = false;
        }
    }
    #put_back() { this.#edited = false; this.field.className = "field"; this.why.hidden = true; this.show(this.value); }
    #leave(text) {
        if (text.readOnly) return;
        if (text.value === this.value.text) this.#put_back();  // a field cannot hold every text
        else this.#write(typed(text.value, this.value.type));
    }
    #input(more = {}) {
        return h("input", {type: "text", ...more, disabled: this.locked, "aria-label": this.value.name,
            oninput: () => { this.#edited = true; this.field.className = "field pending"; },
            onblur: event => { if (this.#edited) this.#leave(event.target); },
            onkeydown: event => {
                if (event.key === "Enter") this.#leave(event.target);
                if (event.key === "Escape") this.#put_back();
            }});
    }
    /// Returns whether the user is not done with a field.
    #in_use(text) { return this.#edited || this.#sent || document.activeElement === text && this.field.classList.contains("refused"); }

    #choice(choices) {
        const {name, type} = this.value;
        const select = h("select", {disabled: this.locked, "aria-label": name, onchange: () => this.#write(typed(select.value, type))}, choices.map(c => h("option", {value: c}, c)));
        return {element: select, show(now) { if (document.activeElement !== select) select.value = now.text; }};
    }
    #switch() {
        const box = h("input", {type: "checkbox", role: "switch", disabled: this.locked, "aria-label": this.value.name, onchange: () => this.#write(box.checked)});
        return {element: h("span", {}, box), show(now) { box.checked = now.text === "true"; }};
    }
    #number(says) {
        const text = this.#input({inputmode: "decimal"}), {value} = this, slider = this.#slider(says, text);
        return {element: slider ? h("div", {class: "both"}, slider.element, text) : text, show: now => {
            [value.number, value.text] = [now.number, now.text];
            if (this.#in_use(text)) return;
            text.value = now.text;
            slider?.show(now.number);
        }};
    }
    /// Makes a slider; null if the value has no range.
    #slider(says, text) {
        const {value} = this, known = says.low !== undefined && says.high !== undefined;
        if (this.locked || !(known || (value.number > 0 && !/^u?int/.test(value.type)))) return null;
        // Default range: 0 to 1 for a number in [0.1, 1), else three decades around the current value.
        const share = value.number >= 0.1 && value.number < 1, log = says.log ?? !(known || share);
        const [low, high] = known ? [says.low, says.high] : share ? [0, 1] : [value.number / 1000, value.number * 1000];
        const to = x => log ? Math.log(x / low) / Math.log(high / low) : (x - low) / (high - low);
        const read = () => { const p = Number(range.value); return Number((log ? low * (high / low) ** p : low + p * (high - low)).toPrecision(3)); };
        const range = h("input", {type: "range", min: 0, max: 1, step: "any", "aria-label": `${value.name}, slider`,
            oninput: () => { this.#edited = true; text.value = read(); },
            onchange: () => this.#write(read())});
        return {element: range, show(x) { if (document.activeElement !== range && Number.isFinite(x)) range.value = to(x); }};
    }
    #text() {
        const text = this.#input();
        return {element: text, show: now => {
            this.value.text = now.text;
            if (this.#in_use(text)) return;
            text.value = now.text;
            // A text that the field cannot show unchanged, such as one with line breaks, is read-only.
            text.readOnly = Boolean(now.partial) || text.value !== now.text;
            text.title = text.readOnly ? "This text is too long for the field, or has line breaks or bytes that the field cannot show. Only the program can change it." : "";
        }};
    }
    #shown() {
        const text = h("span", {class: "mono dim"});
        return {element: text, show(now) { text.textContent = now.number !== null && now.number !== undefined ? number(now.number) : now.text; }};
    }
}

/// Makes the panel. panel.fields: {name: {low, high, log, choices: []}}, for values with a slider or choices.
export function create(panel, body) {
    const rows = new Map(), list = h("div");
    body.append(list);
    return polled(async () => {
        const patterns = panel.names ?? [panel.pattern];
        const values = (await Promise.all(patterns.map(pattern => query("/api/registry", {trainer: panel.trainer, pattern})))).flat();
        const names = new Set(values.map(value => value.name));
        for (const [name, one] of rows) if (!names.has(name)) { one.field.remove(); rows.delete(name); }
        for (const value of values) {
            const one = rows.get(value.name);
            if (one && one.value.type === value.type && one.value.writable === value.writable) { one.show(value); continue; }
            one?.field.remove();
            const fresh = new Row(panel, value);
            rows.set(value.name, fresh);
            list.append(fresh.field);
        }
        if (!values.length && !list.firstChild) clear(list).append(h("p", {class: "empty"}, `No values match ${patterns.join(", ")}`));
        else if (values.length) list.querySelector(":scope > .empty")?.remove();
    }, 500);
}
