// SPDX-License-Identifier: BSL-1.0
// A real browser drives the page of a program that trains: every control, reload, two browsers, the program gone and back.
//     node --test tests/browser/page.test.mjs         with the variables of page_support.mjs, and PICTURES=<folder, optional>
import assert from "node:assert/strict";
import {close, iteration, open, painted, panel, pill, place_of, problems, run, running, saved, set, start, state_becomes, stroke, tab, test, wait_for} from "./page_support.mjs";
import {end} from "./program.mjs";

test("the commands are obeyed and acknowledged", async () => {
    const page = await open();
    await running(page);
    await page.locator('[data-command="resume"]', {hasText: "Pause"}).click();
    await state_becomes(page, "paused");
    await page.locator(".toast.good", {hasText: "paused"}).waitFor(wait_for);
    const at = await iteration(page);
    await page.waitForTimeout(300);
    assert.equal(await iteration(page), at);
    await page.locator('[data-command="step"]').click();
    await page.waitForFunction(n => document.querySelector("header .facts").innerText.replaceAll("\u202f", "").includes(`iteration ${n}`), at + 1, wait_for);
    // A step is a run of one iteration: the page may have seen it go on, and its button says Pause meanwhile.
    await state_becomes(page, "paused");
    await page.locator('[data-command="resume"]', {hasText: "Run"}).click();
    await state_becomes(page, "running");
    await page.keyboard.press(" ");
    await state_becomes(page, "paused");
    await page.keyboard.press(" ");
    await state_becomes(page, "running");
    await close(page);
});

test("a button sends what it says, though the run has changed since", async () => {
    const page = await open();
    await running(page);
    const asked = [];
    page.on("request", request => { if (request.url().endsWith("/api/commands")) asked.push(request.postDataJSON().command); });
    // What another browser does between two messages of the stream: this page is not told yet.
    await page.evaluate(() => {
        const button = document.querySelector('[data-command="resume"]');
        return fetch("/api/commands", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({trainer: "digits", command: "pause"})})
            .then(() => { if (button.textContent === "Pause") button.click(); });
    });
    await state_becomes(page, "paused");
    await page.waitForTimeout(500);
    assert.ok(!asked.includes("resume"), `it sent ${asked}`);
    await running(page);
    await close(page);
});

test("a run is stopped, starts again, and is taken back to its beginning", async () => {
    const page = await open();
    await running(page);
    await page.waitForTimeout(300);
    await page.locator('[data-command="stop"]').click();
    await state_becomes(page, "stopped");
    await page.locator(".toast.good", {hasText: "is stopped"}).waitFor(wait_for);
    const at = await iteration(page);
    assert.ok(at > 0);
    assert.ok(await page.locator('[data-command="step"]').isDisabled());
    await page.locator('[data-command="resume"]', {hasText: "Run"}).click();  // start
    await state_becomes(page, "running");
    await page.locator('[data-command="resume"]', {hasText: "Pause"}).click();
    await state_becomes(page, "paused");
    assert.ok(await iteration(page) >= at);
    await page.locator('[data-command="rewind"]').click();
    await page.locator("dialog").getByRole("button", {name: "Rewind"}).click();
    await page.locator(".toast.good", {hasText: "beginning"}).waitFor(wait_for);
    await page.waitForFunction(n => Number(document.querySelector("header .facts").innerText.match(/iteration ([\d\u202f]+)/)[1].replaceAll("\u202f", "")) <= n, at, wait_for);
    await running(page);
    await close(page);
});

test("a checkpoint is saved and loaded, and a refused command says why", async () => {
    const page = await open();
    await running(page);
    for (const [word, file, shown] of [["save", "a.sigma", ".toast.good"], ["load", "nowhere.sigma", ".toast.bad"]]) {
        await page.locator(`[data-command="${word}"]`).click();
        await page.locator("dialog input").fill(file);
        await page.locator("dialog button.main").click();
        await page.locator(shown).first().waitFor(wait_for);
    }
    assert.match(await page.locator(".toast.bad").first().innerText(), /nowhere\.sigma/);
    await close(page);
});

