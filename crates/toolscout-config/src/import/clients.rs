//! The programs that are known, one file each. To add one: a file here, and a line in [`CLIENTS`].

mod claude_code;
mod claude_desktop;
mod cline;
mod codex;
mod cursor;
mod gemini;
mod opencode;
mod vscode;
mod windsurf;
mod zed;

use super::ClientFormat;

/// In the order shown.
pub const CLIENTS: [&dyn ClientFormat; 10] = [
    &claude_desktop::ClaudeDesktop,
    &claude_code::ClaudeCode,
    &cursor::Cursor,
    &vscode::VsCode,
    &codex::Codex,
    &opencode::OpenCode,
    &gemini::Gemini,
    &windsurf::Windsurf,
    &zed::Zed,
    &cline::Cline,
];

/// The one people call this.
pub fn named(name: &str) -> Option<&'static dyn ClientFormat> {
    CLIENTS.into_iter().find(|it| it.name() == name)
}
