// What axe-core finds wrong with the page for people who do not see, hear or move as others do: each view, light and dark.

import { readFileSync } from "node:fs";
import { expect } from "./expect.mjs";

const VIEWS = [
    "overview",
    "servers",
    "tools",
    "tools/s/echo",
    "approvals",
    "activity",
    "clients",
    "secrets",
    "profiles",
    "settings",
    "setup",
];

export async function look(walk) {
    const axe = readFileSync(walk.given.axe, "utf8");
    const page = await walk.signedIn();
    for (const text of ["one", "two"]) await walk.agent("POST", "/api/call", { name: "s/add", arguments: { a: 1, b: text.length } });
    for (const text of ["one", "two"]) await walk.agent("POST", "/api/call", { name: "s/echo", arguments: { text } });
    // axe works in the page, which lets no script in but its own.
    await page.tell("Page.setBypassCSP", { enabled: true });
    const found = [];
    for (const [width, scheme] of [
        [1280, "light"],
        [1280, "dark"],
        [390, "light"],
    ]) {
        await page.tell("Emulation.setDeviceMetricsOverride", {
            width,
            height: 900,
            deviceScaleFactor: 1,
            mobile: width < 500,
        });
        await page.scheme(scheme);
        for (const view of VIEWS) {
            await walk.show(page, view);
            await rich(page, view);
            found.push(...(await run(page, axe, `${view} ${scheme} ${width}`)));
        }
        for (const [view, opener] of [["servers", "#add-server"], ["approvals", "#review-calls"]]) {
            await walk.show(page, view);
            await page.click(opener);
            await page.there("dialog[open]");
            found.push(...(await run(page, axe, `${opener} ${scheme} ${width}`)));
            await page.press("Escape");
            await page.gone("dialog[open]");
        }
    }
    found.push(...(await signedOut(walk, axe)));
    expect(found.length === 0, found.join("\n"));
}

/// As much of a view as there is to see.
async function rich(page, view) {
    if (view === "servers")
        await page.see("document.querySelector('[data-server=s] button.name[aria-expanded=false]')?.click()");
    if (view === "tools")
        await page.click("details[data-source=s]:not([open]) summary, details[data-source=s] summary");
    if (view === "tools/s/echo") {
        // Where there is little room, a tool takes the place of the list.
        if (await page.see("innerWidth > 1080")) {
            await page.fill("#search", "echo");
            await page.there(".hits");
        }
        await page.there("#detail .digest");
    }
    const content = {
        overview: ".chart",
        approvals: "[data-review]",
        activity: ".tile",
        clients: ".section .rows, .section .empty",
        secrets: "[data-secret]",
        profiles: "[data-profile]",
        settings: "[data-token=agent]",
        setup: "#setup form, #setup .empty",
    }[view];
    if (content) await page.there(content);
}

async function signedOut(walk, axe) {
    const page = await walk.browser.page();
    await page.open(walk.origin);
    await page.there("h1", "Sign in");
    await page.tell("Page.setBypassCSP", { enabled: true });
    await page.open(walk.origin);
    await page.there("h1", "Sign in");
    return run(page, axe, "sign in");
}

async function run(page, axe, where) {
    await page.see(`${axe}; undefined`);
    const bad = await page.see(
        `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations.filter((it) => ["serious", "critical"].includes(it.impact)).map((it) => it.id + ": " + it.help + ": " + it.nodes.slice(0, 4).map((node) => node.html.slice(0, 160) + " " + (node.any[0]?.message ?? "")).join(" | ")))`,
    );
    return bad.map((it) => `${where}: ${it}`);
}
