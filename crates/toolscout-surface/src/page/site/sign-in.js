// What somebody sees who is not signed in: how to be.

import { ask, key } from "./api.js";
import { announce, el, replace } from "./dom.js";
import { command } from "./parts.js";

export function show(main, reason, done) {
    const token = el("input", {
        id: "token",
        type: "password",
        autocomplete: "off",
        required: true,
        spellcheck: "false",
    });
    const problem = el("p", { class: "wrong", id: "token-problem", role: "alert" });
    const form = el(
        "form",
        { class: "stack" },
        el("label", { for: "token" }, "Operator token"),
        token,
        el(
            "p",
            { class: "faint" },
            "It is in ",
            el("code", {}, "operator.token"),
            ", in the state directory of toolscout.",
        ),
        problem,
        el("button", { type: "submit", class: "strong" }, "Sign in"),
    );
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        void paste(token, problem, done);
    });
    replace(
        main,
        el(
            "div",
            { class: "card signin" },
            el("h1", {}, "Sign in"),
            reason && el("p", { class: "wrong" }, reason),
            el("p", {}, "In the project's folder, type"),
            el("p", {}, command("toolscout ui")),
            el("p", { class: "faint" }, "It opens this page with a link that works once, and signs you in."),
            el("details", {}, el("summary", {}, "I have a token"), form),
        ),
    );
    announce("Sign in");
}

async function paste(token, problem, done) {
    try {
        const { key: held } = await ask("POST", "/signin", { body: { token: token.value } });
        key.keep(held);
        done();
    } catch (error) {
        problem.textContent = `${error.message}${error.hint ? `; ${error.hint.replaceAll("`", "")}` : ""}`;
        token.setAttribute("aria-invalid", "true");
        token.setAttribute("aria-describedby", "token-problem");
        token.focus();
    }
}
