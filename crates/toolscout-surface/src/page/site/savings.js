// The tokens that search saved, and how they are computed.

import { tile } from "./components.js";
import { el } from "./dom.js";
import { escapeInvisible, formatNumber, plural } from "./format.js";

/// Tokens saved, with how they are computed. An unknown or negative number is never the headline.
export function savingsTile(savings) {
    const { tokens, percent, comparedWith, measuredSessions, unmeasuredSessions, method, explanation } = savings ?? {};
    const isSaving = tokens > 0;
    const sessions = `${plural(measuredSessions ?? 0, "session")}`;
    const unmeasured = unmeasuredSessions ? `; ${formatNumber(unmeasuredSessions)} more not measured` : "";
    const facts = isSaving
        ? `${percent} % of ${formatNumber(comparedWith)} in ${sessions}${unmeasured}`
        : tokens === undefined
          ? "Not measured yet: no client has listed tools"
          : (explanation ?? `${formatNumber(-tokens)} more than all definitions in ${sessions}`);
    const value = isSaving ? formatNumber(tokens) : tokens === undefined ? "–" : "None yet";
    return tile(
        "Tokens saved",
        value,
        escapeInvisible(facts),
        method && el("details", {}, el("summary", {}, "How this is computed"), escapeInvisible(method)),
    );
}
