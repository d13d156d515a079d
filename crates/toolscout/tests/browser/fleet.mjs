// The overview shows the replicas of the fleet, and one that is gone.

import { writeFileSync } from "node:fs";

export async function fleet(walk) {
    const page = await walk.signedIn();
    await walk.show(page, "overview");
    await page.there("[data-replica=replica-2]", "ready");
    await page.there("[data-replica=replica-3]", "ready");
    // The test stops the third replica.
    writeFileSync(walk.given.opened, "");
    await page.there("[data-replica=replica-3]", "gone");
}
