//! Inspects one file: whether it is a tool, and its static description. Opens files, starts
//! nothing.

use super::described::{DescribedTool, FileInspection, RecipePlan};
use super::file_in_root::FileInRoot;
use super::header;
use super::manifest;
use super::recipe::{
    ArgumentPassing, CommandRecipe, DEFAULT_TIMEOUT_MS, Flavour, Recipe, WorkingFolder,
};
use super::runtime::is_module;
use super::stamp::ScanStamp;
use super::static_description;
use super::tool_file;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use toolscout_core::{Diagnostic, DiagnosticKind, Digest};

/// The size limit of tool files and manifests. They are small; a larger one is a mistake or an
/// attack.
const DOCUMENT_LIMIT: u64 = 1 << 20;
/// The number of bytes of a script that are searched for tool markers.
const WINDOW: u64 = 256 << 10;
/// The largest program whose content is hashed.
const PROGRAM_LIMIT: u64 = 256 << 20;

/// How a file is inspected.
#[derive(Debug, Clone, Copy)]
pub(super) struct InspectionMode {
    pub(super) is_manifest: bool,
    pub(super) flavour: Flavour,
}

/// Inspects one file.
pub(super) fn inspect(
    file: &FileInRoot<'_>,
    stamp: &ScanStamp,
    mode: InspectionMode,
) -> FileInspection {
    let name = file.relative.rsplit('/').next().unwrap_or(file.relative);
    let result = match tool_file::format(name) {
        Some(format) => document(file, stamp, |bytes| tool_file::read(format, bytes, file)),
        None if mode.is_manifest => document(file, stamp, |bytes| manifest::read(bytes, file)),
        None => script(file, name, stamp, mode.flavour),
    };
    result.unwrap_or_else(|err| FileInspection {
        is_transient: err.kind() != io::ErrorKind::PermissionDenied,
        ..FileInspection::diagnostic(Diagnostic::warning(
            DiagnosticKind::Unavailable,
            format!("it cannot be read: {err}"),
        ))
    })
}

/// The beginning of a file as text, as far as it is searched for a description.
pub(super) fn text(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    open(path)?.take(WINDOW).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The digest of a file's whole content.
pub(super) fn content_digest(path: &Path) -> io::Result<Digest> {
    let file = open(path)?;
    let mut hasher = blake3::Hasher::new();
    let read = io::copy(&mut file.take(PROGRAM_LIMIT + 1), &mut hasher)?;
    if read > PROGRAM_LIMIT {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it is larger than {} MiB", PROGRAM_LIMIT >> 20),
        ));
    }
    Digest::from_hex(&hasher.finalize().to_hex()).ok_or_else(|| io::Error::other("no digest"))
}

fn document(
    file: &FileInRoot<'_>,
    stamp: &ScanStamp,
    read: impl FnOnce(&[u8]) -> FileInspection,
) -> io::Result<FileInspection> {
    let too_large = || {
        let reason = format!("it is larger than {} KiB, so it is not read", DOCUMENT_LIMIT >> 10);
        FileInspection::diagnostic(Diagnostic::warning(DiagnosticKind::Limit, reason))
    };
    if stamp.size() > DOCUMENT_LIMIT {
        return Ok(too_large());
    }
    let mut bytes = Vec::with_capacity(stamp.size() as usize + 1);
    open(&file.path())?.take(DOCUMENT_LIMIT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > DOCUMENT_LIMIT {
        return Ok(too_large());
    }
    Ok(FileInspection { content: Some(Digest::of_bytes(&bytes)), ..read(&bytes) })
}

fn script(
    file: &FileInRoot<'_>,
    name: &str,
    stamp: &ScanStamp,
    flavour: Flavour,
) -> io::Result<FileInspection> {
    let might_run = stamp.is_executable() || is_module(name);
    let Some(head) = head(&file.path(), stamp, might_run)? else {
        return Ok(FileInspection::default());
    };
    let mut inspection = inspect_text(file, name, stamp, flavour, &head);
    if !inspection.tools.is_empty() {
        let whole = stamp.size() <= WINDOW && head.len() as u64 == stamp.size();
        inspection.content =
            Some(if whole { Digest::of_bytes(&head) } else { content_digest(&file.path())? });
    }
    Ok(inspection)
}

/// The beginning of a file. If only an interpreter line could make the file a script, `None` unless
/// it starts with one.
fn head(path: &Path, stamp: &ScanStamp, might_run: bool) -> io::Result<Option<Vec<u8>>> {
    let mut file = open(path)?;
    let mut head = Vec::new();
    if !might_run {
        (&mut file).take(2).read_to_end(&mut head)?;
        if head != b"#!" {
            return Ok(None);
        }
    }
    head.reserve(stamp.size().min(WINDOW) as usize);
    let rest = WINDOW - head.len() as u64;
    file.take(rest).read_to_end(&mut head)?;
    Ok(Some(head))
}

/// Opens a regular file without blocking: a pipe that replaced the file since it was listed would
/// block forever.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let file = options.open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::other("it is no longer a regular file"))
    }
}

