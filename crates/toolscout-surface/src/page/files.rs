//! The files of the UI, by path.

use super::asset::Asset;

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

/// All files; the document first.
pub(super) static ALL: [Asset; 39] = [
    Asset::new("/", HTML, include_str!("site/index.html")),
    Asset::new("/page/icon.svg", SVG, include_str!("site/icon.svg")),
    Asset::new("/page/frame.css", CSS, include_str!("site/frame.css")),
    Asset::new("/page/components.css", CSS, include_str!("site/components.css")),
    Asset::new("/page/main.js", SCRIPT, include_str!("site/main.js")),
    Asset::new("/page/dom.js", SCRIPT, include_str!("site/dom.js")),
    Asset::new("/page/format.js", SCRIPT, include_str!("site/format.js")),
    Asset::new("/page/api.js", SCRIPT, include_str!("site/api.js")),
    Asset::new("/page/events.js", SCRIPT, include_str!("site/events.js")),
    Asset::new("/page/components.js", SCRIPT, include_str!("site/components.js")),
    Asset::new("/page/sign-in.js", SCRIPT, include_str!("site/sign-in.js")),
    Asset::new("/page/projects.js", SCRIPT, include_str!("site/projects.js")),
    Asset::new("/page/servers.js", SCRIPT, include_str!("site/servers.js")),
    Asset::new("/page/server-row.js", SCRIPT, include_str!("site/server-row.js")),
    Asset::new("/page/server-form.js", SCRIPT, include_str!("site/server-form.js")),
    Asset::new("/page/tools.js", SCRIPT, include_str!("site/tools.js")),
    Asset::new("/page/tool.js", SCRIPT, include_str!("site/tool.js")),
    Asset::new("/page/policy.js", SCRIPT, include_str!("site/policy.js")),
    Asset::new("/page/try-tool.js", SCRIPT, include_str!("site/try-tool.js")),
    Asset::new("/page/schema-form.js", SCRIPT, include_str!("site/schema-form.js")),
    Asset::new("/page/tool-result.js", SCRIPT, include_str!("site/tool-result.js")),
    Asset::new("/page/approvals.js", SCRIPT, include_str!("site/approvals.js")),
    Asset::new("/page/activity.js", SCRIPT, include_str!("site/activity.js")),
    Asset::new("/page/theme.js", SCRIPT, include_str!("site/theme.js")),
    Asset::new("/page/preferences.js", SCRIPT, include_str!("site/preferences.js")),
    Asset::new("/page/charts.js", SCRIPT, include_str!("site/charts.js")),
    Asset::new("/page/overview.js", SCRIPT, include_str!("site/overview.js")),
    Asset::new("/page/fleet.js", SCRIPT, include_str!("site/fleet.js")),
    Asset::new("/page/savings.js", SCRIPT, include_str!("site/savings.js")),
    Asset::new("/page/clients.js", SCRIPT, include_str!("site/clients.js")),
    Asset::new("/page/waiting-trust.js", SCRIPT, include_str!("site/waiting-trust.js")),
    Asset::new("/page/denied-access.js", SCRIPT, include_str!("site/denied-access.js")),
    Asset::new("/page/changes.js", SCRIPT, include_str!("site/changes.js")),
    Asset::new("/page/secrets.js", SCRIPT, include_str!("site/secrets.js")),
    Asset::new("/page/profiles.js", SCRIPT, include_str!("site/profiles.js")),
    Asset::new("/page/settings.js", SCRIPT, include_str!("site/settings.js")),
    Asset::new("/page/tokens.js", SCRIPT, include_str!("site/tokens.js")),
    Asset::new("/page/setup.js", SCRIPT, include_str!("site/setup.js")),
    Asset::new("/page/timeline-entry.js", SCRIPT, include_str!("site/timeline-entry.js")),
];
