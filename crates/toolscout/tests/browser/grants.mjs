// What the sandbox denied to a server is shown, and one click grants it; keys are never one click away.

import { expect } from "./expect.mjs";

export async function grants(walk) {
    const page = await walk.signedIn();
    const row = "[data-server=late] .denied";
    await page.there(row, `read ${walk.given.notes}`);
    await page.there(row, `read ${walk.given.key}`);
    const buttons = await page.see(`[...document.querySelectorAll("${row} button")].map((it) => it.textContent).join()`);
    expect(buttons === "Grant,Copy", `one button grants: ${buttons}`);
    await page.click(`${row} button`, "Grant");
    await page.until(`!document.querySelector("${row}").textContent.includes(${JSON.stringify(walk.given.notes)})`);
    await page.there(row, `read ${walk.given.key}`);
    expect(page.complaints.length === 0, page.complaints.join("\n"));
}
