// Charts in plain SVG. Each has a title, a description for screen readers and a table with the same numbers.

import { append, el, uniqueId } from "./dom.js";
import { truncate } from "./format.js";

const WIDTH = 600;
const HEIGHT = 140;
/// The maximum width of a bar; few bars do not fill the chart.
const MAX_BAR = 60;

function svg(tag, attributes = {}, ...children) {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) if (value !== undefined) node.setAttribute(name, value);
    return append(node, ...children);
}

/// A drawing that fills its container. Texts beside it are HTML, because the drawing is stretched.
function drawing(title, description, height, ...children) {
    const [titleId, descriptionId] = [uniqueId("chart"), uniqueId("chart")];
    return svg(
        "svg",
        {
            viewBox: `0 0 ${WIDTH} ${height}`,
            preserveAspectRatio: "none",
            role: "img",
            "aria-labelledby": titleId,
            "aria-describedby": descriptionId,
        },
        svg("title", { id: titleId }, title),
        svg("desc", { id: descriptionId }, description),
        ...children,
    );
}

/// A rectangle with its value as a tooltip.
function bar(x, y, width, height, tone, tooltip) {
    return svg(
        "rect",
        { x: x.toFixed(2), y: y.toFixed(2), width: Math.max(width, 0.5).toFixed(2), height: height.toFixed(2), class: `bar-${tone}` },
        svg("title", {}, tooltip),
    );
}

/// The smallest round number that is not below the value.
function ceiling(value) {
    if (value <= 0) return 0;
    const power = 10 ** Math.floor(Math.log10(value));
    return [1, 2, 3, 4, 5, 6, 8, 10].find((factor) => factor * power >= value) * power;
}

/// Stacked bars over time. `rows` are `{label, values}` with one value per entry of `series`; a missing value is no bar.
export function barChart({ title, description, rows, series, format }) {
    const sums = rows.map(({ values }) => values.reduce((sum, value) => sum + Math.max(value ?? 0, 0), 0));
    const lows = rows.map(({ values }) => values.reduce((sum, value) => sum + Math.min(value ?? 0, 0), 0));
    const top = ceiling(Math.max(...sums, 0)) || (Math.min(...lows) < 0 ? 0 : 1);
    const bottom = 0 - ceiling(-Math.min(...lows, 0));
    const scale = HEIGHT / (top - bottom);
    const step = WIDTH / rows.length;
    const gap = Math.max(Math.min(step * 0.2, 4), step - MAX_BAR);
    const zero = top * scale;
    const bars = rows.map(({ label, values }, index) => {
        let [above, below] = [0, 0];
        return values.map((value, which) => {
            if (!value) return undefined;
            const height = Math.max(Math.abs(value) * scale, 1.5);
            const y = value > 0 ? zero - above - height : zero + below;
            if (value > 0) above += height;
            else below += height;
            const { name, tone } = series[which];
            const tooltip = `${label}: ${format(value)} ${name}`;
            return bar(index * step + gap / 2, y, step - gap, height, value < 0 ? "warning" : tone, tooltip);
        });
    });
    const lines = [0, 0.5, 1].map((share) => {
        const y = Math.min(HEIGHT - 0.5, Math.max(0.5, HEIGHT * share));
        return svg("line", { x1: 0, x2: WIDTH, y1: y, y2: y, class: "grid" });
    });
    const axis = [top, (top + bottom) / 2, bottom].map((value) => el("span", {}, format(value)));
    const plot = el(
        "div",
        { class: "plot" },
        el("div", { class: "axis y", "aria-hidden": "true" }, axis),
        drawing(title, description, HEIGHT, lines, bars),
        el(
            "div",
            { class: `axis x ${rows.length <= 3 ? "centered" : ""}`, "aria-hidden": "true" },
            axisLabels(rows).map((label) => el("span", {}, label)),
        ),
    );
    const key = series.length > 1 && legend(series.map(({ name, tone }) => [tone, name]));
    const head = ["Time", ...series.map(({ name }) => name)];
    const body = rows
        .filter(({ values }) => values.some((value) => value))
        .map(({ label, values }) => [label, ...values.map((value) => (value === undefined ? "–" : format(value)))]);
    return figure(title, key, plot, table(title, head, body));
}

/// The labels below a chart over time: of all rows if there are few, otherwise of the first, the middle and the last one.
function axisLabels(rows) {
    const labels = rows.map(({ label }) => label);
    return labels.length <= 3 ? labels : [labels[0], labels[Math.floor(labels.length / 2)], labels.at(-1)];
}

