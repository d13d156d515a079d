// The form of a tool whose schema refers to itself: the number of its fields is bounded, and deeper objects are entered as JSON.

import { expect } from "./expect.mjs";

export async function form(walk) {
    const page = await walk.signedIn();
    await walk.show(page, "tools/local/wide");
    await page.there("fieldset.nested");
    const fields = await page.see("document.querySelector('.nested').parentElement.querySelectorAll('.field, .nested').length");
    expect(fields === 200, `${fields} fields`);
    expect(await page.see("document.querySelector('.nested').parentElement.querySelector('textarea') !== null"), "objects beyond the limit are JSON");
    expect(page.complaints.length === 0, page.complaints.join("\n"));
}
