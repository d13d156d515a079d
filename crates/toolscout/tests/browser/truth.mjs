// The page shows states, counts and outcomes as they are: a server with a private list, and a call that waits for approval.

import { expect } from "./expect.mjs";

export async function truth(walk) {
    const page = await walk.signedIn();
    await page.there("[data-server=private] .state", "ready");
    await page.there("[data-server=private] .tools", "6 tools");
    const row = await page.see("document.querySelector('[data-server=private]').textContent");
    expect(!/failed|not loaded|stale|last successful/i.test(row), `a healthy server reads as healthy: ${row}`);
    await page.click("[data-server=private] button", "Refresh");
    await page.there("[data-server=private]:not(.busy) .age", "Refreshed");
    await page.there("[data-server=private] .tools", "6 tools");
    await counts(walk, page);
    await pending(walk, page);
    expect(page.complaints.length === 0, page.complaints.join("\n"));
}

/// The menu, the header of the servers and the view of the tools have the same numbers.
async function counts(walk, page) {
    await page.until("document.getElementById('count-tools').textContent === '13'");
    await page.there(".about", "2 servers · 12 tools from servers");
    await walk.show(page, "tools");
    await page.there(".total", "13 tools from 3 sources");
}

async function pending(walk, page) {
    const call = { name: "s/echo", arguments: { text: "x" } };
    const asked = await walk.agent("POST", "/api/call", call);
    expect(asked.said.code === "APPROVAL_REQUIRED", JSON.stringify(asked));
    await page.until("document.getElementById('count-approvals').textContent === '1'");
    await walk.show(page, "activity");
    await page.there(".timeline .entry .badge.warning", "pending approval");
    expect(!(await page.see("Boolean(document.querySelector('.timeline .badge.error, .timeline .error'))")), "and not as failed");
    const savings = await page.see("[...document.querySelectorAll('.tile')].find((it) => it.textContent.includes('Tokens saved')).querySelector('.value').textContent");
    expect(!savings.startsWith("-") && !savings.startsWith("−"), `no negative headline: ${savings}`);
}
