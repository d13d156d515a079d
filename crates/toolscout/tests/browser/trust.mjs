// What waits for trust: the page shows it, and trusts exactly what it has shown.

import { writeFileSync } from "node:fs";
import { expect } from "./expect.mjs";

export async function trust(walk) {
    const page = await walk.signedIn();
    await walk.show(page, "approvals");
    await server(page);
    await file(walk, page);
    await page.there(".section .empty", "Nothing waits for trust");
    expect(page.complaints.length === 0, page.complaints.join("\n"));
}

/// The command before and now.
async function server(page) {
    const card = "[data-trust='.mcp.json: fetch']";
    await page.there(`${card} .badge`, "changed");
    await page.there(`${card} del`, "sh -c touch first");
    await page.there(`${card} ins`, "sh -c touch second");
    await page.click(`${card} button`, "Trust");
    await page.gone(card);
}

/// A file that changes after it was shown is not trusted until its present text was shown.
async function file(walk, page) {
    const card = "[data-trust='tools/later']";
    await page.there(`${card} pre`, "echo shown");
    writeFileSync(walk.given.file, walk.given.text);
    await page.click(`${card} button`, "Trust");
    await page.there(".toast.error", "has changed since it was shown");
    await page.there(`${card} pre`, "echo replaced");
    await page.click(`${card} button`, "Trust");
    await page.gone(card);
}