test("a run continues from a checkpoint as a new run over the old one", async () => {
    const page = await open(), legend = page.locator('[data-kind="chart"]').first().locator(".legend");
    await running(page);
    const post = body => fetch(`${run.served.address}api/commands`, {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({trainer: "digits", ...body})});
    await post({command: "save", file: "fork.sigma"});
    const list = page.locator('[data-kind="chart"]').first().locator(".changes"), saved_at = list.locator("li", {hasText: "saved fork.sigma"});
    await saved_at.waitFor({state: "attached", ...wait_for});
    const at = Number((await saved_at.evaluate(one => one.firstChild.textContent)).match(/at iteration ([\d\u202f]+)/)[1].replaceAll("\u202f", ""));
    await page.waitForFunction(n => Number(document.querySelector("header .facts").innerText.match(/iteration ([\d\u202f]+)/)[1].replaceAll("\u202f", "")) > n, at + 200, wait_for);
    await post({command: "pause"});
    await state_becomes(page, "paused");
    // The triangle of the checkpoint opens the list at its button.
    const over = page.locator('[data-kind="chart"]').first().locator(".u-over"), size = await over.evaluate(one => ({width: one.clientWidth, height: one.clientHeight}));
    const focused = () => page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? "");
    for (let x = 2; x < size.width && !(await focused()).includes("fork.sigma"); x += 5) await over.click({position: {x, y: size.height - 4}});
    assert.match(await focused(), /Continue from here: saved fork\.sigma/);
    await page.keyboard.press("Enter");
    await page.locator("dialog button.main").click();
    await page.locator(".toast.good", {hasText: "as a new run"}).waitFor(wait_for);
    await page.waitForFunction(n => Number(document.querySelector("header .facts").innerText.match(/iteration ([\d\u202f]+)/)[1].replaceAll("\u202f", "")) === n, at, wait_for);
    await legend.getByRole("button", {name: /loss, parent/}).waitFor(wait_for);
    await list.locator("li", {hasText: "continued from"}).waitFor(wait_for);
    await post({command: "resume"});
    await page.waitForFunction(n => Number(document.querySelector("header .facts").innerText.match(/iteration ([\d\u202f]+)/)[1].replaceAll("\u202f", "")) > n, at + 100, wait_for);
    // The program's own line begins after the fork.
    const rows = String(await saved(page, () => page.locator('[data-kind="chart"]').first().getByRole("button", {name: /CSV/}).click())).trim().split("\n").slice(1).map(row => row.split(","));
    assert.equal(Number(rows.find(row => row[1] !== "")[0]), at + 1);
    const runs = (await (await fetch(`${run.served.address}api/runs`)).json()).runs, child = runs.find(one => one.live), {parent} = child.trainers.find(one => one.name === "digits");
    assert.equal(parent.iteration, at);
    assert.ok(runs.some(one => one.id === parent.run && one.id !== child.id));
    if (process.env.PICTURES) await page.screenshot({path: `${process.env.PICTURES}/fork.png`});
    await close(page);
});

test("a value is changed while the run goes on, and a wrong one is refused in the program's words", async () => {
    const page = await open(), other = await open();
    for (const one of [page, other]) await tab(one, "Parameters");
    const field = one => one.locator('[data-name="optimizer.learning_rate"]');
    const box = one => field(one).locator('input[type="text"]');
    await box(page).waitFor(wait_for);
    await box(page).fill("0.0125");
    await box(page).press("Enter");
    // the other browser sees it
    await other.waitForFunction(() => document.querySelector('[data-name="optimizer.learning_rate"] input[type="text"]')?.value === "0.0125", null, wait_for);
    await box(page).fill("-1");
    await box(page).press("Enter");
    await field(page).locator(".why").waitFor(wait_for);
    assert.match(await field(page).locator(".why").innerText(), /expected .*found/);
    await box(page).press("Escape");
    await box(page).fill("0.001");
    await box(page).press("Enter");
    await close(other);
    await close(page);
});

test("a text that is typed is sent when it is left, or put back", async () => {
    const page = await open({}, "Parameters");
    // The panel of the moves' mode as one where nothing is chosen from.
    await page.route("**/api/panels", async route => {
        const answer = await route.fetch(), panels = await answer.json();
        for (const one of panels) if (one.kind === "parameters" && one.fields?.mode) delete one.fields;
        await route.fulfill({response: answer, json: panels});
    });
    await page.reload();
    const field = page.locator('[data-name="mode"]'), text = field.locator('input[type="text"]');
    const mode = () => page.evaluate(() => fetch("/api/registry?trainer=moves&pattern=mode").then(answer => answer.json())).then(([{text}]) => text);
    await text.waitFor(wait_for);
    const before = await mode();
    await text.fill("half typed");
    assert.match(await field.getAttribute("class"), /pending/);
    await page.waitForTimeout(700);  // longer than until the next look
    assert.equal(await text.inputValue(), "half typed");
    await text.press("Escape");
    assert.equal(await text.inputValue(), before);
    assert.equal(await mode(), before);
    await text.fill("left");
    await text.press("Tab");
    await page.locator('[data-name="mode"].done').waitFor(wait_for);
    assert.equal(await mode(), "left");
    await text.fill(before);
    await text.press("Enter");
    await page.waitForFunction(() => document.querySelector('[data-name="mode"].done'), null, wait_for);
    // What is no decimal number is not made one, and the refusal quotes it.
    const rate = page.locator('[data-name="optimizer.learning_rate"]'), number = rate.locator('input[type="text"]');
    for (const typed of ["1e999", "0x10", ""]) {
        await number.fill(typed);
        await number.press("Enter");
        await page.waitForFunction(wanted => document.querySelector('[data-name="optimizer.learning_rate"].refused .why')?.textContent.endsWith(`found "${wanted}"`), typed, wait_for);
        await number.press("Escape");
        assert.notEqual(await number.inputValue(), typed);
    }
    await close(page);
});

