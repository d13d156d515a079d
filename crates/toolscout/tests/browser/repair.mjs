// A new user in the browser: nothing is set up; a server is added, breaks, is repaired and approved; a call is cancelled.

import { Agent } from "./agent.mjs";
import { expect } from "./expect.mjs";

export async function repair(walk) {
    const page = await walk.browser.page();
    await page.open(walk.given.link);
    await page.until("document.documentElement.dataset.ready === 'setup'");
    await add(walk, page);
    await breakAndRepair(walk, page);
    await approve(walk, page);
    await progress(walk, page);
    await cancel(walk, page);
    await approveCalls(walk, page);
    await alwaysAllow(walk, page);
    await filters(walk, page);
    expect(page.complaints.length === 0, page.complaints.join("\n"));
}

async function add(walk, page) {
    await page.click("#setup-add");
    await page.there("dialog[open]");
    await page.click("dialog button[type=submit]");
    await page.there("dialog #add-id-error", "Required");
    await page.fill("#add-id", "Not An Id");
    await page.fill("#add-run", walk.given.command);
    await page.click("#test-server");
    await page.there("dialog #add-id-error", "id");
    await page.fill("#add-id", "demo");
    await page.click("#test-server");
    await page.there("dialog .test-result .success", "Test passed");
    await page.click("dialog button[type=submit]");
    await page.gone("dialog[open]");
    await page.there("[data-server=demo] .tools", "quarantined");
}

async function breakAndRepair(walk, page) {
    await page.click("[data-server=demo] button.name");
    await page.click("[data-server=demo] .details button", "Edit");
    await page.there("dialog h2", "Edit demo");
    expect(
        (await page.see("document.querySelector('#add-run').value")) === walk.given.command,
        "the form has the command of the server",
    );
    await page.fill("#add-run", "no-such-program-anywhere --now");
    await page.click("#test-server");
    await page.there("dialog .test-result .error", "no-such-program");
    await page.click("dialog button[type=submit]");
    await page.there("[data-server=demo] .state.error", "failed");
    await page.there("[data-server=demo] .messages .error", "no-such-program");
    await page.click("[data-server=demo] .messages button", "Edit");
    await page.fill("#add-run", walk.given.command);
    await page.click("#test-server");
    await page.there("dialog .test-result .success", "Test passed");
    await page.click("dialog button[type=submit]");
    await page.there("[data-server=demo] .state:not(.error)", "ready");
    await page.gone("[data-server=demo] .messages .error");
}

/// All definitions are shown before they are approved together.
async function approve(walk, page) {
    await page.click("nav [data-view=approvals]");
    await page.click(".section button", "tools of demo");
    await page.there("dialog[open] .review-item", "demo/sleep");
    await page.there("dialog[open] .review-item", "Waits so many seconds");
    await page.click("dialog[open] button.strong", "Approve");
    await page.there(".empty", "No quarantined tools");
    await page.until("document.getElementById('count-approvals').textContent === ''");
}

async function progress(walk, page) {
    await walk.show(page, "tools/demo/progress");
    await page.there(".toolname", "progress");
    await page.see(`globalThis.progressTexts = [];
        new MutationObserver(() => progressTexts.push(document.querySelector('.progress .status-line')?.textContent))
            .observe(document.querySelector('#detail'), { childList: true, subtree: true, characterData: true }); undefined`);
    await page.fill("#detail .tryout input", "40");
    await page.click("#detail .tryout button[type=submit]");
    await page.there("#detail .result .badge", "succeeded");
    expect(await page.see("progressTexts.some((it) => /of 40: step/.test(it ?? ''))"), "the progress of the server was shown");
}

async function cancel(walk, page) {
    await walk.show(page, "tools/demo/sleep");
    await page.there(".toolname", "sleep");
    await page.fill("#detail .tryout input", "50");
    await page.click("#detail .tryout button[type=submit]");
    await page.there("#detail .progress progress");
    await page.click("#detail .progress button", "Cancel");
    await page.there("#detail [data-cancelled]", "cancelled");
    await walk.show(page, "activity");
    await page.there(".timeline .entry .badge", "cancelled");
}

/// All pending calls are shown with their arguments; the selected ones are decided together.
async function approveCalls(walk, page) {
    await walk.show(page, "tools/demo/echo");
    await page.click("[data-level=project] label", "ask");
    await page.there("#detail .section .status-line .badge", "ask");
    const agent = await new Agent(walk.origin, walk.given.agent, "codex").hello();
    const run = (text) => agent.run("demo/echo", { text });
    for (const text of ["one", "two", "three"]) await run(text);
    await walk.show(page, "approvals");
    await page.there("[data-approval]", "codex");
    await page.click("#review-calls");
    await page.there("dialog[open] .review-item pre", "three");
    await page.click("dialog[open] .review-item:nth-child(2) label");
    await page.click("dialog[open] button", "Approve 2 calls");
    await page.until("document.querySelectorAll('[data-approval]').length === 1");
    await page.there("[data-approval] pre", "two");
    for (const [text, isApproved] of [["one", true], ["two", false], ["three", true]]) {
        const { result } = await run(text);
        expect(Boolean(result.isError) !== isApproved, `${text}: ${JSON.stringify(result)}`);
    }
    await page.click("[data-approval] button", "Reject");
    await page.gone("[data-approval]");
}

async function alwaysAllow(walk, page) {
    const call = () => walk.agent("POST", "/api/call", { name: "demo/echo", arguments: { text: "again" } });
    expect((await call()).said.code === "APPROVAL_REQUIRED", "it needs approval first");
    await walk.show(page, "approvals");
    await page.click("[data-approval] button", "Always allow");
    await page.there("[data-approval] .choices button", "Allow in this project");
    await page.click("[data-approval] .choices button", "Allow in this project");
    await page.gone("[data-approval]");
    for (const time of ["first", "second"]) {
        const done = await call();
        expect(done.status === 200, `the ${time} call runs: ${JSON.stringify(done)}`);
    }
}

async function filters(walk, page) {
    await walk.show(page, "activity");
    await page.there(".timeline .entry", "demo/echo");
    await page.see(`(() => { const it = document.getElementById('filter-outcome'); it.value = 'cancelled'; it.dispatchEvent(new Event('input', { bubbles: true })); })()`);
    await page.until("document.querySelectorAll('.timeline .entry').length === 1");
    await page.there(".timeline .entry", "demo/sleep");
    await page.fill("#filter-tool", "nothing-like-this");
    await page.there(".empty", "No matches");
    await page.click(".filters button", "Reset");
    await page.there(".timeline .entry", "demo/echo");
}
