// How long it takes until the page can be used, and how many bytes that takes: each time in a browser that never saw it.

export async function measure(walk) {
    const runs = [];
    for (const link of walk.given.links) {
        const page = await walk.browser.page();
        await page.open(link);
        await page.until("performance.getEntriesByName('interactive').length > 0");
        // Counts that are asked for afterwards are part of what a visit takes.
        await new Promise((done) => setTimeout(done, 500));
        const interactive = await page.see("performance.getEntriesByName('interactive')[0].startTime");
        const painted = await page.see("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0");
        const bytes = [...page.asked.values()].reduce((sum, it) => sum + it.bytes, 0);
        const tools = await tool(walk, page);
        runs.push({ interactive, painted, bytes, requests: page.asked.size, ...tools });
    }
    return { runs };
}

/// From the click on the view to all groups, and from a letter to hits.
async function tool(walk, page) {
    const opened = await page.see(`(async () => {
        const begun = performance.now();
        location.hash = "#/tools";
        while (!document.querySelector("details.group")) await new Promise((done) => requestAnimationFrame(done));
        return performance.now() - begun;
    })()`);
    const rows = await page.see("document.querySelectorAll('.pick').length");
    const elements = await page.see("document.querySelectorAll('*').length");
    return { opened, rows, elements };
}
