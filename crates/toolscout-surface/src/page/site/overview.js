// The dashboard: calls and errors, latency, tokens saved, most used tools and uptime.

import { get, queryString } from "./api.js";
import { barChart, rangeChart, rankChart, stripChart } from "./charts.js";
import { errorMessage, loading, note, pageHeader, showOperatorsOnly, tile } from "./components.js";
import { adaptiveThrottle, el, setChildren, throttle } from "./dom.js";
import { subscribe } from "./events.js";
import { showFleet } from "./fleet.js";
import { formatDuration, formatNumber, plural, toolHref, truncate } from "./format.js";
import { savingsTile } from "./savings.js";

const RANGES = {
    "1h": { label: "Last hour", bucket: "2m" },
    "24h": { label: "Last 24 hours", bucket: "30m" },
    "7d": { label: "Last 7 days", bucket: "4h" },
    "30d": { label: "Last 30 days", bucket: "1d" },
};
const MAX_ROWS = 8;

export function show(main, context) {
    if (showOperatorsOnly(main, context, "Overview", "see statistics")) return {};
    const options = Object.entries(RANGES).map(([value, { label }]) => el("option", { value }, label));
    const range = el("select", { id: "range" }, options);
    range.value = "24h";
    const field = el("div", { class: "field inline" }, el("label", { for: "range" }, "Time"), range);
    const body = el("div", {}, loading("Loading statistics"));
    const fleet = el("div", {});
    setChildren(main, pageHeader("Overview", "What agents do with the tools of this machine.", field), body, fleet);
    const view = { context, body, range, request: 0 };
    const load = () => update(view);
    range.addEventListener("change", () => void load());
    // A table that is open, or has the focus, is not replaced by an event.
    const isInUse = () => body.contains(document.activeElement) || body.querySelector(".chart details[open]");
    // The series are computed from the whole range of the audit log.
    const reload = throttle(1000, adaptiveThrottle(async () => isInUse() || load()));
    for (const event of ["call", "search", "discovery", "missed", "online"]) subscribe(event, reload, context.signal);
    return { ready: Promise.all([load(), showFleet(fleet, context.signal)]) };
}

/// Shows the statistics of the chosen time. A slower response to an earlier request is dropped.
async function update(view) {
    const { context, body } = view;
    const range = view.range.value;
    view.request += 1;
    const { request } = view;
    try {
        const parameters = queryString({ from: range, bucket: RANGES[range].bucket });
        const series = await get(`/api/stats/series${parameters}`, context.signal);
        if (request === view.request)
            setChildren(body, tiles(series), (series.notes ?? []).map(note), charts(series, range));
    } catch (error) {
        if (!context.signal.aborted && request === view.request)
            setChildren(
                body,
                errorMessage(error, () => update(view)),
            );
    }
}

function tiles({ buckets, servers, savings }) {
    const sum = (field) => buckets.reduce((total, bucket) => total + bucket[field], 0);
    const [calls, failures, refused, searches] = ["calls", "failures", "refused", "searches"].map(sum);
    const rate = calls ? `${((failures / calls) * 100).toFixed(failures ? 1 : 0)} % of calls` : "No calls yet";
    const down = servers.filter(({ state }) => state === "down");
    return el(
        "dl",
        { class: "tiles" },
        tile("Calls", formatNumber(calls), `${plural(searches, "search", "searches")}`),
        tile("Failed", formatNumber(failures), refused ? `${rate}, ${formatNumber(refused)} refused` : rate),
        savingsTile(savings),
        tile(
            "Failing servers",
            formatNumber(down.length),
            down.length ? truncate(down.map(({ source }) => source).join(", "), 80) : "None in this time",
        ),
    );
}

function charts({ buckets, servers, tools, days }, range) {
    const labels = buckets.map(({ start }) => timeLabel(start, range));
    const calls = buckets.map(({ calls: all, failures, refused }, index) => ({
        label: labels[index],
        values: [all - failures - refused, failures, refused],
    }));
    const measured = servers.filter(({ p50Ms }) => p50Ms !== undefined).slice(0, MAX_ROWS);
    const observed = servers.filter(({ uptime }) => uptime?.some((state) => state !== "unknown"));
    const used = tools.filter((tool) => tool.calls > 0).slice(0, MAX_ROWS);
    const time = RANGES[range].label.toLowerCase();
    return el(
        "div",
        { class: "charts" },
        barChart({
            title: "Calls",
            description: `Calls over time, ${time}, with those that failed or were refused.`,
            rows: calls,
            series: [
                { name: "succeeded", tone: "accent" },
                { name: "failed", tone: "error" },
                { name: "refused", tone: "warning" },
            ],
            format: formatNumber,
        }),
        tokensChart(days),
        measured.length
            ? rangeChart({
                  title: "Latency",
                  description: `Duration of calls by server, ${time}: half of the calls, and 95 percent of them, took at most this long.`,
                  rows: measured.map(({ source, p50Ms, p95Ms }) => ({ label: truncate(source, 60), low: p50Ms, high: p95Ms })),
                  names: ["p50", "p95"],
                  format: formatDuration,
              })
            : emptyChart("Latency", "Durations appear here after the first call."),
        used.length
            ? rankChart({
                  title: "Most used tools",
                  description: `The most called tools, ${time}.`,
                  rows: used.map(({ tool, calls: value, failures: failed }) => ({ label: tool, value, failed, href: toolHref(tool) })),
                  format: (value) => plural(value, "call"),
              })
            : emptyChart("Most used tools", "Connect a client under Clients; its calls appear here."),
        observed.length
            ? stripChart({
                  title: "Uptime",
                  description: `Whether servers answered, ${time}, from discoveries and calls.`,
                  rows: observed.map(({ source, uptime, state, lastError }) => ({
                      label: truncate(source, 60),
                      states: uptime,
                      state,
                      error: lastError && truncate(lastError, 200),
                  })),
                  times: labels,
              })
            : emptyChart("Uptime", "Servers appear here after their tools were loaded once in this time."),
    );
}

function tokensChart(days) {
    if (!days.some(({ measuredSessions }) => measuredSessions > 0))
        return emptyChart("Tokens saved per day", "Measured once a client lists tools through toolscout.");
    const dayLabel = (day) => new Date(`${day}T00:00:00Z`).toLocaleDateString("en", { month: "short", day: "numeric", timeZone: "UTC" });
    return barChart({
        title: "Tokens saved per day",
        description: "Tokens of all definitions minus tokens of tool lists and search results, by day in UTC. Below zero, searching took more.",
        rows: days.map(({ day, savedTokens }) => ({ label: dayLabel(day), values: [savedTokens] })),
        series: [{ name: "tokens", tone: "success" }],
        format: formatNumber,
    });
}

function emptyChart(title, text) {
    return el("section", { class: "chart card" }, el("h2", {}, title), el("p", { class: "faint" }, text));
}

/// The start of a bucket, as precise as the range needs.
function timeLabel(start, range) {
    const date = new Date(start);
    const time = date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
    if (range === "1h" || range === "24h") return time;
    const day = date.toLocaleDateString("en", { month: "short", day: "numeric" });
    return range === "7d" ? `${day}, ${time}` : day;
}
