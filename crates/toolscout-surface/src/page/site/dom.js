// Makes elements, and puts text into them only ever as text.

/// Sets what says how an element looks and behaves; everything else is an attribute.
const SPECIAL = {
    class: (node, value) => (node.className = value),
    text: (node, value) => (node.textContent = value),
    value: (node, value) => (node.value = value),
    on: (node, listeners) => Object.entries(listeners).forEach(([name, it]) => node.addEventListener(name, it)),
};

/// An element with attributes and children; a child that is a text becomes a text and nothing else.
export function el(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (value === undefined || value === null || value === false) continue;
        if (SPECIAL[name]) SPECIAL[name](node, value);
        else node.setAttribute(name, value === true ? "" : value);
    }
    put(node, ...children);
    return node;
}

/// Adds children, leaving out those that are nothing.
export function put(node, ...children) {
    const there = children.flat(3).filter((it) => it !== undefined && it !== null && it !== false && it !== "");
    node.append(...there);
    return node;
}

/// Has these children instead of those that are there.
export function replace(node, ...children) {
    node.replaceChildren();
    return put(node, ...children);
}

/// Tells whoever listens to the page what has just happened.
export function announce(text) {
    const news = document.getElementById("news");
    news.textContent = "";
    // In a turn of its own, so that the same news twice is news twice.
    requestAnimationFrame(() => (news.textContent = text));
}

let made = 0;
/// A name for an element that others refer to.
export function fresh(prefix) {
    made += 1;
    return `${prefix}-${made}`;
}

/// A button; says so while what it does is under way, and what went wrong where it stands.
export function button(label, act, attributes = {}) {
    const node = el("button", { type: "button", ...attributes, class: attributes.class ?? "plain" }, label);
    node.addEventListener("click", async (event) => {
        if (node.getAttribute("aria-disabled") === "true") return;
        node.setAttribute("aria-disabled", "true");
        try {
            await act(event);
        } finally {
            node.removeAttribute("aria-disabled");
        }
    });
    return node;
}

/// Calls only after nothing happened for a while.
export function settled(wait, act) {
    let timer;
    return (...args) => {
        clearTimeout(timer);
        timer = setTimeout(() => act(...args), wait);
    };
}

/// Calls once for all that happens in a while, also where it never stops happening.
export function gathered(wait, act) {
    let timer;
    return () => {
        timer ??= setTimeout(() => {
            timer = undefined;
            void act();
        }, wait);
    };
}

/// Does what may take long the more seldom the longer it takes: a twentieth of the time at most. Never twice at once.
export function seldom(act) {
    let next = 0;
    let last = Promise.resolve();
    let isWaiting = false;
    const pause = () => new Promise((done) => setTimeout(done, Math.max(0, next - performance.now())));
    async function run() {
        isWaiting = false;
        const began = performance.now();
        await act();
        const ended = performance.now();
        next = ended + 19 * (ended - began);
    }
    return () => {
        if (!isWaiting) {
            isWaiting = true;
            last = last.then(pause).then(run);
        }
        return last;
    };
}
