// SPDX-License-Identifier: BSL-1.0
// The connection to the program: requests, one stream of changes, and its listeners.
import {memory, toast} from "./dom.js";

export class Refused extends Error {
    constructor(message, status) { super(message); this.status = status; }
}

const pause = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds));
/// Returns a function that does `work`: never twice at once, and once more if it was called meanwhile. All calls resolve when the last work
/// is done. If `rests`, it works at most half of the time, so that a slow browser has time for its user.
export function at_ease(work, rests = true) {
    let last = null, busy = false, again = false, next = 0;
    const run = async () => {
        busy = true;
        try {
            while (again) {
                if (rests && next > performance.now()) await pause(next - performance.now());
                again = false;
                const begun = performance.now();
                await work();
                next = 2 * performance.now() - begun;
            }
        } finally { busy = false; }  // at once: a call before `last` resolves is not lost
    };
    return () => {
        again = true;
        if (!busy) last = run();
        return last;
    };
}

/// Limits of retries: a request that gets 429 is sent again after Retry-After, unless that is long (too many wrong tokens).
const most_again = 5, most_seconds = 10;
/// Milliseconds without a message after which the program counts as not responding: a stopped program closes no connection. The state comes four times a second.
const silence = 3000, longest_answer = 60000;
/// The session that admits this browser until the program ends. It belongs to this address and port, unlike a cookie, which goes to all ports of a machine.
export const session = {
    get: () => memory.get("session", null),
    set: word => memory.set("session", word),
};
export async function request(path, body) {
    const headers = {...body === undefined ? {} : {"Content-Type": "application/json"}, ...session.get() ? {Authorization: `Bearer ${session.get()}`} : {}};
    const asked = () => fetch(path, {headers, ...body === undefined ? {} : {method: "POST", body: JSON.stringify(body)}, signal: AbortSignal.timeout(longest_answer)})
        .catch(() => { throw new Refused("The program does not respond.", 0); });
    let answer = await asked();
    for (let i = 0; i < most_again && answer.status === 429; ++i) {
        const seconds = Number(answer.headers.get("Retry-After") ?? 1);
        if (!(seconds >= 0 && seconds <= most_seconds)) break;
        await pause(1000 * seconds);
        answer = await asked();
    }
    const text = await answer.text();
    let value;
    try { value = JSON.parse(text); } catch { value = {error: text || answer.statusText}; }
    if (answer.status === 401 && path !== "/api/login") connection.locked();
    if (!answer.ok) throw new Refused(value.error ?? answer.statusText, answer.status);
    return value;
}

/// Returns whether the run of a trainer has ended: "finished", "stopped", or "failed".
export const has_ended = trainer => ["finished", "stopped", "failed"].includes(trainer?.state);
/// Describes in words how a run has ended.
export const ending_of = ({state, reason}) => !reason ? state : state === "stopped" ? `stopped by ${reason}` : `${state}: ${reason}`;

export const query = (path, values) =>
    request(`${path}?${new URLSearchParams(Object.entries(values).filter(([, v]) => v !== undefined && v !== ""))}`);

class Connection extends EventTarget {
    state = null;           // the last /api/state
    online = false;
    hellos = 0;             // number of greetings: after each, the program may be another one
    #socket = null;
    #wait = 250;            // milliseconds before the next attempt
    #timer = 0;
    #watch = 0;
    #heard = 0;             // time of the last message
    #subscriptions = new Map();  // "trainer\nseries" -> listeners
    /// Reads what the stream left out. A browser that is too slow for the stream would otherwise do nothing else.
    #read_again = at_ease(() => Promise.all([...this.#subscriptions.values()].flatMap(listeners => [...listeners].map(listener => listener.again()))));
    #commands = new Map();  // id -> function to call when the command ends
    #ended = [];            // ended commands that nothing waits for yet