test("a value is set on its slider, and chosen from a list", async () => {
    const page = await open({}, "Parameters"), field = page.locator('[data-name="optimizer.learning_rate"]');
    const slider = field.locator('input[type="range"]'), box = field.locator('input[type="text"]');
    await slider.waitFor(wait_for);
    await slider.fill("0.5");  // between 1e-5 and 1 in logarithms: 10^-2.5
    await page.waitForFunction(() => document.querySelector('[data-name="optimizer.learning_rate"] input[type="text"]').value === "0.00316", null, wait_for);
    const {number} = (await page.evaluate(() => fetch("/api/registry?pattern=optimizer.learning_rate").then(answer => answer.json())))[0];
    assert.equal(number, 0.00316);
    await box.fill("0.001");
    await box.press("Enter");
    const mode = page.locator('[data-name="mode"] select');
    await mode.waitFor(wait_for);
    await mode.selectOption("cold");
    await page.locator('[data-name="mode"].done').waitFor(wait_for);
    assert.equal((await page.evaluate(() => fetch("/api/registry?trainer=moves&pattern=mode").then(answer => answer.json())))[0].text, "cold");
    const on = page.locator('[data-name="on"] input[type="checkbox"]');
    assert.equal(await on.isChecked(), true);
    await on.click();
    await page.locator('[data-name="on"].done').waitFor(wait_for);
    assert.equal(await on.isChecked(), false);
    // A number that is none is still set as a number.
    const none = page.locator('[data-name="none"] input[type="text"]');
    assert.equal(await none.inputValue(), "nan");
    await none.fill("2.5");
    await none.press("Enter");
    await page.locator('[data-name="none"].done').waitFor(wait_for);
    await close(page);
});

test("what is arranged stays so", async () => {
    const page = await open();
    const first = await page.locator(".card").first().getAttribute("data-panel");
    await page.locator(".card").first().hover();
    await page.locator(".card").first().getByRole("button", {name: /^Move .* later$/}).click();
    assert.notEqual(await page.locator(".card").first().getAttribute("data-panel"), first);
    await page.locator(`[data-panel="${first}"]`).hover();
    await page.locator(`[data-panel="${first}"]`).getByRole("button", {name: /Hide/}).click();
    await page.reload();
    await page.waitForSelector(".card", wait_for);
    assert.equal(await page.locator(`[data-panel="${first}"]`).count(), 0);
    await page.getByRole("button", {name: /hidden/}).click();
    await page.locator(`[data-panel="${first}"]`).waitFor(wait_for);
    await page.keyboard.press("t");
    assert.equal(await page.locator("html").getAttribute("data-theme"), "light");
    await close(page);
});

test("another tab and another theme take nothing away, and what is not seen asks for nothing", async () => {
    const page = await open();
    await running(page);
    const canvas = panel(page, "draw").locator("canvas"), stones = () => panel(page, "tic_tac_toe").locator('[role="gridcell"]').allInnerTexts();
    await stroke(page, canvas);
    await panel(page, "tic_tac_toe").locator('[role="gridcell"]').first().click();
    await page.waitForFunction(() => document.querySelector('[data-kind="tic_tac_toe"] [role="status"]').textContent === "Your move.", null, wait_for);
    const scroll = panel(page, "table").locator(".scroll");
    await panel(page, "table").locator("td").first().waitFor(wait_for);
    await scroll.evaluate(place => { place.scrollTop = 40; });
    const [picture, board, down] = [await painted(canvas), await stones(), await page.evaluate(() => scrollY)];
    assert.ok(down > 0 && board.filter(Boolean).length === 2);
    const same = async () => {
        assert.equal(await painted(canvas), picture);
        assert.deepEqual(await stones(), board);
        assert.equal(await scroll.evaluate(place => place.scrollTop), 40);
        assert.equal(await page.evaluate(() => scrollY), down);
    };
    await page.keyboard.press("4");
    await panel(page, "log").locator('input[type="search"]').fill("no message has these words");
    const asked = [];
    await page.waitForTimeout(700);
    page.on("request", request => { if (/\/api\/(table|confusion|ranking|predict)/.test(request.url())) asked.push(request.url()); });
    await page.waitForTimeout(2500);
    assert.deepEqual(asked, []);
    await tab(page, "Training");
    await same();
    while (!asked.some(url => url.includes("table"))) await page.waitForTimeout(50);  // it goes on
    await page.keyboard.press("t");
    await same();
    await tab(page, "Log");
    assert.equal(await panel(page, "log").locator('input[type="search"]').inputValue(), "no message has these words");
    assert.equal(await page.locator(".card:visible").count(), 1);
    await close(page);
});

