// The switch between projects: hidden for one project, reached with the keyboard, and everything follows it.

import { readFileSync } from "node:fs";
import { expect } from "./expect.mjs";

export async function projects(walk) {
    const page = await walk.signedIn();
    if (walk.given.single) {
        await page.until("document.getElementById('count-tools').textContent !== ''");
        expect(await page.see("document.getElementById('projects').hidden"), "one project needs no switch");
        return;
    }
    await page.there("#projects summary", "project");
    await page.there("[data-server=s]");
    await page.tabTo("it.matches('#projects summary')");
    await page.press("Enter");
    await page.tabTo("it.matches('#projects [data-project=beta]')");
    await page.press("Enter");
    await page.there("#projects summary", "beta");
    await page.there("[data-server=mail]");
    expect(new URL(await page.see("location.href")).search === "?project=beta", "the URL names the project");
    expect(!(await page.see("Boolean(document.querySelector('[data-server=s]'))")), "and shows its servers only");
    await changes(walk, page);
    await accessible(walk, page);
    expect(page.complaints.length === 0, page.complaints.join("\n"));
}

/// A change goes to the project that is shown, and its events come from there.
async function changes(walk, page) {
    const tools = "document.getElementById('count-tools').textContent";
    const before = await page.see(tools);
    const headers = { authorization: `Bearer ${walk.given.operator}`, "content-type": "application/json" };
    const body = JSON.stringify({ action: "disable" });
    const place = `${walk.origin}/api/projects/beta/servers/mail/control`;
    const answer = await fetch(place, { method: "POST", headers, body });
    expect(answer.ok, `it is disabled: ${answer.status}`);
    await page.until(`${tools} !== ${JSON.stringify(before)}`);
}

async function accessible(walk, page) {
    if (!walk.given.axe) return;
    await page.tell("Page.setBypassCSP", { enabled: true });
    await page.see("document.getElementById('projects').open = true");
    await page.see(`${readFileSync(walk.given.axe, "utf8")}; undefined`);
    const found = await page.see(
        "axe.run('#projects').then(({ violations }) => violations.map((it) => `${it.id}: ${it.help}`))",
    );
    expect(found.length === 0, found.join("\n"));
}
