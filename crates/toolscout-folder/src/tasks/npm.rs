//! Scripts of a package.json.

use super::{BrokenTask, Task, text_list};
use crate::document::{self, ToolFileFormat};
use serde_json::{Map, Value};

pub(super) fn read(text: &str) -> Result<Vec<Result<Task, BrokenTask>>, String> {
    let package = document::parse(ToolFileFormat::Json, text.as_bytes())?.unwrap_or_default();
    let Some(scripts) = package.get("scripts").and_then(Value::as_object) else {
        return Ok(Vec::new());
    };
    let scripts: Vec<(&String, &str)> =
        scripts.iter().filter_map(|(name, text)| Some((name, text.as_str()?))).collect();
    let names: Map<String, Value> =
        scripts.iter().map(|(name, _)| ((*name).clone(), Value::Null)).collect();
    // npm runs `prebuild` and `postbuild` together with `build`.
    let is_hook = |name: &str| {
        let base = name.strip_prefix("pre").or_else(|| name.strip_prefix("post"));
        base.is_some_and(|base| names.contains_key(base))
    };
    let own = scripts.into_iter().filter(|(name, _)| !is_hook(name));
    let described = |(name, command): (&String, &str)| {
        task(name, command).map_err(|reason| BrokenTask { name: name.clone(), reason })
    };
    Ok(own.map(described).collect())
}

fn task(name: &str, command: &str) -> Result<Task, String> {
    let run = ["npm", "run", "--silent", name, "--"];
    Ok(Task {
        name: name.to_owned(),
        description: Some(format!("Run the script `{name}`: {command}")),
        parameters: vec![text_list("args", "More arguments of the script", false)?],
        command: run.map(str::to_owned).to_vec(),
        args: vec!["{args}".to_owned()],
        ..Task::default()
    })
}