test("a tab has a window of its own, and both know what is arranged", async () => {
    const page = await open({}, "Network");
    await page.context().addInitScript(() => window.addEventListener("storage", event => { if (window.deaf) event.stopImmediatePropagation(); }));
    const coming = page.context().waitForEvent("page", wait_for);
    await page.getByRole("button", {name: "in a new window"}).click();
    const other = await coming;
    await panel(other, "graph").waitFor(wait_for);
    await tab(page, "Training");
    await page.waitForSelector('[data-kind="chart"]', wait_for);
    assert.equal(await other.getByRole("tab", {name: "Network"}).getAttribute("aria-selected"), "true");
    // The user shows what the other window has hidden, before the program tells this window of it: the last change counts.
    const hidden = n => other.waitForFunction(async wanted => (await (await fetch("/api/arrangement")).json()).arrangement?.hidden.length === wanted, n, wait_for);
    await page.route("**/api/arrangement", route => route.request().method() === "GET" ? route.abort() : route.continue());
    await panel(other, "graph").hover();
    await panel(other, "graph").getByRole("button", {name: /Hide/}).click();
    await hidden(1);
    await page.getByRole("button", {name: "Show 1 hidden"}).click(wait_for);
    await panel(other, "graph").waitFor(wait_for);
    await hidden(0);
    await page.unroute("**/api/arrangement");
    for (const name of ["Parameters", "Training"]) {
        await tab(page, name);
        await page.reload();
        await page.waitForSelector(".card", wait_for);
        assert.equal(await page.getByRole("tab", {name}).getAttribute("aria-selected"), "true");
    }
    // A window that has not heard yet which tab is open does not change it.
    await other.evaluate(() => { window.deaf = true; });
    await other.route("**/api/arrangement", route => route.abort());  // nor does the program tell it
    await tab(page, "Parameters");
    await panel(other, "graph").hover();
    await panel(other, "graph").getByRole("button", {name: /Hide/}).click();
    await page.getByRole("button", {name: "Show 1 hidden"}).waitFor(wait_for);
    await page.reload();
    await page.waitForSelector(".card", wait_for);
    assert.equal(await page.getByRole("tab", {name: "Parameters"}).getAttribute("aria-selected"), "true");
    await close(page);
});

test("a late answer to another window does not undo what the user has changed since", async () => {
    const page = await open({}, "Network");
    const coming = page.context().waitForEvent("page", wait_for);
    await page.getByRole("button", {name: "in a new window"}).click();
    const other = await coming;
    await panel(other, "graph").waitFor(wait_for);
    const hold = async (of, method) => {
        let release;
        const released = new Promise(resolve => { release = resolve; });
        const reached = new Promise(resolve => of.route("**/api/arrangement", async route => {
            if (route.request().method() !== method) return method === "GET" ? route.abort() : route.continue();
            const response = method === "GET" ? await route.fetch() : null;
            resolve();
            await released;
            return response ? route.fulfill({response}) : route.continue();
        }));
        return {reached, release};
    };
    const answer = await hold(other, "GET"), change = await hold(page, "POST");
    const arrangement = {tabs: [], of: {}, order: [], width: {}, hidden: ["graph-network"], own: []};  // by another browser
    await fetch(`${run.served.address}api/arrangement`, {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({arrangement})});
    await answer.reached;
    await page.getByRole("button", {name: "Show 1 hidden"}).click(wait_for);
    await change.reached;
    answer.release();
    await page.waitForTimeout(300);
    change.release();
    for (let i = 0; i < 20; ++i) {
        await page.waitForTimeout(100);
        for (const one of [page, other]) await panel(one, "graph").waitFor(wait_for);
    }
    assert.deepEqual((await (await fetch(`${run.served.address}api/arrangement`)).json()).arrangement.hidden, []);
    await close(page);
});

test("the browser notifies of the end of a run, if the user wants it", async () => {
    const page = await open();
    await page.addInitScript(() => {
        window.Notification = class { static permission = "default"; static told = []; static async requestPermission() { return this.permission = "granted"; } constructor(text) { Notification.told.push(text); } };
    });
    await page.reload();
    await page.waitForSelector(".card", wait_for);
    const button = page.getByRole("button", {name: "Notify of the end of a run"});
    assert.equal(await button.getAttribute("aria-pressed"), "false");
    await button.click();
    await page.waitForSelector('[aria-label="Notify of the end of a run"][aria-pressed="true"]', wait_for);
    await running(page);
    await page.locator('[data-command="stop"]').click();
    await state_becomes(page, "stopped");
    await page.waitForFunction(() => Notification.told.some(text => text.startsWith("digits stopped")), null, wait_for);
    await button.click();
    await page.waitForSelector('[aria-label="Notify of the end of a run"][aria-pressed="false"]', wait_for);
    await close(page);
});

test("a warning of the program is shown, wherever one looks", async () => {
    const page = await open({}, "Network");
    await running(page);
    const warned = page.locator(".toast", {hasText: "served: the sky is falling"});
    await page.evaluate(() => fetch("/api/registry", {method: "POST", headers: {"Content-Type": "application/json"},
        body: JSON.stringify({trainer: "moves", name: "mode", value: "falling"})}));
    await warned.first().waitFor(wait_for);
    await close(page);
});

test("everything can be reached by the keyboard", async () => {
    const page = await open();
    const seen = new Set();
    for (let i = 0; i < 60; ++i) {
        await page.keyboard.press("Tab");
        seen.add(await page.evaluate(() => document.activeElement?.dataset?.command ?? document.activeElement?.getAttribute("role") ?? document.activeElement?.tagName));
    }
    for (const wanted of ["resume", "save", "tab"]) assert.ok(seen.has(wanted), `${wanted} is not among ${[...seen]}`);
    await page.locator('[role="tab"]').first().focus();  // keys in a field or a list are its own
    await page.keyboard.press("?");
    await page.locator("dialog").waitFor(wait_for);
    await page.keyboard.press("Escape");
    await close(page);
});

