// The replicas of the fleet. Without a fleet, nothing is shown.

import { get } from "./api.js";
import { badge, errorMessage, externalText, note, section } from "./components.js";
import { el, setChildren } from "./dom.js";
import { plural, relativeTime, truncate } from "./format.js";

const TONES = { ready: "success", draining: "warning", gone: "error" };
const REFRESH_MS = 5000;

/// Keeps the list of replicas in this element current.
export function showFleet(node, signal) {
    let timer;
    const load = async () => {
        try {
            const fleet = await get("/api/fleet", signal);
            if (!fleet.configured) clearInterval(timer);
            setChildren(node, fleet.configured && fleetSection(fleet));
        } catch (error) {
            if (!signal.aborted) setChildren(node, section("Fleet", errorMessage(error, load)));
        }
    };
    timer = setInterval(load, REFRESH_MS);
    signal.addEventListener("abort", () => clearInterval(timer));
    return load();
}

function fleetSection({ replicas, database }) {
    const live = replicas.filter(({ state }) => state !== "gone");
    return section(
        "Fleet",
        database.reachable
            ? el("p", { class: "faint" }, `${plural(live.length, "replica")} running.`)
            : note(`The database of the fleet is away: ${database.error}`),
        el("ul", { class: "cards" }, replicas.map(replicaCard)),
    );
}

function replicaCard({ name, state, address, version, lastSeen }) {
    const facts = { Version: version, Address: address, "Last seen": relativeTime(lastSeen) };
    const shown = Object.entries(facts).filter(([, value]) => value);
    return el(
        "li",
        { class: "card", "data-replica": name },
        el("h3", {}, externalText(truncate(name, 60), "code"), " ", badge(state, TONES[state])),
        el("dl", { class: "facts" }, shown.flatMap(([fact, value]) => [el("dt", {}, fact), el("dd", {}, externalText(value))])),
    );
}