    connect() {
        clearTimeout(this.#timer);
        if (this.#socket) return;
        let opened = false;
        const protocols = session.get() ? ["sigma", `sigma-session-${session.get()}`] : [];
        const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/stream`, protocols);
        this.#socket = socket;
        this.#heard = performance.now();
        this.#watch ||= setInterval(() => this.#look_for_silence(), 500);
        socket.onopen = () => {
            opened = true;
            this.#wait = 250;
            for (const key of this.#subscriptions.keys()) this.#send("subscribe", key);
        };
        socket.onmessage = event => {
            this.#heard = performance.now();
            this.#take(JSON.parse(event.data));
        };
        socket.onclose = () => {
            this.#gone();
            // A restarted program may need another token. A request gets 401 then; a stream gives no reason.
            if (!opened) request("/api/state").catch(() => {});
        };
    }
    #gone() {
        this.#set_online(false);
        this.#socket = null;
        this.#timer = setTimeout(() => this.connect(), this.#wait);
        this.#wait = Math.min(8000, this.#wait * 2);
    }
    #look_for_silence() {
        const socket = this.#socket;
        if (!socket || performance.now() - this.#heard < silence) return;
        socket.onopen = socket.onmessage = socket.onclose = null;
        socket.close();
        this.#gone();
    }
    /// Returns whether the program stopped responding. The page keeps its contents and sends no requests meanwhile.
    get gone() { return this.state !== null && !this.online; }
    /// Reports that a request needs a token.
    locked() { this.#tell("locked"); }

    #set_online(now) {
        if (now === this.online) return;
        this.online = now;
        this.dispatchEvent(new CustomEvent("online", {detail: now}));
    }
    #tell(type, detail) { this.dispatchEvent(new CustomEvent(type, {detail})); }
    #send(word, key) {
        if (this.#socket?.readyState !== WebSocket.OPEN) return;
        const [trainer, series] = key.split("\n");
        this.#socket.send(JSON.stringify({[word]: {trainer, series: [series]}}));
    }

    #take(message) {
        switch (message.type) {
            case "hello":
                this.state = message.state;
                ++this.hellos;
                this.#ended = [];  // another program numbers its commands again from 1
                this.#set_online(true);
                this.#tell("hello", message.state);
                this.#tell("state", message.state);
                break;
            case "state":
                this.state = message.state;
                this.#tell("state", message.state);
                break;
            case "points":
                for (const [name, points] of Object.entries(message.series))
                    for (const listener of this.#subscriptions.get(`${message.trainer}\n${name}`) ?? []) listener.add(points);
                break;
            case "missed":
                this.#tell("missed");
                this.#read_again();
                break;
            case "mark": this.#tell("mark", message.mark); break;
            case "log": this.#tell("log", message.records); break;
            case "command": this.#settle(message); break;
        }
    }

    /// Adds a listener {add(points), again()} to a series; call the returned function to remove it.
    subscribe(trainer, series, listener) {
        const key = `${trainer}\n${series}`;
        const listeners = this.#subscriptions.get(key) ?? new Set();
        if (!listeners.size) { this.#subscriptions.set(key, listeners); this.#send("subscribe", key); }
        listeners.add(listener);
        return () => {
            if (!listeners.delete(listener)) return;
            if (!listeners.size && this.#subscriptions.delete(key)) this.#send("unsubscribe", key);
        };
    }

    #settle(command) {
        if (command.status === "pending") return;
        const done = this.#commands.get(command.id);
        this.#commands.delete(command.id);
        if (done) done(command);
        else this.#ended = [...this.#ended.slice(-99), command];
        this.#tell("command", command);
    }
    /// Sends a command and resolves when the program has done it; throws the reason if the program refuses it.
    async command(trainer, command, more = {}) {
        const accepted = await request("/api/commands", {trainer, command, ...more});
        const end = await new Promise(resolve => {
            // The stream may have reported the end before this answer arrived.
            const ended = accepted.status !== "pending" ? accepted : this.#ended.find(one => one.id === accepted.id);
            if (ended) { resolve(ended); return; }
            this.#commands.set(accepted.id, resolve);
            // The stream may have been interrupted when it reported the end.
            const look = async () => {
                if (!this.#commands.has(accepted.id)) return;
                try { this.#settle({...await request(`/api/commands/${accepted.id}`)}); } catch { /* tried again */ }
                if (this.#commands.has(accepted.id)) setTimeout(look, 2000);
            };
            setTimeout(look, 1000);
        });
        if (end.status === "refused") throw new Refused(end.reason ?? "The program refused the command.", 409);
        return end;
    }
}

export const connection = new Connection();

/// Calls a function and shows a message if it throws.
export async function attempt(work) {
    try { return await work(); } catch (error) { toast(error.message, "bad"); return undefined; }
}
