// The changes of configuration files that can be undone.

import { get, post } from "./api.js";
import { badge, emptyState, errorMessage, externalText, withErrorToast } from "./components.js";
import { button, el, setChildren } from "./dom.js";
import { escapeInvisible, relativeTime, truncate } from "./format.js";

const MAX_CHANGES = 10;

/// Shows the changes in `node`, the newest with a button that undoes it.
export async function changesList(node, context, reload) {
    try {
        const { changes } = await get("/api/changes", context.signal);
        if (changes.length === 0)
            return setChildren(node, emptyState("Nothing to undo", "Changes by setup, connect and import appear here."));
        const items = changes.slice(0, MAX_CHANGES).map((change, index) => changeRow(change, index === 0, reload));
        return setChildren(node, el("ul", { class: "rows" }, items));
    } catch (error) {
        if (!context.signal.aborted) setChildren(node, errorMessage(error));
        return undefined;
    }
}

function changeRow(change, isNewest, reload) {
    const summary = truncate(change.summary, 160);
    const confirmation = el("div", { class: "stack tight" });
    const undo = async (whole) => {
        const undone = await withErrorToast(() => post("/api/undo", { whole }).then(() => true), `Undone: ${summary}`);
        if (undone) await reload();
    };
    const isChanged = change.files.some(({ changed }) => changed);
    const confirm = () => {
        const restore = button("Undo this change", () => undo(isChanged), { class: "strong danger" });
        setChildren(
            confirmation,
            el("ul", { class: "files" }, change.files.map(fileItem)),
            isChanged && el("p", { class: "notice" }, "Another program has changed a file since. Undoing discards those changes."),
            el("div", { class: "actions" }, restore, button("Cancel", () => setChildren(confirmation), { class: "quiet" })),
        );
        restore.focus();
    };
    return el(
        "li",
        { class: "row", "data-change": change.number },
        el(
            "div",
            { class: "line plain" },
            el("span", { class: "grow" }, escapeInvisible(summary)),
            el("span", { class: "faint" }, relativeTime(change.time)),
            isNewest && button("Undo…", confirm, { class: "plain", "aria-label": `Undo: ${summary}` }),
        ),
        confirmation,
    );
}

function fileItem({ path, action, changed }) {
    const verb = action === "remove" ? "Delete" : "Restore";
    return el("li", {}, `${verb} `, externalText(truncate(path, 200), "code"), " ", changed && badge("changed since", "warning"));
}
