// The access tokens of this machine. A value is shown once, when its token is created or replaced.

import { del, get, path, post } from "./api.js";
import { badge, confirmAction, copyableCommand, errorMessage, externalText, section, withErrorToast } from "./components.js";
import { announce, button, el, setChildren } from "./dom.js";
import { escapeInvisible, relativeTime, truncate } from "./format.js";

const ROLE_TEXTS = {
    agent: "Clients with it find and call tools. They cannot approve, or change anything.",
    operator: "Clients with it also approve calls, and change servers and policies.",
};
const ROLES = { agent: "Agent", operator: "Operator" };
const LIFETIMES = { "7d": "7 days", "30d": "30 days", "90d": "90 days", "365d": "1 year", "": "Never" };
const BUILT_IN = ["agent", "operator"];

/// Shows the tokens, and a form that creates one.
export async function showTokens(node, context) {
    const list = el("div", {});
    const issued = el("div", { "aria-live": "polite" });
    const view = { context, list, issued };
    setChildren(node, el("div", { class: "stack" }, issued, list, section("Create a token", createForm(view))));
    await load(view);
}

async function load(view) {
    const { context, list } = view;
    try {
        const { tokens } = await get("/api/tokens", context.signal);
        setChildren(
            list,
            el("ul", { class: "cards" }, tokens.map((token) => tokenCard(token, view))),
            el("p", { class: "faint note" }, "All clients with the same token count as one user, unless it names another."),
        );
    } catch (error) {
        if (!context.signal.aborted) setChildren(list, errorMessage(error, () => load(view)));
    }
}

function tokenCard(token, view) {
    const present = token.present ? badge("present", "success") : badge("not created yet");
    const state = token.expired ? badge("expired", "error") : present;
    const name = escapeInvisible(token.name);
    const facts = {
        File: token.file,
        Profile: token.profile,
        User: token.user,
        "Approves calls": token.approvals === "client" ? "its user" : undefined,
        Expires: token.expires && relativeTime(token.expires),
        "Last used": token.lastUsed && relativeTime(token.lastUsed),
    };
    const shown = Object.entries(facts).filter(([, value]) => value);
    const age = token.created && ` created ${relativeTime(token.created)}`;
    const question = el("div", {});
    const confirm = (label, text, act) => button(`${label}…`, () => confirmAction(question, `${label} ${name}`, text, act), {
        class: "quiet",
        "aria-label": `${label} ${name}…`,
    });
    return el(
        "li",
        { class: "card", "data-token": token.name },
        el("h3", {}, externalText(truncate(token.name, 60), "code"), " ", state),
        el("p", {}, ROLE_TEXTS[token.role] ?? token.role, age && el("span", { class: "faint" }, age)),
        el("dl", { class: "facts" }, shown.flatMap(([fact, value]) => [el("dt", {}, fact), el("dd", {}, externalText(value))])),
        el(
            "div",
            { class: "actions" },
            confirm("Replace value", "The present value stops working at once; its clients need the new one.", () => rotate(token, view)),
            !BUILT_IN.includes(token.name) && confirm("Revoke", "Its clients lose access at once.", () => revoke(token, view)),
        ),
        question,
    );
}

async function rotate(token, view) {
    const result = await withErrorToast(() => post(path`/api/tokens/${token.name}/rotate`, {}));
    if (!result) return;
    showValue(result, view);
    await load(view);
}

async function revoke(token, view) {
    await withErrorToast(() => del(path`/api/tokens/${token.name}`), `Revoked ${escapeInvisible(token.name)}`);
    await load(view);
}

/// Shows the value of a token. It is only kept in this element.
function showValue({ token, value, warnings = [] }, view) {
    const name = escapeInvisible(token.name);
    setChildren(
        view.issued,
        el(
            "div",
            { class: "notice", id: "issued-token" },
            el("p", {}, "The value of ", el("code", {}, name), ". Copy it now; it is not shown again."),
            el("p", {}, copyableCommand(value)),
            warnings.map((warning) => el("p", { class: "hint" }, escapeInvisible(warning))),
            el("div", { class: "actions" }, button("Done", () => setChildren(view.issued), { class: "plain" })),
        ),
    );
    announce(`Created a value for ${name}`);
    view.issued.scrollIntoView({ block: "center" });
}

function createForm(view) {
    const text = (id, attributes) => el("input", { id, autocomplete: "off", spellcheck: "false", ...attributes });
    const options = (id, values) => el("select", { id }, Object.entries(values).map(([value, label]) => el("option", { value }, label)));
    const name = text("token-name", { placeholder: "ada-laptop", required: true });
    const role = options("token-role", ROLES);
    const profile = text("token-profile", { placeholder: "All tools" });
    const expires = options("token-expires", LIFETIMES);
    expires.value = "90d";
    const field = (label, input) => el("div", { class: "field" }, el("label", { for: input.id }, label), input);
    const form = el(
        "form",
        { class: "filters card", id: "create-token" },
        field("Name", name),
        field("Role", role),
        field("Profile", profile),
        field("Expires after", expires),
        el("button", { type: "submit", class: "strong" }, "Create"),
    );
    form.addEventListener("submit", async (event) => {
        event.preventDefault();
        const input = { name: name.value.trim(), role: role.value, profile: profile.value.trim() || undefined, expires: expires.value || undefined };
        const result = await withErrorToast(() => post("/api/tokens", input));
        if (!result) return;
        form.reset();
        expires.value = "90d";
        showValue(result, view);
        await load(view);
    });
    return form;
}