fn inspect_text(
    file: &FileInRoot<'_>,
    name: &str,
    stamp: &ScanStamp,
    flavour: Flavour,
    head: &[u8],
) -> FileInspection {
    let program = file.path();
    let executable = stamp.is_executable();
    let described = |plan, tool| FileInspection::tool(DescribedTool { plan, ..tool });
    let unprobed = |recipe, timeout_ms| {
        let name = static_description::stem(name).to_owned();
        let tool = DescribedTool { name, timeout_ms, ..DescribedTool::default() };
        described(RecipePlan::Unprobed(recipe), tool)
    };
    let wrap = || format!("toolscout wrap -- {}", shell_word(&program.to_string_lossy()));
    let no_tool =
        || FileInspection::ignored("no `# tool:` header", format!("{}, or add a header", wrap()));
    if head.contains(&0) {
        // A binary cannot be inspected; its name must mark it as a tool.
        let is_marked = executable && name.ends_with(".tool");
        return if is_marked { unprobed(Recipe::executable(program), None) } else { no_tool() };
    }
    let text = String::from_utf8_lossy(head);
    let has_schema_verb = text.contains("tool-schema");
    let header = match static_description::read(name, &text) {
        Ok(header) => header,
        Err(reason) => return FileInspection { has_schema_verb, ..FileInspection::broken(reason) },
    };
    let is_script = text.starts_with("#!");
    let is_module = is_module(name)
        && !(executable
            && is_script
            && header.as_ref().is_some_and(|header| header.input.is_some()));
    let looks_like_tool = is_script && (has_schema_verb || header.is_some());
    let inspection = if is_module || (executable && has_schema_verb) {
        let (mentions_tool, recipe) = if executable && has_schema_verb {
            (true, Recipe::executable(program.clone()))
        } else {
            (mentions_tool(name, &text), Recipe::module(program.clone(), flavour))
        };
        match header {
            Some(header) => described(RecipePlan::Static(recipe), header.tool),
            None if mentions_tool => unprobed(recipe, header::timeout_of(&text)),
            None if is_script || executable => no_tool(),
            None => FileInspection::ignored(
                "the module does not look like a tool",
                format!("describe its function in a comment, or if it is a program: {}", wrap()),
            ),
        }
    } else if executable {
        match header {
            None => no_tool(),
            Some(header) => {
                let recipe = Recipe::Command(CommandRecipe {
                    argv: vec![program.to_string_lossy().into_owned()],
                    folder: file.folder(),
                    cwd: WorkingFolder::File,
                    input: header.input.unwrap_or(ArgumentPassing::Stdin),
                    env: header.env,
                    timeout_ms: header.tool.timeout_ms.unwrap_or(DEFAULT_TIMEOUT_MS),
                });
                described(RecipePlan::Ready(recipe), header.tool)
            }
        }
    } else if looks_like_tool {
        let diagnostic = Diagnostic::warning(
            DiagnosticKind::Broken,
            "it looks like a tool, but is not executable",
        );
        FileInspection::diagnostic(diagnostic.with_hint(format!("chmod +x {}", program.display())))
    } else if is_script {
        FileInspection::ignored(
            "the script is not executable and has no `# tool:` header",
            format!("chmod +x {}, then {}", shell_word(&program.to_string_lossy()), wrap()),
        )
    } else {
        FileInspection::default()
    };
    FileInspection { has_schema_verb, ..inspection }
}

fn mentions_tool(name: &str, text: &str) -> bool {
    if name.ends_with(".py") {
        let has_function =
            || ["def execute(", "def run(", "def handler("].iter().any(|form| text.contains(form));
        let has_schema = || text.lines().any(is_schema_assignment);
        return text.contains("@tool")
            || text.contains("TOOLS")
            || (has_schema() && has_function());
    }
    let markers =
        ["inputSchema", "execute", "handler", "tool(", "export const schema", "exports.schema"];
    markers.iter().any(|marker| text.contains(marker))
}

/// Whether a line of Python assigns the module's input schema.
fn is_schema_assignment(line: &str) -> bool {
    ["schema", "SCHEMA", "input_schema", "INPUT_SCHEMA"].iter().any(|name| {
        line.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with(['=', ':']))
    })
}

/// A path as one word of a shell, for hints.
pub(super) fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:@%,=".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}
