// The effective policy of a tool, and the policy at each level.

import { put } from "./api.js";
import { badge, withErrorToast } from "./components.js";
import { el, uniqueId } from "./dom.js";
import { escapeInvisible } from "./format.js";

const POLICIES = ["allow", "ask", "deny", "disable"];
const POLICY_TEXTS = {
    allow: "Calls are allowed",
    ask: "Each call needs approval",
    deny: "Calls are refused",
    disable: "The tool is hidden",
};
const LEVELS = { global: "Everywhere", project: "In this project", session: "In this session" };

export function policySwitches(tool, page, again) {
    const { effective = tool.policy, because, levels = [] } = tool.policies ?? {};
    const tone = effective === "allow" ? "good" : effective === "ask" ? "warm" : "bad";
    const now = el(
        "p",
        { class: "status-line" },
        badge(effective, POLICY_TONES[effective] ?? "error"),
        " ",
        POLICY_TEXTS[effective],
        reason ? ` (${escapeInvisible(reason)})` : "",
    );
    const canSet = page.me.role === "operator";
    const settable = levels.filter((it) => it.level !== "session");
    return el(
        "div",
        { class: "stack" },
        now,
        settable.map((it) => level(it, tool, canSet, again)),
        !canSet &&
            el(
                "p",
                { class: "faint" },
                "Only an operator can change this: ",
                el("code", {}, "toolscout ui"),
                " signs you in.",
            ),
    );
}

function level(it, tool, canSet, again) {
    const name = fresh("policy");
    const allowed = new Set(it.allowed ?? VALUES);
    const choose = async (policy) => {
        const toolName = escapeInvisible(tool.name);
        const isSet = await withErrorToast(
            () => put("/api/policies", { level, pattern: tool.id, policy }).then(() => true),
            policy ? `Policy of ${toolName} set to ${policy}` : `Policy of ${toolName} removed`,
        );
        await reload();
        if (isSet) document.querySelector(`[data-level="${level}"] input:checked`)?.focus();
    };
    const option = (value, label, isAllowed) => {
        const input = el("input", {
            type: "radio",
            name,
            id: uniqueId(name),
            value,
            checked: current === value,
            disabled: !isOperator || !isAllowed,
        });
        input.addEventListener("change", () => void choose(value || null));
        const title = isAllowed ? POLICY_TEXTS[value] : "A higher level sets a stricter policy";
        return [input, el("label", { for: input.id, title }, label)];
    };
    const options = [
        option("", "not set", true),
        ...POLICIES.map((policy) => option(policy, policy, allowed.includes(policy))),
    ];
    return el(
        "fieldset",
        { class: "segments", "data-level": level },
        el("legend", {}, LEVEL_LABELS[level] ?? level),
        options,
    );
}
