// Creates and updates elements. Strings are always inserted as text, never as HTML.

/// Attributes that are set as properties of the element.
const PROPERTIES = {
    class: (node, value) => (node.className = value),
    value: (node, value) => (node.value = value),
};

/// Creates an element with attributes and children.
export function el(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (value === undefined || value === null || value === false) continue;
        if (PROPERTIES[name]) PROPERTIES[name](node, value);
        else node.setAttribute(name, value === true ? "" : value);
    }
    append(node, ...children);
    return node;
}

/// Appends children; skips empty ones.
export function append(node, ...children) {
    const isEmpty = (child) => child === undefined || child === null || child === false || child === "";
    node.append(...children.flat(3).filter((child) => !isEmpty(child)));
    return node;
}

/// Replaces all children.
export function setChildren(node, ...children) {
    node.replaceChildren();
    return append(node, ...children);
}

/// Announces a text to screen readers.
export function announce(text) {
    const region = document.getElementById("live-region");
    region.textContent = "";
    // In another frame, so that the same text is announced again.
    requestAnimationFrame(() => (region.textContent = text));
}

let idCount = 0;
/// A unique id for an element.
export function uniqueId(prefix) {
    idCount += 1;
    return `${prefix}-${idCount}`;
}

/// A button. It is disabled while its handler runs.
export function button(label, onClick, attributes = {}) {
    const node = el("button", { type: "button", ...attributes, class: attributes.class ?? "plain" }, label);
    node.addEventListener("click", async (event) => {
        if (node.getAttribute("aria-disabled") === "true") return;
        node.setAttribute("aria-disabled", "true");
        try {
            await onClick(event);
        } finally {
            node.removeAttribute("aria-disabled");
        }
    });
    return node;
}

/// Calls `act` once there was no call for `delay` milliseconds.
export function debounce(delay, act) {
    let timer;
    return (...args) => {
        clearTimeout(timer);
        timer = setTimeout(() => act(...args), delay);
    };
}

/// Calls `act` at most once per `delay` milliseconds, even if calls never stop.
export function throttle(delay, act) {
    let timer;
    return () => {
        timer ??= setTimeout(() => {
            timer = undefined;
            void act();
        }, delay);
    };
}

/// Calls `act` less often the longer it takes, so that it runs at most a twentieth of the time. Runs never overlap.
export function adaptiveThrottle(act) {
    let nextStart = 0;
    let last = Promise.resolve();
    let isQueued = false;
    const pause = () => new Promise((resolve) => setTimeout(resolve, Math.max(0, nextStart - performance.now())));
    async function run() {
        isQueued = false;
        const start = performance.now();
        await act();
        const end = performance.now();
        nextStart = end + 19 * (end - start);
    }
    return () => {
        if (!isQueued) {
            isQueued = true;
            last = last.then(pause).then(run);
        }
        return last;
    };
}
