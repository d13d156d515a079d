// Preferences of the browser: the theme is kept, and notifications are asked for on a click only. Profiles and tokens.

import { expect } from "./expect.mjs";

export async function preferences(walk) {
    const page = await walk.signedIn({ scheme: "light" });
    const background = "getComputedStyle(document.body).backgroundColor";
    const light = await page.see(background);
    await page.see("(() => { const it = document.getElementById('theme'); it.value = 'dark'; it.dispatchEvent(new Event('change')); })()");
    await page.until(`${background} !== ${JSON.stringify(light)}`);
    await page.open(`${walk.origin}/#/settings`);
    await page.see("location.reload()");
    await page.until("document.documentElement.dataset.ready === 'settings'");
    expect((await page.see(background)) !== light, "the theme is kept");
    expect((await page.see("document.getElementById('settings-theme').value")) === "dark", "and shown");
    expect((await page.see("Notification.permission")) === "default", "no permission was requested");
    await page.there("#notifications button", "Turn on notifications");
    await page.there("[data-token=agent]", "agent.token");
    await page.there("[data-token=operator] .badge", "present");
    expect(!(await page.see("document.body.textContent")).includes(walk.given.agent), "no token is shown");
    await tokens(page);
    await walk.show(page, "profiles");
    await page.there("[data-profile=work]", "2 of 6 tools");
    await page.click("[data-profile=work] summary");
    await page.there("[data-profile=work] code", "echo");
    expect(page.complaints.length === 0, page.complaints.join("\n"));
}

/// A token is created, its value is shown once, and it is revoked.
async function tokens(page) {
    await page.fill("#token-name", "ci");
    await page.fill("#token-profile", "work");
    await page.click("#create-token button[type=submit]");
    await page.there("#issued-token", "not shown again");
    await page.there("[data-token=ci]", "work");
    const value = await page.see("document.querySelector('#issued-token .command code').textContent");
    const status = (token) =>
        page.see(`fetch("/api/tools", { headers: { authorization: "Bearer ${token}" }, credentials: "omit" }).then((it) => it.status)`);
    expect((await status(value)) === 200, "the token is valid");
    await page.click("#issued-token button", "Done");
    expect(!(await page.see("document.body.textContent")).includes(value), "the value is shown once");
    await page.click("[data-token=ci] button", "Revoke");
    await page.click("[data-token=ci] button.danger", "Revoke ci");
    await page.gone("[data-token=ci]");
    expect((await status(value)) === 401, "the token is revoked");
}
