// The first run with servers in two clients: choose, set up, and undo.

import { expect } from "./expect.mjs";

export async function wizard(walk) {
    const page = await walk.browser.page();
    await page.open(walk.given.link);
    await page.until("document.documentElement.dataset.ready === 'setup'");
    await page.there("[data-client=claude-code] [data-found=notes]", "1 secret");
    await page.there("[data-client=cursor] [data-found=notes]", "duplicate of notes");
    await page.there("[data-found=notes] .faint", "is stored in");
    await page.click("label", "Replace them with environment variables");
    await page.there("[data-found=notes] .faint", "export API_KEY");
    await page.click("label", "Move them to files");
    await page.there("[data-found=notes] .faint", "is stored in");
    await page.click("#setup-run");
    await page.there(".success", "2 servers added, 6 tools loaded, 2 clients connected.");
    await page.there("[role=status] ~ .rows", "broken");
    await page.there(".next", "Restart Claude Code and Cursor to finish.");
    await page.click("nav [data-view=clients]");
    await page.there("[data-client=claude-code] .badge", "connected");
    await page.click(".section button", "Undo");
    await page.click(".section button.strong", "Undo");
    await page.there("[data-client=claude-code] .badge", "not connected");
    expect(page.complaints.length === 0, page.complaints.join("\n"));
}
