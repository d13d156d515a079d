// Servers that mean harm: whatever they say is shown as text, and nothing comes of it.

import { expect } from "./expect.mjs";

/// What is not seen, or turns what is read around.
const ODD =
    "/[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\u{e0000}-\\u{e007f}]/u";

/// Everything of the page that could be there only because a text was taken for more than a text.
const CENSUS = `(() => {
    const all = [...document.querySelectorAll("*")];
    const names = (node) => node.getAttributeNames();
    const foreign = (it) => it.tagName === "A" && !it.getAttribute("href").startsWith("#");
    const picture = (it) => it.tagName === "IMG" && it.getAttribute("src") !== "/page/icon.svg";
    return {
        scripts: document.querySelectorAll("script").length,
        strange: all.filter((it) => /^(IFRAME|OBJECT|EMBED|SVG|STYLE|BASE|FORM|B|VIDEO|AUDIO)$/i.test(it.tagName) && !it.closest("#detail, .search, .filters, .chart, dialog")).map((it) => it.outerHTML.slice(0, 200)),
        acting: all.filter((it) => names(it).some((name) => name.startsWith("on") || name === "srcdoc")).map((it) => it.outerHTML.slice(0, 200)),
        leading: all.filter((it) => foreign(it) || picture(it)).map((it) => it.outerHTML.slice(0, 200)),
        odd: document.body.innerText.match(${ODD})?.[0].codePointAt(0).toString(16) ?? "",
        titled: all.filter((it) => names(it).some((name) => ${ODD}.test(it.getAttribute(name)) && !["data-tool", "href", "data-source", "data-review"].includes(name))).map((it) => it.outerHTML.slice(0, 200)),
        alarms: globalThis.alarms,
    };
})()`;

export async function texts(walk) {
    const page = await walk.signedIn();
    let shown = "";
    const check = async (where) => {
        const { scripts, ...bad } = await page.see(CENSUS);
        expect(scripts === 2, `${where}: ${scripts} scripts`);
        for (const [name, found] of Object.entries(bad))
            expect(found.length === 0, `${where}: ${name}: ${JSON.stringify(found)}`);
        shown += await page.see("document.body.innerText");
    };
    await check("servers");
    const tools = await eachTool(walk, page, check);
    await search(walk, page, check);
    await walk.show(page, "approvals");
    await page.there("[data-review]");
    await check("approvals");
    await call(walk, page, check);
    await walk.show(page, "activity");
    await page.there(".timeline .entry");
    await check("activity");
    // Otherwise nothing of it was there to be taken for anything.
    for (const text of [
        "<script>fetch(",
        "<img src=x onerror=alert(1)>",
        "\\u{1b}[8mhidden",
        "\\u{202e}",
        "name with spaces",
    ]) {
        expect(shown.includes(text), `“${text}” is nowhere to be seen`);
    }
    const elsewhere = [...page.asked.values()]
        .map((it) => it.url)
        .filter((it) => !it.startsWith(`${walk.origin}/`) && !it.startsWith("about:"));
    expect(elsewhere.length === 0, `it asked elsewhere: ${elsewhere.join(" ")}`);
    expect(page.complaints.length === 0, `the browser complains: ${page.complaints.join("\n")}`);
    return { tools };
}

/// Opens every tool of every server that has a page of its own.
async function eachTool(walk, page, check) {
    await walk.show(page, "tools");
    await page.there("details.group");
    for (const source of walk.given.servers) {
        await page.click(`details[data-source=${source}] summary`);
        await page.there(`details[data-source=${source}] .pick`);
    }
    await check("groups");
    const places = await page.see("[...document.querySelectorAll('.pick')].map((it) => it.getAttribute('href'))");
    for (const place of places) {
        await page.see(`location.hash = ${JSON.stringify(place)}`);
        await page.until("document.querySelector('#detail .digest, #detail .failed')");
        await check(place.slice(0, 80));
        await page.see("document.querySelector('#detail').replaceChildren()");
    }
    return places.length;
}

async function search(walk, page, check) {
    await walk.show(page, "tools");
    for (const text of ["odd name", "<script>alert(1)</script>", "text it was given"]) {
        await page.fill("#search", text);
        await page.until(`document.querySelector('.hits .pick, #found .empty')`);
        await check(`search ${text}`);
    }
}

/// What a tool says may be as bad as what is said about it.
async function call(walk, page, check) {
    const approved = await page.see(
        `fetch("/api/reviews", { method: "POST", headers: { "content-type": "application/json", "x-toolscout-key": localStorage.getItem("toolscout-key") }, body: JSON.stringify({ server: "ansi", decision: "approve" }) }).then((it) => it.status)`,
    );
    expect(approved === 200, `all of a server is approved: ${approved}`);
    await walk.show(page, "tools/ansi/ansi");
    await page.there(".toolname", "ansi");
    await page.click("#detail .tryout button[type=submit]");
    await page.there("#detail .result pre");
    await check("result");
}
