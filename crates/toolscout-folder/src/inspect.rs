//! Looks at one file: is it a tool, and what does it say about itself? Opens files, starts nothing.

use super::described::{DescribedTool, FileDiagnostic, FileReading, RecipePlan};
use super::header::{self, ToolHeader};
use super::manifest;
use super::place::FileInRoot;
use super::recipe::{ArgumentPassing, CommandRecipe, DEFAULT_TIMEOUT_MS, Flavour, Recipe};
use super::stamp::ScanStamp;
use super::tool_file;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use toolscout_core::Digest;

/// Tool files and manifests are small; more than this is a mistake or an attack.
const DOCUMENT_LIMIT: u64 = 1 << 20;
/// How much of a script is searched for signs of a tool.
const WINDOW: u64 = 256 << 10;
/// The largest program whose content is followed.
const PROGRAM_LIMIT: u64 = 256 << 20;

/// What a look at a file gave.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct FileInspection {
    /// The digest of the whole content, where the file holds or describes tools.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "hex")]
    pub(super) content: Option<Digest>,
    /// Its text knows the word `tool-schema`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) speaks: bool,
    #[serde(default)]
    pub(super) reading: FileReading,
    /// Reading failed in a way that says nothing about the file; the look is not worth remembering.
    #[serde(skip)]
    pub(super) is_passing: bool,
}

impl FileInspection {
    fn remark(remark: FileDiagnostic) -> Self {
        Self { reading: FileReading::remark(remark), ..Self::default() }
    }
}

/// How a file is looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct InspectionMode {
    pub(super) is_manifest: bool,
    pub(super) flavour: Flavour,
}

/// Looks at one file.
pub(super) fn look(place: &FileInRoot<'_>, stamp: &ScanStamp, manner: InspectionMode) -> FileInspection {
    let name = place.relative.rsplit('/').next().unwrap_or(place.relative);
    let looked = match tool_file::format(name) {
        Some(format) => document(place, stamp, |bytes| tool_file::read(format, bytes, place)),
        None if manner.is_manifest => document(place, stamp, |bytes| manifest::read(bytes, place)),
        None => script(place, name, stamp, manner.flavour),
    };
    looked.unwrap_or_else(|err| FileInspection {
        is_passing: err.kind() != io::ErrorKind::PermissionDenied,
        ..FileInspection::remark(FileDiagnostic::unavailable(format!("cannot be read: {err}")))
    })
}

/// Whether a file of this name could be a module.
pub(super) fn is_module(name: &str) -> bool {
    let extension = name.rsplit_once('.').map(|(_, it)| it);
    // Type declarations hold no code.
    matches!(extension, Some("js" | "mjs" | "cjs" | "ts" | "py")) && !name.ends_with(".d.ts")
}

/// The digest of a file's whole content.
pub(super) fn content_digest(path: &Path) -> io::Result<Digest> {
    let file = open(path)?;
    let mut hasher = blake3::Hasher::new();
    let read = io::copy(&mut file.take(PROGRAM_LIMIT + 1), &mut hasher)?;
    if read > PROGRAM_LIMIT {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("has more than {} MiB", PROGRAM_LIMIT >> 20)));
    }
    Digest::from_hex(&hasher.finalize().to_hex()).ok_or_else(|| io::Error::other("no digest"))
}

fn document(
    place: &FileInRoot<'_>,
    stamp: &ScanStamp,
    read: impl FnOnce(&[u8]) -> FileReading,
) -> io::Result<FileInspection> {
    let too_large = || {
        FileInspection::remark(FileDiagnostic::limit(format!(
            "has more than {} KiB, so it is not read",
            DOCUMENT_LIMIT >> 10
        )))
    };
    if stamp.size() > DOCUMENT_LIMIT {
        return Ok(too_large());
    }
    let mut bytes = Vec::with_capacity(stamp.size() as usize + 1);
    open(&place.path())?.take(DOCUMENT_LIMIT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > DOCUMENT_LIMIT {
        return Ok(too_large());
    }
    Ok(FileInspection { content: Some(Digest::of_bytes(&bytes)), reading: read(&bytes), ..FileInspection::default() })
}

fn script(place: &FileInRoot<'_>, name: &str, stamp: &ScanStamp, flavour: Flavour) -> io::Result<FileInspection> {
    let might_run = stamp.is_executable() || is_module(name);
    let Some(head) = head(&place.path(), stamp, might_run)? else { return Ok(FileInspection::default()) };
    let mut look = judge(place, name, stamp, flavour, &head);
    if !look.reading.tools.is_empty() {
        let whole = stamp.size() <= WINDOW && head.len() as u64 == stamp.size();
        look.content = Some(if whole { Digest::of_bytes(&head) } else { content_digest(&place.path())? });
    }
    Ok(look)
}

/// The beginning of a file. Of one that nothing but an interpreter line could make a script, only if it has that.
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

/// Never waits: a pipe that took the file's place since it was seen would otherwise hold us for ever.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let file = options.open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is no regular file any more")) }
}