test("the focus stays with what is worked on", async () => {
    const page = await open(), focus = () => page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent);
    const press = async (locator, key = "Enter") => { await locator.focus(); await page.keyboard.press(key); };
    const titles = () => page.locator(".card:not(.away)").evaluateAll(all => all.map(one => one.getAttribute("aria-label")));
    const field = panel(page, "tic_tac_toe").locator('[role="gridcell"]').nth(4);
    await press(field);
    await page.waitForFunction(() => document.querySelector('[data-kind="tic_tac_toe"] [role="status"]').textContent === "Your move.", null, wait_for);
    assert.equal(await focus(), "Field 5: you");
    for (const name of ["Change width of confusion", "Move confusion earlier", "Move confusion later"]) {
        await press(page.getByRole("button", {name}));
        assert.equal(await focus(), name);
    }
    const before = await titles();
    await press(page.getByRole("button", {name: "Hide confusion"}));
    const now = await titles();
    assert.ok(!now.includes("confusion"));
    assert.equal(await focus(), now[before.indexOf("confusion")]);
    await press(page.getByRole("button", {name: "Show 1 hidden"}));
    assert.equal(await focus(), "Training");
    await page.keyboard.press("ArrowRight");
    assert.equal(await focus(), "Parameters");
    await page.keyboard.press("ArrowLeft");
    // To another tab, without a mouse.
    await press(page.getByRole("button", {name: "Move confusion to a tab"}));
    await press(page.locator("dialog").getByRole("button", {name: "Network"}));
    await page.waitForFunction(() => document.activeElement.matches(".card"), null, wait_for);
    assert.ok(!(await titles()).includes("confusion"));
    await tab(page, "Network");
    assert.ok((await titles()).includes("confusion"));
    await close(page);
});

test("rewinding is asked for, and stopping by a key only where nothing has the focus", async () => {
    const page = await open(), asked = [], dialog = page.locator("dialog");
    page.on("request", request => { if (request.url().endsWith("/api/commands")) asked.push(request.postDataJSON().command); });
    await running(page);
    await page.locator("body").evaluate(() => document.activeElement.blur());
    asked.length = 0;
    await page.keyboard.press("r");
    await dialog.waitFor(wait_for);
    assert.match(await dialog.innerText(), /discards the trained parameters/);
    await page.keyboard.press("Escape");
    await dialog.waitFor({state: "detached", ...wait_for});
    await page.locator('[data-command="rewind"]').click();
    await dialog.getByRole("button", {name: "Cancel"}).click();
    await page.locator('[data-command="step"]').focus();
    await page.keyboard.press("x");
    await page.locator(".toast", {hasText: "no control has the focus"}).waitFor(wait_for);
    assert.deepEqual(asked, []);
    await page.keyboard.press("r");
    await dialog.waitFor(wait_for);
    await page.keyboard.press("Enter");
    await page.locator(".toast.good", {hasText: "beginning"}).waitFor(wait_for);
    assert.deepEqual(asked, ["rewind"]);
    await running(page);
    await page.locator("body").evaluate(() => document.activeElement.blur());
    await page.keyboard.press("x");
    await state_becomes(page, "stopped");
    await page.keyboard.press("s");  // nothing to step: it says so
    await page.locator(".toast", {hasText: "there is no run to step"}).waitFor(wait_for);
    await running(page);
    await close(page);
});

test("as many steps are made as the key was pressed", async () => {
    const page = await open();
    await running(page);
    await page.keyboard.press(" ");
    await state_becomes(page, "paused");
    await page.locator("body").evaluate(() => document.activeElement.blur());
    const at = await iteration(page);
    for (let i = 0; i < 12; ++i) await page.keyboard.press("s");
    await page.locator(".toast.good", {hasText: /took/}).waitFor(wait_for);
    await state_becomes(page, "paused");
    await page.waitForFunction(n => document.querySelector("header .facts").innerText.replaceAll("\u202f", "").includes(`iteration ${n}`), at + 12, wait_for);
    await running(page);
    await close(page);
});

test("names of files that were saved are offered, and a wrong one says why", async () => {
    const page = await open(), dialog = page.locator("dialog"), offered = () => dialog.locator("datalist option").evaluateAll(all => all.map(one => one.value));
    await running(page);
    const save = async file => {
        await page.locator('[data-command="save"]').click();
        await dialog.locator("input").fill(file);
        await dialog.locator("button.main").click();
    };
    for (const file of ["first.sigma", "second.sigma"]) {
        await save(file);
        await page.locator(".toast.good", {hasText: "saved"}).first().waitFor(wait_for);
        await page.waitForFunction(name => JSON.parse(localStorage.getItem("sigma.files") ?? "[]").includes(name), file, wait_for);
    }
    await save("a".repeat(120));
    await page.locator(".toast.bad", {hasText: "may have at most 100 letters"}).waitFor(wait_for);
    await save(" ");
    await dialog.locator(".why", {hasText: "Enter a name."}).waitFor(wait_for);
    await page.keyboard.press("Escape");
    await dialog.waitFor({state: "detached", ...wait_for});
    await page.reload();
    await page.waitForSelector(".card", wait_for);
    await running(page);
    await page.locator('[data-command="load"]').click();
    assert.deepEqual(await offered(), ["second.sigma", "first.sigma"]);
    assert.equal(await dialog.locator("input").inputValue(), "second.sigma");
    await page.keyboard.press("Escape");
    await close(page);
});

