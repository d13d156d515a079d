// The way a person goes: watch a discovery, add a server, find a tool, try it, change its policy, say yes to a call.

import { rmSync } from "node:fs";
import { expect } from "./expect.mjs";

export async function path(walk) {
    const page = await walk.signedIn({ motion: "no-preference" });
    expect(!(await page.see("location.href")).includes("key"), "the key stays in the address");
    await discovery(walk, page);
    await adding(walk, page);
    await finding(page);
    await trying(page);
    await policy(walk, page);
    await approving(walk, page);
    await reviewing(walk, page);
    await looking(walk, page);
    await leaving(page);
    expect(page.complaints.length === 0, `the browser complains: ${page.complaints.join("\n")}`);
}

/// The server waits while there is a file: the page must show that it is being asked, and then what it has.
async function discovery(walk, page) {
    await page.there("[data-server=slow] .state", "not loaded");
    await page.click("[data-server=slow] button[aria-label='Refresh slow']");
    await page.there("[data-server=slow].busy .age", "Loading tools");
    rmSync(walk.given.gate);
    await page.there("[data-server=slow]:not(.busy) .tools", "6 tools");
    await page.there("[data-server=slow] .age", "Refreshed");
}

async function adding(walk, page) {
    await page.click("#add-server");
    await page.there("dialog[open]");
    await page.fill("#add-id", "added");
    await page.fill("#add-run", walk.given.command);
    await page.click("dialog button[type=submit]");
    await page.gone("dialog[open]");
    await page.there("[data-server=added] .tools", "6 tools");
    // Nobody has looked at what it has.
    await page.there("[data-server=added] .tools", "6 quarantined");
    await page.click("#add-server");
    await page.fill("#add-id", "added");
    await page.fill("#add-run", "true");
    await page.click("dialog button[type=submit]");
    await page.there("dialog [role=alert]", "added");
    await page.press("Escape");
    await page.gone("dialog[open]");
}

async function finding(page) {
    await page.click("nav [data-view=tools]");
    await page.there("details.group summary", "s");
    expect((await page.see("document.querySelectorAll('.pick').length")) === 0, "no row before a group is opened");
    await page.click("details[data-source=s] summary");
    await page.there("details[data-source=s] .pick", "echo");
    await page.click("#search");
    await page.type("gives back");
    await page.there(".hits .pick .why", "because");
    await page.type(" the text");
    await page.there(".hits .pick .why", "text");
    expect(Number(await page.see("document.querySelector('.hits .score').textContent")) > 0, "scores are seen");
    await page.click(".hits .pick[data-tool='s/echo']");
    await page.there(".toolname", "echo");
    await page.there("#detail pre", "inputSchema");
}

async function trying(page) {
    await page.click("#detail .tryout button[type=submit]");
    await page.there("#detail .error", "Required");
    await page.fill("#detail .tryout input, #detail .tryout textarea", "héllo <b>wörld</b>");
    await page.click("#detail .tryout button[type=submit]");
    await page.there("#detail .result pre", "héllo <b>wörld</b>");
    await page.there("#detail .result .badge", "succeeded");
    await page.click("#detail .tryout button", "Edit as JSON");
    await page.until("document.querySelector('#detail textarea.code').value.includes('wörld')");
    await page.see("document.querySelector('#detail textarea.code').value = '{ nonsense'");
    await page.click("#detail .tryout button[type=submit]");
    await page.there("#detail .result", "Not a JSON object");
}

async function policy(walk, page) {
    await page.click("[data-level=project] label", "ask");
    await page.there("#detail .section .status-line .badge", "ask");
    const { levels } = (await walk.agent("GET", "/api/policies")).said;
    const rules = levels.find((it) => it.level === "project").rules;
    expect(
        rules.some((it) => it.pattern === "s/echo" && it.policy === "ask"),
        `the policy holds: ${JSON.stringify(rules)}`,
    );
    // What a parent says cannot be loosened below it.
    await page.click("[data-level=global] label", "deny");
    await page.there("#detail .section .status-line .badge", "deny");
    await page.until('document.querySelector("[data-level=project] input[value=allow]").disabled');
    await page.click("[data-level=global] label", "not set");
    await page.there("#detail .section .status-line .badge", "ask");
}

async function approving(walk, page) {
    const call = () => walk.agent("POST", "/api/call", { name: "s/echo", arguments: { text: "from an agent" } });
    const asked = await call();
    expect(asked.status === 403 && asked.said.code === "APPROVAL_REQUIRED", JSON.stringify(asked));
    await page.click("nav [data-view=approvals]");
    await page.there("[data-approval] pre", "from an agent");
    await page.click("[data-approval] button", "Approve");
    await page.gone("[data-approval]");
    const done = await call();
    expect(done.status === 200 && done.said.result.content[0].text === "from an agent", JSON.stringify(done));
}

async function reviewing(walk, page) {
    await walk.show(page, "approvals");
    await page.click("[data-review='added/echo'] button", "Reject");
    await page.click("[data-review='added/add'] button", "Approve");
    await page.gone("[data-review='added/add']");
    await page.there("[data-review='added/echo']");
}

async function looking(walk, page) {
    await walk.show(page, "activity");
    await page.there(".timeline .entry", "s/echo");
    await page.there(".timeline .entry q", "gives back the text");
    // What was typed on the way to it is nobody's question.
    const questions = await page.see("[...document.querySelectorAll('.timeline q')].map((it) => it.textContent)");
    expect(questions.length === 1, `one question was asked: ${questions.join(", ")}`);
    await page.there(".tile", "Tokens saved");
}

async function leaving(page) {
    await page.click("#account button", "Sign out");
    await page.there("h1", "Sign in");
    await page.there("code", "toolscout ui");
}
