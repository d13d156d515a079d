//! Generates projects full of tools, deterministic and of the requested size.

use std::fs;
use std::io;
use std::path::Path;

/// A tool that does nothing, as fast as a script can.
pub(super) const ECHO: &str = "echo-tool";

/// The number of tools per folder.
const PER_FOLDER: usize = 50;

/// The name of the tool with this number; numbers start at 0.
pub(super) fn name(number: usize) -> String {
    format!("tool-{number:05}")
}

/// A project with this many tool files and, additionally, [`ECHO`]. Of ten files eight are TOML,
/// one is JSON, and one is a script with a header.
pub(super) fn plant(project: &Path, size: usize) -> io::Result<()> {
    let tools = project.join("tools");
    fs::create_dir_all(&tools)?;
    fs::write(project.join("toolscout.toml"), "roots = [\"default\"]\n")?;
    script(&tools.join(ECHO), ECHO_SCRIPT)?;
    for number in 0..size {
        let folder = tools.join(format!("group-{:03}", number / PER_FOLDER));
        if number % PER_FOLDER == 0 {
            fs::create_dir_all(&folder)?;
        }
        let name = name(number);
        match number % 10 {
            8 => fs::write(folder.join(format!("{name}.tool.json")), json(&name))?,
            9 => script(&folder.join(format!("{name}.sh")), &header(&name))?,
            _ => fs::write(folder.join(format!("{name}.tool.toml")), toml(&name))?,
        }
    }
    Ok(())
}

const ECHO_SCRIPT: &str = r#"#!/bin/sh
case "$1" in
    tool-schema) echo '{"name": "echo-tool", "description": "Do nothing", "inputSchema": {"type": "object"}}' ;;
    tool-invoke) read -r request; echo done ;;
esac
"#;

fn toml(name: &str) -> String {
    format!(
        r#"name = "{name}"
description = "Fetch the records of {name} and write them in the requested form"
keywords = ["records", "fetch", "{name}"]

[[parameters]]
name = "url"
type = "string"
description = "Where the records are"
required = true

[[parameters]]
name = "format"
type = "string"
description = "How to write them"
enum = ["json", "csv", "table"]
default = "json"

[[parameters]]
name = "limit"
type = "integer"
description = "At most so many"
default = 100

[run]
command = ["true"]
timeout_ms = 5000
"#
    )
}

fn json(name: &str) -> String {
    format!(
        r#"{{
  "name": "{name}",
  "description": "Compare two versions of {name} and say what has changed",
  "keywords": ["compare", "versions", "{name}"],
  "input_schema": {{
    "type": "object",
    "properties": {{
      "before": {{"type": "string", "description": "The older version"}},
      "after": {{"type": "string", "description": "The newer version"}},
      "context": {{"type": "integer", "description": "Lines around each change", "default": 3}}
    }},
    "required": ["before", "after"]
  }},
  "run": {{"command": ["true"]}}
}}
"#
    )
}

fn header(name: &str) -> String {
    format!(
        "#!/bin/sh
# tool: {name}
# description: Clean the working files of {name} up
# keywords: clean, files
# param folder string required - Which folder
# param older integer default=7 - Only files older than so many days
# input: env
true
"
    )
}

fn script(path: &Path, text: &str) -> io::Result<()> {
    fs::write(path, text)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}
