// Who is not signed in, or comes with a link that was used: told what to do, and let in with a token.

import { expect } from "./expect.mjs";

export async function visitor(walk) {
    const page = await walk.browser.page();
    await page.open(walk.origin);
    await page.there("h1", "Sign in");
    await page.there("code", "toolscout ui");
    expect(!(await page.see("document.body.innerText")).includes("Servers"), "nothing of the project is shown");

    const first = await walk.signedIn();
    await first.there("#account", "operator");
    await page.open(walk.given.link);
    await page.there(".error", "already used");
    expect((await page.see("location.href")) === `${walk.origin}/`, "and the address is clean");

    await page.click("summary", "Sign in with a token");
    await page.fill("#token", "nonsense-nonsense-nonsense");
    await page.click("form button[type=submit]");
    await page.there("#token-error", "the token is unknown, expired or revoked");
    await page.fill("#token", walk.given.operator);
    await page.click("form button[type=submit]");
    await page.there("#account", "operator");
    await page.there("[data-server=s]");

    // The cookie alone opens nothing: other ports of this host see it, too.
    const status = await page.see("fetch('/api/servers').then((it) => it.status)");
    expect(status === 401, `without the key of the page: ${status}`);
    // Nor does it let a foreign page in.
    expect((await page.see("document.cookie")) === "", "no script reads the cookie");
}
