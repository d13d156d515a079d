// The effective policy of a tool, and the policy at each level.

import { put } from "./api.js";
import { policyBadge, withErrorToast } from "./components.js";
import { el, uniqueId } from "./dom.js";
import { escapeInvisible } from "./format.js";

const POLICIES = ["allow", "ask", "deny", "disable"];
const POLICY_TEXTS = {
    allow: "Calls are allowed",
    ask: "Each call needs approval",
    deny: "Calls are refused",
    disable: "The tool is hidden",
};
const LEVEL_LABELS = { global: "All projects", project: "This project" };

export function policySettings(tool, context, reload) {
    const { effective, reason, levels } = tool.policies;
    const summary = el(
        "p",
        { class: "status-line" },
        policyBadge(effective),
        " ",
        POLICY_TEXTS[effective],
        reason ? ` (${escapeInvisible(reason)})` : "",
    );
    const isOperator = context.me.role === "operator";
    // The session level ends with the process, so it is not offered here.
    const settable = levels.filter((level) => level.level !== "session");
    const hint =
        !isOperator &&
        el(
            "p",
            { class: "faint" },
            "Only operators can change policies. Run ",
            el("code", {}, "toolscout ui"),
            " to sign in as operator.",
        );
    return el(
        "div",
        { class: "stack" },
        summary,
        settable.map((level) => levelSetting(level, tool, isOperator, reload)),
        hint,
    );
}

function levelSetting({ level, value: current = "", allowed }, tool, isOperator, reload) {
    const name = uniqueId("policy");
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