test("a small screen is left to the cards, and nothing sticks out of it", async () => {
    for (const [width, height, most] of [[390, 800, 110], [320, 640, 110], [800, 360, 80]]) {
        const page = await open({viewport: {width, height}, isMobile: true, hasTouch: true});
        await running(page);
        const tall = await page.locator("header").evaluate(head => head.offsetHeight);
        assert.ok(tall <= most, `${tall} of ${height}`);
        for (const name of ["Training", "Parameters", "Network", "Log"]) {
            await tab(page, name);
            await page.waitForTimeout(600);
            const out = await page.evaluate(() => [...document.querySelectorAll(".card:not(.away) input, .card:not(.away), header button, main")]
                .filter(one => one.getBoundingClientRect().right > innerWidth + 0.5).map(one => one.outerHTML.slice(0, 80)));
            assert.deepEqual(out, [], `${name} at ${width}`);
        }
        await close(page);
    }
});

test("what was shown stays when the program has gone", async () => {
    const page = await open();
    await running(page);
    await panel(page, "table").locator("td").first().waitFor(wait_for);
    await panel(page, "confusion").locator("td").first().waitFor(wait_for);
    await tab(page, "Log");
    await panel(page, "log").locator(".log p:not(.dim)").first().waitFor(wait_for);
    const lines = await panel(page, "log").locator(".log p").count();
    const port = Number(new URL(run.served.address).port);
    await end(run.served);
    await state_becomes(page, "not responding");
    await tab(page, "Training");
    assert.equal(await panel(page, "chart").getByText("No points yet").isVisible(), false);
    assert.ok(await panel(page, "chart").locator("canvas").first().isVisible());
    for (const kind of ["table", "confusion"]) assert.ok(await panel(page, kind).locator("td").count() > 10, kind);
    assert.match(await page.locator('[data-trainer="digits"]').innerText(), /not responding/);
    await tab(page, "Log");
    await page.waitForTimeout(500);
    assert.ok(await panel(page, "log").locator(".log p").count() >= lines);
    await tab(page, "Parameters");  // never seen before
    await panel(page, "weights").getByText("The program does not respond.").waitFor(wait_for);
    assert.doesNotMatch(await page.locator("main").evaluate(main => main.textContent), /Failed to fetch|No messages/);
    assert.doesNotMatch(await page.locator("main").innerText(), /running/);
    assert.match(await page.title(), /not responding/);
    run.served = await start(port);
    await running(page);
    await panel(page, "weights").locator("canvas").first().waitFor(wait_for);
    await close(page);
});

test("the program goes and comes back, and the page with it", async () => {
    const page = await open();
    await running(page);
    const port = Number(new URL(run.served.address).port);
    await end(run.served);
    await state_becomes(page, "not responding");
    run.served = await start(port);
    await running(page);
    await close(page);
});

test("a program that comes back with a token asks for it, once", async () => {
    const page = await open();
    await running(page);
    const port = Number(new URL(run.served.address).port);
    await end(run.served);
    await state_becomes(page, "not responding");
    run.served = await start(port, "a-token-of-some-length");
    const dialog = page.locator("dialog");
    await dialog.waitFor(wait_for);
    assert.equal(await dialog.count(), 1);
    await dialog.locator("input").fill("another-token-than-it");
    await dialog.getByRole("button", {name: "Enter"}).click();
    await page.waitForFunction(() => /wrong token/.test(document.querySelector("dialog p").textContent), null, wait_for);
    await dialog.locator("input").fill("a-token-of-some-length");
    await dialog.getByRole("button", {name: "Enter"}).click();
    await running(page);
    assert.equal(await dialog.count(), 0);
    await close(page);
    await end(run.served);
    run.served = await start();
});

test("a token can be given however often its dialog was left", async () => {
    const port = Number(new URL(run.served.address).port);
    await end(run.served);
    run.served = await start(port, "a-token-of-some-length");
    const context = await run.browser.newContext(), page = await context.newPage(), dialog = page.locator("dialog"), again = page.getByRole("button", {name: "Enter token"});
    await page.goto(run.served.address);
    for (let i = 0; i < 3; ++i) {
        await dialog.waitFor(wait_for);
        for (const name of ["resume", "step", "rewind", "stop", "save", "load"]) assert.ok(await page.locator(`[data-command="${name}"]`).isDisabled(), name);
        await page.keyboard.press("Escape");
        await page.keyboard.press("Escape");
        await dialog.waitFor({state: "detached", ...wait_for});
        await again.waitFor(wait_for);
        assert.equal(await pill(page).textContent(), "locked");
        await again.click();
    }
    await dialog.locator("input").fill("a-token-of-some-length");
    await page.keyboard.press("Enter");
    await running(page);
    assert.equal(await again.isVisible(), false);
    await close(page);
    await end(run.served);
    run.served = await start();
});

