// A banner says that the server is gone, and disappears when it is back.

import { existsSync, writeFileSync } from "node:fs";
import { expect } from "./expect.mjs";

export async function offline(walk) {
    const page = await walk.browser.page();
    await page.open(walk.given.link);
    await page.there("[data-server=s]");
    expect(await page.see("document.getElementById('banner').hidden"), "no banner while it is reachable");
    // The test stops the server, and starts it again once the banner was seen.
    writeFileSync(walk.given.opened, "");
    await page.there("#banner", "not reachable");
    writeFileSync(walk.given.seen, "");
    await page.gone("#banner");
    expect(existsSync(walk.given.seen), "it was seen");
    await page.there("[data-server=s]");
}
