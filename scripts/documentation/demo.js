// SPDX-License-Identifier: BSL-1.0
// In place of a program: answers requests and sends messages as they were recorded (record_demo.mjs), as fast as they came.
(() => {
    const recording = JSON.parse(document.getElementById("recording").textContent), {frames, answers} = recording;
    const last = frames.at(-1)[0], begun = performance.now(), now = () => Math.min(last, performance.now() - begun);
    const words = address => { const {pathname, searchParams} = new URL(address, "http://recording/"); return [pathname, new Map(searchParams)]; };

    /// The recorded answers to this address, or to the one of the same path that has most in common with it.
    function recorded(address) {
        const [path, wanted] = words(address);
        if (answers[path + new URL(address, "http://recording/").search]) return answers[path + new URL(address, "http://recording/").search];
        let best = null, most = -1;
        for (const [other, all] of Object.entries(answers)) {
            const [its_path, its] = words(other);
            if (its_path !== path || ["trainer", "panel", "name"].some(key => wanted.get(key) !== its.get(key))) continue;
            const alike = [...wanted].filter(([key, value]) => its.get(key) === value).length;
            if (alike > most) [best, most] = [all, alike];
        }
        return best;
    }
    const reply = (status, text) => new Response(text, {status, headers: {"Content-Type": "application/json"}});
    window.fetch = async (address, options = {}) => {
        if (options.method === "POST") return reply(409, JSON.stringify({error: "This page shows a recording. A running program would do it."}));
        const all = recorded(String(address));
        if (!all) return reply(404, JSON.stringify({error: "Not part of this recording."}));
        const [, status, text] = all.findLast(([time]) => time <= now()) ?? all[0];
        return reply(status, text);
    };
    window.WebSocket = class {
        static OPEN = 1;
        readyState = 0;
        #at = 0;
        #state = null;
        constructor() {
            setTimeout(() => {
                this.readyState = 1;
                this.onopen?.();
                this.#timer = setInterval(() => this.#send(), 100);
            });
        }
        #timer = 0;
        #told = 0;
        #send() {
            while (this.#at < frames.length && frames[this.#at][0] <= now()) this.#tell(frames[this.#at++][1]);
            if (this.#at === frames.length && this.#state && performance.now() - this.#told > 1000) this.#tell(this.#state);  // it stands still
        }
        #tell(data) {
            if (data.startsWith('{"type":"state"') || data.includes('"type":"state"')) this.#state = data;
            this.#told = performance.now();
            this.onmessage?.({data});
        }
        send() {}
        close() { clearInterval(this.#timer); }
    };
})();