test("panels are asked for every three seconds at most", async () => {
    const page = await open();
    const times = [];
    page.on("request", request => { if (request.url().endsWith("/api/panels")) times.push(performance.now()); });
    await page.waitForTimeout(7500);
    assert.ok(times.length >= 1 && times.length <= 3, `${times.length} times`);
    await close(page);
});

test("a run that has failed says so, and why, until another begins", async () => {
    const page = await open();
    await running(page);
    await panel(page, "chart").locator("canvas").first().waitFor(wait_for);
    assert.equal(await page.locator("header .ending").isVisible(), false);
    assert.equal(await set(page, "mode", "failing"), 200);
    await state_becomes(page, "failed");
    assert.equal(await page.locator("header .ending").innerText(), "digits failed: the loss is infinite, as a test wanted it");
    assert.match(await page.title(), /digits · failed/);
    assert.match(await page.locator('[data-trainer="digits"]').innerText(), /failed: the loss is infinite/);
    const notes = panel(page, "chart").locator(".notes");
    await notes.getByText(/^failed: the loss is infinite, as a test wanted it, at iteration/).waitFor(wait_for);
    // A line over the whole chart, in the colour of what is bad.
    const marked = () => panel(page, "chart").locator("canvas").first().evaluate(canvas => {
        const bad = getComputedStyle(document.documentElement).getPropertyValue("--bad").match(/[0-9a-f]{2}/g).map(part => Number.parseInt(part, 16));
        const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        let count = 0;
        for (let i = 0; i < data.length; i += 4) if (bad.every((part, k) => Math.abs(part - data[i + k]) < 12)) ++count;
        return count;
    });
    assert.ok(await marked() > 100);
    // Who comes later sees it, and so does the folder of runs.
    await page.reload();
    await page.waitForSelector(".card", wait_for);
    await state_becomes(page, "failed");
    await tab(page, "Runs");
    await page.locator("tr[data-run] .pill.failed").waitFor(wait_for);
    assert.match(await page.locator("tr[data-run] .state").first().innerText(), /failed\s*the loss is infinite, as a test wanted it at/);
    await tab(page, "Training");
    await page.locator('[data-command="resume"]', {hasText: "Run"}).click();
    await state_becomes(page, "running");
    assert.equal(await page.locator("header .ending").isVisible(), false);
    assert.equal(await notes.isVisible(), false);
    await close(page);
});

test("a program that stands still is no answer within five seconds, and comes back", async () => {
    const page = await open();
    await running(page);
    run.served.child.kill("SIGSTOP");
    const began = performance.now();
    try {
        await state_becomes(page, "not responding");
        assert.ok(performance.now() - began < 5000, `${performance.now() - began} ms`);
        await page.waitForTimeout(4000);  // and is so as long as it stands, though the system takes connections
        assert.equal(await pill(page).textContent(), "not responding");
    } finally { run.served.child.kill("SIGCONT"); }
    await state_becomes(page, "running");
    await close(page);
});

test("a text is not cut by being looked at or left, and one that a field cannot hold is not changed", async () => {
    const page = await open({}, "Parameters"), whole = `${"x".repeat(300)}the end`;
    await set(page, "story", whole);
    const story = page.locator('[data-name="story"] input'), lines = page.locator('[data-name="lines"] input');
    await page.waitForFunction(text => document.querySelector('[data-name="story"] input')?.value === text, whole, wait_for);
    const sent = [];
    page.on("request", request => { if (request.url().endsWith("/api/registry") && request.method() === "POST") sent.push(request.postDataJSON().value); });
    await story.focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("End");
    await page.keyboard.type("!");
    await page.keyboard.press("Enter");
    await page.locator('[data-name="story"].done').waitFor(wait_for);
    assert.deepEqual(sent, [`${whole}!`]);
    assert.equal(await story.inputValue(), `${whole}!`);
    assert.equal(await lines.evaluate(field => field.readOnly), true);
    await lines.focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.waitForTimeout(700);
    assert.equal(sent.length, 1);
    await close(page);
});