/// Two values of each row as one horizontal bar: a dark part up to the first, a light part up to the second.
export function rangeChart({ title, description, rows, names, format }) {
    const top = Math.max(...rows.map(({ high }) => high), 0.001);
    const items = rows.map(({ label, low, high }) => {
        const tooltip = `${label}: ${names[0]} ${format(low)}, ${names[1]} ${format(high)}`;
        const light = bar(0, 0, (high / top) * WIDTH, 10, "light", tooltip);
        const dark = bar(0, 0, (low / top) * WIDTH, 10, "accent", tooltip);
        return el(
            "li",
            { class: "range" },
            el("span", { class: "label external", title: label }, label),
            drawing(label, tooltip, 10, light, dark),
            el("span", { class: "faint" }, `${format(low)} · ${format(high)}`),
        );
    });
    const body = rows.map(({ label, low, high }) => [label, format(low), format(high)]);
    const content = el("ul", { class: "ranges", "aria-label": description }, items);
    const key = legend([["", names[0]], ["light", names[1]]]);
    return figure(title, key, content, table(title, ["Server", ...names], body));
}

/// One horizontal bar per row; a part of it may be marked as failed.
export function rankChart({ title, description, rows, format }) {
    const top = Math.max(...rows.map(({ value }) => value), 1);
    const items = rows.map(({ label, href, value, failed = 0 }) => {
        const tooltip = `${label}: ${format(value)}${failed ? `, ${failed} failed` : ""}`;
        const whole = bar(0, 0, (value / top) * WIDTH, 10, "accent", tooltip);
        const share = (failed / top) * WIDTH;
        const part = failed > 0 && bar((value / top) * WIDTH - share, 0, share, 10, "error", tooltip);
        const name = truncate(label, 60);
        return el(
            "li",
            { class: "range" },
            href
                ? el("a", { class: "label external", title: label, href }, name)
                : el("span", { class: "label external", title: label }, name),
            drawing(label, tooltip, 10, whole, part),
            el("span", { class: "faint" }, format(value)),
        );
    });
    const body = rows.map(({ label, value, failed = 0 }) => [label, format(value), String(failed)]);
    const content = el("ol", { class: "ranges", "aria-label": description }, items);
    return figure(title, undefined, content, table(title, ["Tool", "Calls", "Failed"], body));
}

const UPTIME = { up: "success", mixed: "warning", down: "error", unknown: "none" };
const UPTIME_TEXTS = { up: "up", mixed: "partly failing", down: "failing", unknown: "not observed" };

/// One strip per row, with a cell per time: `up`, `mixed`, `down` or `unknown`.
export function stripChart({ title, description, rows, times }) {
    const step = WIDTH / Math.max(times.length, 1);
    const items = rows.map(({ label, states, state, error }) => {
        const cells = states.map((item, index) =>
            bar(index * step, 0, step - Math.min(1.5, step * 0.2), 18, UPTIME[item] ?? "none", `${times[index]}: ${UPTIME_TEXTS[item] ?? item}`),
        );
        const summary = `${label}: ${summarize(states)}`;
        return el(
            "li",
            { class: "range" },
            el("span", { class: "label external", title: label }, label),
            drawing(label, summary, 18, cells),
            el("span", { class: UPTIME[state] === "error" ? "error" : "faint", title: error }, UPTIME_TEXTS[state] ?? state),
        );
    });
    const key = legend(Object.entries(UPTIME).map(([state, tone]) => [tone, UPTIME_TEXTS[state]]));
    const body = rows.map(({ label, states, state, error }) => [label, UPTIME_TEXTS[state] ?? state, summarize(states), error ?? ""]);
    const content = el("ul", { class: "ranges strips", "aria-label": description }, items);
    const node = figure(title, key, content, table(title, ["Server", "Now", "In this time", "Last error"], body));
    node.classList.add("full");
    return node;
}

/// `up in 12 of 14 observed intervals`.
function summarize(states) {
    const observed = states.filter((state) => state !== "unknown").length;
    const up = states.filter((state) => state === "up").length;
    return observed ? `up in ${up} of ${observed} observed intervals` : "not observed";
}

/// The colors of a chart: pairs of a tone and its name.
function legend(items) {
    return el(
        "ul",
        { class: "legend", "aria-hidden": "true" },
        items.map(([tone, name]) => el("li", {}, el("span", { class: `swatch ${tone}` }), name)),
    );
}

function figure(title, key, content, alternative) {
    return el(
        "figure",
        { class: "chart card" },
        el("figcaption", {}, el("h2", {}, title), key),
        content,
        el("details", {}, el("summary", {}, "Show as table"), alternative),
    );
}

/// The same numbers as a table.
function table(caption, head, rows) {
    const cells = (row) => row.map((cell, index) => (index ? el("td", {}, cell) : el("th", { scope: "row", class: "external" }, cell)));
    return el(
        "div",
        { class: "scroll", tabindex: "0", role: "group", "aria-label": `${caption} as a table` },
        el(
            "table",
            {},
            el("caption", { class: "visually-hidden" }, caption),
            el("thead", {}, el("tr", {}, head.map((cell) => el("th", { scope: "col" }, cell)))),
            el("tbody", {}, rows.length ? rows.map((row) => el("tr", {}, cells(row))) : el("tr", {}, el("td", { colspan: head.length }, "No data"))),
        ),
    );
}
