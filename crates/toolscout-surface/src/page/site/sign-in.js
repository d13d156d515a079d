// The view for users who are not signed in.

import { request, sessionKey } from "./api.js";
import { copyableCommand } from "./components.js";
import { announce, el, setChildren } from "./dom.js";

export function show(main, message, onSignedIn) {
    const token = el("input", {
        id: "token",
        type: "password",
        autocomplete: "off",
        required: true,
        spellcheck: "false",
    });
    const error = el("p", { class: "error", id: "token-error", role: "alert" });
    const form = el(
        "form",
        { class: "stack" },
        el("label", { for: "token" }, "Operator token"),
        token,
        el(
            "p",
            { class: "faint" },
            "The token is in the file ",
            el("code", {}, "operator.token"),
            " in the toolscout state directory.",
        ),
        error,
        el("button", { type: "submit", class: "strong" }, "Sign in"),
    );
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        void signInWithToken(token, error, onSignedIn);
    });
    setChildren(
        main,
        el(
            "div",
            { class: "card sign-in" },
            el("h1", {}, "Sign in"),
            message && el("p", { class: "error" }, message),
            el("p", {}, "Run this command in the project folder:"),
            el("p", {}, copyableCommand("toolscout ui")),
            el("p", { class: "faint" }, "It opens this page and signs you in with a link that works once."),
            el("details", {}, el("summary", {}, "Sign in with a token"), form),
        ),
    );
    announce("Sign in");
}

async function signInWithToken(token, errorNode, onSignedIn) {
    try {
        const { key } = await request("POST", "/signin", { body: { token: token.value } });
        sessionKey.store(key);
        onSignedIn();
    } catch (error) {
        errorNode.textContent = `${error.message}${error.hint ? `. ${error.hint.replaceAll("`", "")}` : ""}`;
        token.setAttribute("aria-invalid", "true");
        token.setAttribute("aria-describedby", "token-error");
        token.focus();
    }
}
