// What may be done with a tool, at each level; only what the levels above allow can be chosen.

import { set } from "./api.js";
import { el, fresh } from "./dom.js";
import { attempt, chip } from "./parts.js";
import { shown } from "./words.js";

const VALUES = ["allow", "ask", "deny", "disable"];
const MEANS = {
    allow: "may be called",
    ask: "needs approval before each call",
    deny: "may not be called",
    disable: "hidden",
};
const LEVELS = { global: "Everywhere", project: "In this project", session: "In this session" };

export function policySwitches(tool, page, again) {
    const { effective = tool.policy, because, levels = [] } = tool.policies ?? {};
    const tone = effective === "allow" ? "good" : effective === "ask" ? "warm" : "bad";
    const now = el(
        "p",
        { class: "now" },
        chip(effective, tone),
        " ",
        MEANS[effective] ?? "",
        because ? `: ${shown(because)}` : "",
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
        const done = await attempt(
            () => set("/api/policies", { level: it.level, pattern: tool.id, policy }).then(() => true),
            policy ? `${shown(tool.name)}: ${policy}` : "Policy removed",
        );
        await again();
        if (done) document.querySelector(`[data-level="${it.level}"] input:checked`)?.focus();
    };
    const option = (value, label, isAllowed) => {
        const input = el("input", {
            type: "radio",
            name,
            id: fresh(name),
            value,
            checked: (it.value ?? "") === value,
            disabled: !canSet || !isAllowed,
        });
        input.addEventListener("change", () => void choose(value || null));
        const title = isAllowed ? MEANS[value] : "The level above does not allow this";
        return [input, el("label", { for: input.id, title }, label)];
    };
    const options = [option("", "not set", true), ...VALUES.map((value) => option(value, value, allowed.has(value)))];
    return el(
        "fieldset",
        { class: "segments", "data-level": it.level },
        el("legend", {}, LEVELS[it.level] ?? it.level),
        options,
    );
}
