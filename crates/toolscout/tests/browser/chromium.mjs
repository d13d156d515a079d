// Drives a real Chromium, as a person with a mouse or a keyboard would: its DevTools protocol over two pipes, and nothing else.

import { spawn } from "node:child_process";

/// More than anything here takes.
const PATIENCE = 30000;

const FLAGS = [
    "--headless=new",
    "--remote-debugging-pipe",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--hide-scrollbars",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--force-device-scale-factor=1",
    "--font-render-hinting=none",
    "--disable-lcd-text",
];

const KEYS = {
    Tab: 9,
    Enter: 13,
    Escape: 27,
    Space: 32,
    ArrowUp: 38,
    ArrowDown: 40,
    ArrowLeft: 37,
    ArrowRight: 39,
    Backspace: 8,
    Slash: 191,
};

export class Browser {
    #process;
    #next = 1;
    #asked = new Map();
    #pages = new Map();
    #rest = "";

    constructor(program, folder) {
        this.#process = spawn(program, [...FLAGS, `--user-data-dir=${folder}`, "about:blank"], {
            stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
        });
        this.#process.stdio[4].setEncoding("utf8").on("data", (text) => this.#read(text));
        this.#process.on("exit", () => this.#asked.forEach(({ fail }) => fail(new Error("the browser has ended"))));
    }

    ask(method, params = {}, sessionId = undefined) {
        const id = this.#next++;
        this.#process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
        return new Promise((done, fail) => {
            const timer = setTimeout(() => fail(new Error(`${method} was not answered`)), PATIENCE);
            const settle = (act) => (value) => {
                clearTimeout(timer);
                act(value);
            };
            this.#asked.set(id, { done: settle(done), fail: settle(fail) });
        });
    }

    /// A new, empty page in surroundings of its own: no cookie of another.
    async page(options = {}) {
        const { browserContextId } = await this.ask("Target.createBrowserContext");
        const { targetId } = await this.ask("Target.createTarget", { url: "about:blank", browserContextId });
        const { sessionId } = await this.ask("Target.attachToTarget", { targetId, flatten: true });
        const page = new Page(this, sessionId);
        this.#pages.set(sessionId, page);
        await page.prepare(options);
        return page;
    }

    async close() {
        await this.ask("Browser.close").catch(() => undefined);
    }

    #read(text) {
        const parts = (this.#rest + text).split("\0");
        this.#rest = parts.pop();
        for (const part of parts) this.#heard(JSON.parse(part));
    }

    #heard(message) {
        const asked = this.#asked.get(message.id);
        if (!asked) return this.#pages.get(message.sessionId)?.heard(message);
        this.#asked.delete(message.id);
        return message.error
            ? asked.fail(new Error(`${message.error.message} ${message.error.data ?? ""}`))
            : asked.done(message.result);
    }
}

export class Page {
    /// What the page complained about, and every address it asked for, with the bytes that came.
    complaints = [];
    asked = new Map();

    constructor(browser, session) {
        this.browser = browser;
        this.session = session;
    }

    tell(method, params) {
        return this.browser.ask(method, params, this.session);
    }

