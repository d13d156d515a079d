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
    // Whole files are restored only if the entries of the change cannot be restored alone.
    const whole = change.files.some(({ action }) => action === "refuse");
    const isChanged = change.files.some(({ changed }) => changed);
    const undo = async () => {
        const request = () => post("/api/undo", { whole, number: change.number }).then(() => true);
        if (await withErrorToast(request, `Undone: ${summary}`)) await reload();
    };
    const consequence = whole ? "Undoing discards those changes." : "Only the entries of this change are restored there.";
    const confirm = () => {
        const restore = button("Undo this change", undo, { class: "strong danger" });
        setChildren(
            confirmation,
            el("ul", { class: "files" }, change.files.map(fileItem)),
            isChanged && el("p", { class: "notice" }, `Another program has changed a file since. ${consequence}`),
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
    const verb = { remove: "Delete", "restore-entries": "Restore entries in" }[action] ?? "Restore";
    return el("li", {}, `${verb} `, externalText(truncate(path, 200), "code"), " ", changed && badge("changed since", "warning"));
}
