// Walks through the page in a real Chromium. What it is to do comes as JSON on the command line; what went wrong goes to stderr.

import { Browser } from "./chromium.mjs";
import { look } from "./look.mjs";
import { fleet } from "./fleet.mjs";
import { form } from "./form.mjs";
import { grants } from "./grants.mjs";
import { keyboard } from "./keyboard.mjs";
import { measure } from "./measure.mjs";
import { offline } from "./offline.mjs";
import { path } from "./path.mjs";
import { pictures } from "./pictures.mjs";
import { preferences } from "./preferences.mjs";
import { projects } from "./projects.mjs";
import { repair } from "./repair.mjs";
import { texts } from "./texts.mjs";
import { trust } from "./trust.mjs";
import { truth } from "./truth.mjs";
import { visitor } from "./visitor.mjs";
import { wizard } from "./wizard.mjs";

const WALKS = {
    fleet, form, grants, look, keyboard, measure, offline, path, pictures, preferences, projects, repair, texts, trust, truth, visitor, wizard,
};

/// What a walk has at hand.
class Walk {
    constructor(given, browser) {
        this.given = given;
        this.browser = browser;
        this.origin = new URL(given.link).origin;
    }

    /// A page that came in by the link, and shows the first view.
    async signedIn(options) {
        const page = await this.browser.page(options);
        await page.open(this.given.link);
        await page.until("document.documentElement.dataset.ready === 'servers'");
        return page;
    }

    /// Another view of a page that is open.
    async show(page, view) {
        await page.see(`location.hash = ${JSON.stringify(`#/${view}`)}`);
        await page.until(`document.documentElement.dataset.ready === ${JSON.stringify(view.split("/")[0])}`);
    }

    /// Asks as an agent does, beside the browser.
    async agent(method, place, body) {
        const headers = { authorization: `Bearer ${this.given.agent}`, "content-type": "application/json" };
        const answer = await fetch(`${this.origin}${place}`, { method, headers, body: JSON.stringify(body) });
        return { status: answer.status, said: await answer.json() };
    }
}

const given = JSON.parse(process.argv[2]);
const browser = new Browser(given.chromium, given.profile);
try {
    const seen = await WALKS[given.walk](new Walk(given, browser));
    console.log(JSON.stringify(seen ?? {}));
} catch (error) {
    console.error(error.stack);
    process.exitCode = 1;
} finally {
    await browser.close();
}