    async prepare({ width = 1280, height = 800, scheme = "light", mobile = false, motion = "reduce" }) {
        for (const domain of ["Page", "Runtime", "Network", "Log"]) await this.tell(`${domain}.enable`);
        await this.tell("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile });
        await this.scheme(scheme, motion);
        // Whatever a text could have a page do that a person notices.
        await this.tell("Page.addScriptToEvaluateOnNewDocument", {
            source: "globalThis.alarms = []; for (const it of ['alert', 'confirm', 'prompt']) globalThis[it] = (text) => alarms.push(`${it} ${text}`);",
        });
    }

    async scheme(scheme, motion = "reduce") {
        await this.tell("Emulation.setEmulatedMedia", {
            features: [
                { name: "prefers-color-scheme", value: scheme },
                { name: "prefers-reduced-motion", value: motion },
            ],
        });
    }

    heard({ method, params }) {
        if (method === "Runtime.exceptionThrown")
            this.complaints.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
        // That something was refused is for the page to say.
        if (method === "Log.entryAdded" && params.entry.level === "error" && params.entry.source !== "network")
            this.complaints.push(`${params.entry.text} ${params.entry.url ?? ""}`);
        if (method === "Runtime.consoleAPICalled" && params.type === "error")
            this.complaints.push(params.args.map((it) => it.value).join(" "));
        if (method === "Network.requestWillBeSent")
            this.asked.set(params.requestId, { url: params.request.url, bytes: 0 });
        if (method === "Network.loadingFinished" && this.asked.has(params.requestId))
            this.asked.get(params.requestId).bytes = params.encodedDataLength;
    }

    async open(url) {
        const { errorText } = await this.tell("Page.navigate", { url });
        if (errorText) throw new Error(`${url}: ${errorText}`);
    }

    /// What an expression comes to, in the page.
    async see(expression) {
        const { result, exceptionDetails } = await this.tell("Runtime.evaluate", {
            expression,
            awaitPromise: true,
            returnByValue: true,
        });
        if (exceptionDetails)
            throw new Error(`${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
        return result.value;
    }

    /// Waits until an expression is true of the page.
    async until(expression, what = expression) {
        const end = Date.now() + PATIENCE;
        for (;;) {
            const value = await this.see(
                `(() => { try { return ${expression}; } catch { return undefined; } })()`,
            ).catch(() => undefined);
            if (value) return value;
            if (Date.now() > end) {
                const text = await this.see("document.body.innerText").catch(() => "");
                throw new Error(`timed out before: ${what}\n${this.complaints.join("\n")}\n${text}`);
            }
            await new Promise((done) => setTimeout(done, 20));
        }
    }

    /// Waits for an element with this text, if one is given.
    there(selector, text = "") {
        const all = `[...document.querySelectorAll(${JSON.stringify(selector)})]`;
        return this.until(
            `${all}.some((it) => it.checkVisibility() && it.textContent.includes(${JSON.stringify(text)}))`,
            `there is ${selector} ${text}`,
        );
    }

    gone(selector, text = "") {
        const all = `[...document.querySelectorAll(${JSON.stringify(selector)})]`;
        return this.until(
            `!${all}.some((it) => it.checkVisibility() && it.textContent.includes(${JSON.stringify(text)}))`,
            `${selector} ${text} is gone`,
        );
    }

    /// Clicks the first element that is seen and has this text, where a finger would.
    async click(selector, text = "") {
        await this.there(selector, text);
        const spot = await this.see(`(() => {
            const it = [...document.querySelectorAll(${JSON.stringify(selector)})].find((it) => it.checkVisibility() && it.textContent.includes(${JSON.stringify(text)}));
            it.scrollIntoView({ block: "center" });
            const box = it.getBoundingClientRect();
            return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
        })()`);
        for (const type of ["mousePressed", "mouseReleased"])
            await this.tell("Input.dispatchMouseEvent", { type, ...spot, button: "left", clickCount: 1 });
    }

    /// Types into whatever has the focus.
    type(text) {
        return this.tell("Input.insertText", { text });
    }

    async fill(selector, text) {
        await this.click(selector);
        await this.see(`document.querySelector(${JSON.stringify(selector)}).select?.()`);
        await this.type(text);
    }

    async press(key, modifiers = 0) {
        const code = KEYS[key];
        const name = { Space: " ", Slash: "/" }[key] ?? key;
        const text = { Enter: "\r", Space: " ", Slash: "/" }[key];
        const about = { key: name, code: key, windowsVirtualKeyCode: code, nativeVirtualKeyCode: code, modifiers };
        await this.tell("Input.dispatchKeyEvent", { type: text ? "keyDown" : "rawKeyDown", text, ...about });
        await this.tell("Input.dispatchKeyEvent", { type: "keyUp", ...about });
    }

    /// What has the focus, in a few words.
    focus() {
        return this.see(
            "(() => { const it = document.activeElement; return `${it.tagName.toLowerCase()}#${it.id} ${(it.getAttribute('aria-label') ?? it.textContent ?? '').trim().slice(0, 80)}`; })()",
        );
    }

    /// Goes on with Tab until the focus is on an element that an expression over `it` is true of.
    async tabTo(expression, most = 80) {
        for (let steps = 0; steps <= most; steps += 1) {
            if (await this.see(`(() => { const it = document.activeElement; return Boolean(${expression}); })()`))
                return;
            await this.press("Tab");
        }
        throw new Error(`Tab never came to ${expression}; the focus is on ${await this.focus()}`);
    }

    async picture(format = "png") {
        const { data } = await this.tell("Page.captureScreenshot", {
            format,
            quality: format === "png" ? undefined : 82,
            optimizeForSpeed: false,
        });
        return Buffer.from(data, "base64");
    }
}
