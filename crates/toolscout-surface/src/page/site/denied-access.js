// What the sandbox of a server denied, with a button that grants it.

import { path, put } from "./api.js";
import { copyableCommand, externalText, withErrorToast } from "./components.js";
import { button, el } from "./dom.js";
import { escapeInvisible, relativeTime, truncate } from "./format.js";

/// A list of what was denied to the server; undefined if there is nothing. `onGranted` runs after a change.
export function deniedAccess({ id, sandbox }, onGranted) {
    const denied = sandbox?.denied ?? [];
    if (denied.length === 0) return undefined;
    return el(
        "div",
        { class: "denied stack tight" },
        el("p", { class: "faint" }, "The sandbox denied this, as the server reported it. Grant only what the server needs."),
        el("ul", { class: "files" }, denied.map((access) => el("li", {}, deniedItem(id, access, onGranted)))),
    );
}

function deniedItem(id, { access, reported, command, grant }, onGranted) {
    const text = [externalText(truncate(access, 200), "code"), " ", el("span", { class: "faint" }, relativeTime(reported)), " "];
    // Keys and settings in hidden folders are granted on the command line only.
    if (!grant) return [...text, copyableCommand(command)];
    const allow = async () => {
        const message = `${escapeInvisible(id)} may ${escapeInvisible(access)}`;
        await withErrorToast(() => put(path`/api/servers/${id}`, grant), message);
        await onGranted();
    };
    return [...text, button("Grant", allow, { class: "plain", "aria-label": `Let ${escapeInvisible(id)} ${escapeInvisible(access)}` })];
}
