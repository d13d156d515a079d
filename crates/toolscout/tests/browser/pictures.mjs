// Pictures of the page, for the documentation.

import { writeFileSync } from "node:fs";
import { Agent } from "./agent.mjs";

const KINDS = { light: {}, dark: { scheme: "dark" }, phone: { width: 390, height: 844, mobile: true } };

export async function pictures(walk) {
    const agent = await new Agent(walk.origin, walk.given.agent).hello();
    for (const { search, call, arguments: given } of walk.given.errands) {
        await agent.search(search);
        if (call) await agent.run(call, given);
    }
    const page = await walk.signedIn();
    for (const [kind, options] of Object.entries(KINDS)) {
        const { width = 1280, height = 720, scheme = "light", mobile = false } = options;
        await page.tell("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile });
        await page.scheme(scheme);
        const wanted = Object.entries(walk.given.views).filter(([, it]) => it.kinds.includes(kind));
        for (const [name, place] of wanted) {
            // Where there is little room, a tool takes the place of what was found.
            await walk.show(page, place.search && width < 1080 ? "tools" : place.view);
            if (place.search) {
                await page.fill("#search", place.search);
                await page.there(".hits .pick");
            } else {
                await page.there(place.there);
            }
            await page.until("document.getElementById('count-tools').textContent");
            await page.see(
                "document.querySelector('.toast')?.remove(); document.activeElement?.blur(); scrollTo(0, 0); new Promise((done) => setTimeout(done, 200))",
            );
            writeFileSync(`${walk.given.folder}/${name}-${kind}.png`, await page.picture());
        }
    }
}
