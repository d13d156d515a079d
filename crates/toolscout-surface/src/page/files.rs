//! The files of the UI, by path.

use super::asset::Asset;

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const PICTURE: &str = "image/svg+xml";

/// All files; the document first.
pub(super) static ALL: [Asset; 23] = [
    Asset::new("/", HTML, include_str!("site/index.html")),
    Asset::new("/page/icon.svg", PICTURE, include_str!("site/icon.svg")),
    Asset::new("/page/frame.css", CSS, include_str!("site/frame.css")),
    Asset::new("/page/parts.css", CSS, include_str!("site/parts.css")),
    Asset::new("/page/main.js", SCRIPT, include_str!("site/main.js")),
    Asset::new("/page/dom.js", SCRIPT, include_str!("site/dom.js")),
    Asset::new("/page/words.js", SCRIPT, include_str!("site/words.js")),
    Asset::new("/page/api.js", SCRIPT, include_str!("site/api.js")),
    Asset::new("/page/events.js", SCRIPT, include_str!("site/events.js")),
    Asset::new("/page/parts.js", SCRIPT, include_str!("site/parts.js")),
    Asset::new("/page/signin.js", SCRIPT, include_str!("site/signin.js")),
    Asset::new("/page/servers.js", SCRIPT, include_str!("site/servers.js")),
    Asset::new("/page/server.js", SCRIPT, include_str!("site/server.js")),
    Asset::new("/page/add.js", SCRIPT, include_str!("site/add.js")),
    Asset::new("/page/tools.js", SCRIPT, include_str!("site/tools.js")),
    Asset::new("/page/tool.js", SCRIPT, include_str!("site/tool.js")),
    Asset::new("/page/policy.js", SCRIPT, include_str!("site/policy.js")),
    Asset::new("/page/try.js", SCRIPT, include_str!("site/try.js")),
    Asset::new("/page/form.js", SCRIPT, include_str!("site/form.js")),
    Asset::new("/page/result.js", SCRIPT, include_str!("site/result.js")),
    Asset::new("/page/approvals.js", SCRIPT, include_str!("site/approvals.js")),
    Asset::new("/page/activity.js", SCRIPT, include_str!("site/activity.js")),
    Asset::new("/page/entry.js", SCRIPT, include_str!("site/entry.js")),
];
