// The same way without a mouse: everything is reached with Tab, arrows and Enter, it is seen where one is, and nothing traps.

import { expect } from "./expect.mjs";

const seen = "getComputedStyle(it.matches('.segments input') ? it.nextElementSibling : it).outlineStyle !== 'none'";

export async function keyboard(walk) {
    const page = await walk.signedIn();
    await page.press("Tab");
    expect(
        (await page.focus()).includes("Skip to content"),
        `first is the way past the frame, not ${await page.focus()}`,
    );
    await page.press("Enter");
    expect((await page.focus()).startsWith("main#main"), `which leads to the content, not to ${await page.focus()}`);
    await servers(page);
    await tools(page);
    await around(page);
    expect(page.complaints.length === 0, page.complaints.join("\n"));
}

async function servers(page) {
    await page.tabTo("it.matches('[data-server=s] button.name')");
    expect(await page.see(`(() => { const it = document.activeElement; return ${seen}; })()`), "one sees where one is");
    await page.press("Enter");
    await page.there("[data-server=s] .details .facts");
    await page.press("Space");
    await page.gone("[data-server=s] .details .facts");
    await page.tabTo("it.id === 'add-server'");
    await page.press("Enter");
    await page.there("dialog[open]");
    expect((await page.focus()).startsWith("input#add-id"), "a form begins with its first field");
    await page.press("Escape");
    await page.gone("dialog[open]");
    expect(
        (await page.focus()).startsWith("button#add-server"),
        `and leads back to where it was opened, not ${await page.focus()}`,
    );
}

async function tools(page) {
    await page.tabTo("it.matches('nav [data-view=tools]')");
    await page.press("Enter");
    await page.there("details.group");
    await page.press("Slash");
    expect((await page.focus()).startsWith("input#search"), "a slash begins a search");
    await page.type("gives back the text");
    await page.there(".hits .pick");
    await page.press("ArrowDown");
    expect(await page.see("document.activeElement.matches('.pick')"), "down goes to what was found");
    await page.tabTo("it.matches(\".pick[data-tool='s/echo']\")");
    await page.press("Enter");
    await page.there(".toolname", "echo");
    await page.tabTo("it.matches('#detail .tryout input, #detail .tryout textarea')");
    await page.type("by hand");
    await page.tabTo("it.matches('#detail .tryout button[type=submit]')");
    await page.press("Enter");
    await page.there("#detail .result pre", "by hand");
    await page.tabTo("it.matches('[data-level=project] input')");
    expect(
        await page.see(`(() => { const it = document.activeElement; return ${seen}; })()`),
        "one sees which switch one is at",
    );
    await page.press("ArrowRight");
    await page.there("#detail .section .status-line .badge", "allow");
}

/// From the last thing on the page Tab leads out of it, and in again at the first.
async function around(page) {
    await page.tabTo("it.matches('.skip, body')", 120);
}
