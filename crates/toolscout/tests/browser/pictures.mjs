// Screenshots of every view, for the documentation.

import { writeFileSync } from "node:fs";
import { Agent } from "./agent.mjs";

const KINDS = {
    light: {},
    dark: { scheme: "dark" },
    phone: { width: 390, height: 844, mobile: true },
};

/// Each view: its name, the kinds of screenshots, and how to reach it.
const VIEWS = [
    ["overview", ["light", "dark"], (page, walk) => open(page, walk, "overview", ".chart")],
    ["servers", ["light", "dark"], openServers],
    ["server-form", ["light"], openServerForm],
    ["tools", ["light", "phone"], openTool],
    ["try", ["light"], openCall],
    ["approvals", ["light", "phone"], (page, walk) => open(page, walk, "approvals", "[data-approval] pre")],
    ["quarantined", ["light"], openQuarantined],
    ["activity", ["light"], (page, walk) => open(page, walk, "activity", ".timeline .entry")],
    ["clients", ["light"], (page, walk) => open(page, walk, "clients", "[data-client]")],
    ["secrets", ["light"], (page, walk) => open(page, walk, "secrets", "[data-secret]")],
    ["profiles", ["light"], (page, walk) => open(page, walk, "profiles", "[data-profile]")],
    ["settings", ["light"], (page, walk) => open(page, walk, "settings", "[data-token]")],
];

export async function pictures(walk) {
    const { given } = walk;
    for (const [name, errands] of Object.entries(given.errands)) {
        const agent = await new Agent(walk.origin, given.agent, name).hello();
        for (const { search, call, arguments: values } of errands) {
            if (search) await agent.search(search);
            if (call) await agent.run(call, values);
        }
    }
    await wizard(walk);
    const page = await walk.signedIn();
    for (const [name, kinds, show] of VIEWS)
        for (const kind of kinds) {
            await prepare(page, kind);
            await show(page, walk);
            await save(page, walk, `${name}-${kind}`);
            await page.see("document.querySelector('dialog')?.close()");
        }
    if (page.complaints.length) throw new Error(page.complaints.join("\n"));
}

/// The first run, in a project without servers.
async function wizard(walk) {
    const page = await walk.browser.page();
    await page.open(walk.given.emptyLink);
    await page.until("document.documentElement.dataset.ready === 'setup'");
    await prepare(page, "light");
    await page.there("[data-found]");
    await save(page, walk, "setup-light");
}

async function prepare(page, kind) {
    const { width = 1280, height = 800, scheme = "light", mobile = false } = KINDS[kind];
    await page.tell("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile });
    await page.scheme(scheme);
}

async function save(page, walk, name) {
    await page.see(
        "document.querySelector('.toast')?.remove(); document.activeElement?.blur(); new Promise((done) => setTimeout(done, 300))",
    );
    const { folder, format } = walk.given;
    writeFileSync(`${folder}/${name}.${format}`, await page.picture(format));
}

async function open(page, walk, view, selector) {
    // Opens the view again even if it is shown already, so that it is drawn for this size.
    await walk.show(page, view === "settings" ? "overview" : "settings");
    await walk.show(page, view);
    await page.there(selector);
    await page.until("document.getElementById('count-tools').textContent");
    await page.see("scrollTo(0, 0)");
}

async function openServers(page, walk) {
    await open(page, walk, "servers", "[data-server=mail]");
    await page.see("document.querySelector('[data-server=billing] button.name[aria-expanded=false]')?.click()");
    await page.there("[data-server=billing] .details");
}

async function openServerForm(page, walk) {
    await open(page, walk, "servers", "[data-server=mail]");
    await page.see("document.querySelector('[data-server=tickets] button.name[aria-expanded=false]')?.click()");
    await page.click("[data-server=tickets] .details button", "Edit");
    await page.there("dialog[open]");
    await page.click("#test-server");
    await page.there("dialog .test-result .success", "Test passed");
}

/// On a narrow screen, a tool takes the place of the results.
async function openTool(page, walk) {
    const isNarrow = await page.see("innerWidth < 1080");
    await open(page, walk, isNarrow ? "tools" : "tools/tickets/create_ticket", "#search");
    await page.fill("#search", "open a ticket for a customer");
    await page.there(".hits .pick");
}

/// A running call with its progress; it is cancelled afterwards.
async function openCall(page, walk) {
    await open(page, walk, "tools/reports/sales_report", ".toolname");
    await page.there(".toolname", "sales_report");
    await page.see("document.querySelector('#search').value = ''; document.querySelector('#search').dispatchEvent(new Event('input'))");
    await page.click("details[data-source=reports]:not([open]) summary, details[data-source=reports] summary");
    await page.fill("#detail .tryout input", "2026-10");
    await page.click("#detail .tryout button[type=submit]");
    await page.there("#detail .progress .status-line", "3 of 5");
}

async function openQuarantined(page, walk) {
    await open(page, walk, "approvals", "[data-review]");
    await page.see("document.querySelector('[data-review]').closest('section, .section').scrollIntoView()");
}
