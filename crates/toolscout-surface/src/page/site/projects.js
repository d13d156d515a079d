// The project that the UI shows, and the switch between several projects.

import { projectId } from "./api.js";
import { el, setChildren } from "./dom.js";

/// The project of this page, out of the list of all.
function currentProject(projects) {
    return projects?.find((project) => (projectId ? project.id === projectId : project.current));
}

/// Shows the switch if there are several projects. A project is a link, so that it can be opened in another tab.
export function showSwitch(node, projects) {
    const ids = (projects ?? []).map((project) => project.id).join("\n");
    if (node.dataset.ids === ids) return;
    node.dataset.ids = ids;
    node.hidden = (projects?.length ?? 0) < 2;
    if (node.hidden) return;
    const current = currentProject(projects);
    const item = (project) => {
        const link = el(
            "a",
            { href: address(project), "aria-current": project === current && "true", "data-project": project.id },
            el("span", { class: "external" }, project.id),
            !project.trusted && el("span", { class: "faint" }, "not trusted"),
        );
        return el("li", {}, link);
    };
    setChildren(
        node,
        el("summary", {}, el("span", { class: "faint" }, "Project "), current?.id ?? projectId),
        el("ul", { "aria-label": "Projects" }, projects.map(item)),
    );
}

/// The address of a project, with the view that is open now.
function address(project) {
    const view = location.hash.split("/")[1] ?? "";
    const query = project.current ? "" : `?${new URLSearchParams({ project: project.id })}`;
    return `/${query}${view ? `#/${view}` : ""}`;
}