test("an address of the program lets one browser in, once, and leaves nothing for other ports", async () => {
    const port = Number(new URL(run.served.address).port);
    await end(run.served);
    run.served = await start(port, "a-token-of-some-length");
    assert.match(run.served.link, /#ticket=[0-9a-f]{32}$/);
    const context = await run.browser.newContext(), page = await context.newPage();
    await page.goto(run.served.link);
    await running(page);
    assert.equal(await page.locator("dialog").count(), 0);
    assert.equal(page.url(), run.served.address);
    assert.deepEqual(await context.cookies(), []);
    assert.doesNotMatch(await page.evaluate(() => JSON.stringify({...localStorage})), /a-token-of-some-length/);
    await page.reload();
    await running(page);
    await close(page);
    const other = await run.browser.newContext(), late = await other.newPage();
    await late.goto(run.served.link);
    await late.locator("dialog").waitFor(wait_for);
    await other.close();
    await end(run.served);
    run.served = await start();
});

test("the first view has the best value and two charts that fill the width, and nothing is beside a card that is higher", async () => {
    for (const [width, height] of [[1920, 1080], [1366, 768]]) {
        const page = await open({viewport: {width, height}});
        await running(page);
        await page.locator("header .best", {hasText: /^best accuracy 0\.\d+ at \d/}).waitFor({timeout: 60000});
        const [a, b] = [await place_of(panel(page, "chart", 0)), await place_of(panel(page, "chart", 1))];
        assert.ok(a.y === b.y && a.width + b.width > 0.95 * width, `${a.width} and ${b.width} of ${width}`);
        assert.ok(a.y + 300 < height, `the charts begin at ${a.y}`);
        await page.waitForTimeout(500);
        // No card covers another, and each is as high as its content.
        const odd = await page.evaluate(() => {
            const boxes = [...document.querySelectorAll(".card:not(.away)")].map(card => ({name: card.dataset.panel, box: card.getBoundingClientRect(), low: card.lastElementChild.lastElementChild?.getBoundingClientRect().bottom}));
            const over = boxes.flatMap((one, i) => boxes.slice(i + 1).filter(({box}) => box.left < one.box.right - 1 && box.right > one.box.left + 1 && box.top < one.box.bottom - 1 && box.bottom > one.box.top + 1).map(other => `${one.name} over ${other.name}`));
            return [...over, ...boxes.filter(({box, low}) => low && box.bottom - low > 60).map(({name}) => `${name} is empty below`)];
        });
        assert.deepEqual(odd, []);
        for (const name of ["Network", "Log"]) {
            await tab(page, name);
            await page.waitForTimeout(300);
            const box = await place_of(page.locator(".card:not(.away)").first());
            assert.ok(box.width > 0.95 * width && box.y + box.height > height - 40 && box.y + box.height <= height, `${name} ends at ${box.y + box.height} of ${height}`);
        }
        await close(page);
    }
});

test("a card is enlarged to the whole page, and Escape or the key brings it back", async () => {
    const page = await open();
    await running(page);
    const chart = panel(page, "chart"), before = await place_of(chart.locator(".u-over"));
    await chart.hover();
    await chart.getByRole("button", {name: /^Enlarge/}).click();
    await page.waitForFunction(tall => document.querySelector('[data-kind="chart"]:not(.away) .u-over').clientHeight > 1.5 * tall, before.height, wait_for);
    const box = await place_of(chart);
    assert.deepEqual([box.x, box.y, box.width, box.height], [0, 0, 1400, 900]);
    assert.equal(await page.locator("#head").evaluate(head => head.inert), true);
    await page.keyboard.press("Escape");
    await page.waitForFunction(tall => Math.abs(document.querySelector('[data-kind="chart"]:not(.away) .u-over').clientHeight - tall) < 2, before.height, wait_for);
    assert.equal(await page.locator("#head").evaluate(head => head.inert), false);
    await page.keyboard.press("f");
    assert.match(await chart.getAttribute("class"), /enlarged/);
    await page.keyboard.press("f");
    assert.doesNotMatch(await chart.getAttribute("class"), /enlarged/);
    await close(page);
});

test("what is arranged is kept with the run, for all browsers", async () => {
    const page = await open(), other = await open();
    const hidden = one => one.locator('[data-kind="confusion"]');
    await hidden(other).waitFor(wait_for);
    await hidden(page).hover();
    await hidden(page).getByRole("button", {name: "Hide confusion"}).click();
    await page.waitForFunction(() => document.querySelector('[data-kind="confusion"].away'), null, wait_for);
    await other.waitForFunction(() => document.querySelector('[data-kind="confusion"].away'), null, wait_for);
    const late = await (await run.browser.newContext({viewport: {width: 1400, height: 900}})).newPage();
    await late.goto(run.served.address);
    await late.getByRole("button", {name: "Show 1 hidden"}).click(wait_for);
    await hidden(late).waitFor(wait_for);
    await page.waitForFunction(() => document.querySelector('[data-kind="confusion"]:not(.away)'), null, wait_for);
    for (const one of [page, other, late]) await close(one);
});

test("pictures of it", {skip: !process.env.PICTURES}, async () => {
    for (const [name, options] of [["wide-dark", {}], ["wide-light", {colorScheme: "light"}], ["phone-dark", {viewport: {width: 390, height: 844}, isMobile: true, hasTouch: true}],
                                   ["phone-light", {viewport: {width: 390, height: 844}, isMobile: true, hasTouch: true, colorScheme: "light"}]]) {
        const page = await open(options);
        await running(page);
        await page.waitForTimeout(3000);
        await page.screenshot({path: `${process.env.PICTURES}/monitor-${name}.png`});
        await close(page);
    }
});

test("nothing was wrong in the browser's eyes", () => assert.deepEqual(problems, []));