fn judge(place: &FileInRoot<'_>, name: &str, stamp: &ScanStamp, flavour: Flavour, head: &[u8]) -> FileInspection {
    let program = place.path();
    let executable = stamp.is_executable();
    let unasked = |recipe| FileInspection {
        reading: one(DescribedTool::new(stem(name), RecipePlan::Unasked(recipe))),
        ..FileInspection::default()
    };
    if head.contains(&0) {
        // Nobody can read a binary's mind; its name has to say that it is one of ours.
        return match executable && name.ends_with(".tool") {
            true => unasked(Recipe::Executable { program }),
            false => FileInspection::remark(FileDiagnostic::quiet("is a program that does not show it is a tool")),
        };
    }
    let text = String::from_utf8_lossy(head);
    let speaks = text.contains("tool-schema");
    let header = match header::read(&text).transpose() {
        Ok(header) => header,
        Err(reason) => return FileInspection { speaks, ..FileInspection::remark(FileDiagnostic::broken(reason)) },
    };
    let is_script = text.starts_with("#!");
    let is_module =
        is_module(name) && !(executable && is_script && header.as_ref().is_some_and(|it| it.input.is_some()));
    let look = if executable && speaks {
        match header {
            Some(header) => known(header, Recipe::Executable { program }),
            None => unasked(Recipe::Executable { program }),
        }
    } else if is_module {
        match header {
            Some(header) => known(header, Recipe::Module { file: program, flavour }),
            None if shows_a_tool(name, &text) => unasked(Recipe::Module { file: program, flavour }),
            None => FileInspection::remark(FileDiagnostic::quiet("is a module that shows no tool")),
        }
    } else {
        plain(place, header, executable, is_script && speaks, is_script)
    };
    FileInspection { speaks, ..look }
}

/// A file that is neither a module nor one that answers `tool-schema`.
fn plain(
    place: &FileInRoot<'_>,
    header: Option<ToolHeader>,
    executable: bool,
    speaks: bool,
    is_script: bool,
) -> FileInspection {
    match header {
        Some(header) if executable => {
            FileInspection { reading: one(plain_script(place, header)), ..FileInspection::default() }
        }
        None if executable => {
            FileInspection::remark(FileDiagnostic::quiet("is a program that does not show it is a tool"))
        }
        header if speaks || (header.is_some() && is_script) => {
            let hint = format!("chmod +x {}", place.path().display());
            FileInspection::remark(FileDiagnostic::broken("looks like a tool, but is not executable").hint(hint))
        }
        _ => FileInspection::default(),
    }
}

fn known(header: ToolHeader, recipe: Recipe) -> FileInspection {
    FileInspection { reading: one(header.describe(RecipePlan::Static(recipe))), ..FileInspection::default() }
}

fn plain_script(place: &FileInRoot<'_>, mut header: ToolHeader) -> DescribedTool {
    let recipe = Recipe::Command(CommandRecipe {
        argv: vec![place.path().to_string_lossy().into_owned()],
        cwd: place.folder(),
        input: header.input.take().unwrap_or(ArgumentPassing::Stdin),
        env: std::mem::take(&mut header.env),
        timeout_ms: header.timeout_ms.unwrap_or(DEFAULT_TIMEOUT_MS),
    });
    header.describe(RecipePlan::Ready(recipe))
}

fn one(tool: DescribedTool) -> FileReading {
    FileReading { tools: vec![tool], ..FileReading::default() }
}

fn shows_a_tool(name: &str, text: &str) -> bool {
    let signs: &[&str] =
        if name.ends_with(".py") { &["@tool", "TOOLS"] } else { &["inputSchema", "execute", "handler", "tool("] };
    signs.iter().any(|it| text.contains(it))
}

fn stem(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// Digests as text in the scan record.
mod hex {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
    use std::borrow::Cow;
    use toolscout_core::Digest;

    pub(super) fn serialize<S: Serializer>(digest: &Option<Digest>, serializer: S) -> Result<S::Ok, S::Error> {
        digest.map(|it| it.to_string()).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Digest>, D::Error> {
        let text = Option::<Cow<'de, str>>::deserialize(deserializer)?;
        text.map(|it| Digest::from_hex(&it).ok_or_else(|| D::Error::custom("not a digest"))).transpose()
    }
}
