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
    await walk.show(page, "profiles");
    await page.there("[data-profile=work]", "2 of 6 tools");
    await page.click("[data-profile=work] summary");
    await page.there("[data-profile=work] code", "echo");
    expect(page.complaints.length === 0, page.complaints.join("\n"));
}
