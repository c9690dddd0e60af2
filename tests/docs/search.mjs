// SPDX-License-Identifier: BSL-1.0
// Asks the search of a built site, by the program that the site's own pages run: Material's search worker, with its lunr.
//     node search.mjs SITE < a JSON list of queries    prints for each the list of results, [[location, location of a section, …], …]
import {readFileSync, readdirSync} from "node:fs";
import {join} from "node:path";
import vm from "node:vm";

const site = process.argv[2], workers = join(site, "assets/javascripts/workers");
const program = readFileSync(join(workers, readdirSync(workers).find(name => /^search\..*\.js$/.test(name))), "utf8");
let listen, answered;
const self = {};
vm.runInNewContext(program, {self, console, setTimeout, Map, Set, Object, RegExp, JSON, addEventListener: (_, f) => { listen = f; },
    postMessage: message => answered(message), importScripts() {}, get lunr() { return self.lunr; }});
const ask = data => new Promise(resolve => {
    answered = resolve;
    listen({data});
});
/// What the search field makes of what is typed.
const query = text => text.split(/"([^"]+)"/g)
    .map((terms, i) => i & 1 ? terms.replace(/^\b|^(?![^\x00-\x7F]|$)|\s+/g, " +") : terms).join("")
    .replace(/"|(?:^|\s+)[*+\-:^~]+(?=\s+|$)/g, "").trim();

const index = JSON.parse(readFileSync(join(site, "search/search_index.json"), "utf8"));
await ask({type: 0, data: {config: index.config, docs: index.docs, options: {pipeline: ["trimmer", "stopWordFilter"], suggestions: false}}});
const results = [];
for (const text of JSON.parse(readFileSync(0, "utf8"))) {
    const {data} = await ask({type: 2, data: query(text)});
    results.push(data.items.map(page => page.map(({location}) => location)));
}
console.log(JSON.stringify(results));
