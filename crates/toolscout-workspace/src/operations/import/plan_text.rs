//! The plan as text: a heading for each file, a line for each server.

use toolscout_config::import::{self, ImportAction, ImportPlan, PlannedFile, PlannedServer};
use toolscout_core::escape;

/// The whole plan.
pub(crate) fn plan_text(plan: &ImportPlan) -> String {
    plan.files.iter().map(file_text).collect()
}

fn file_text(file: &PlannedFile) -> String {
    let mut text =
        format!("{}  {}\n", file.client.title, escape::line(&file.path.display().to_string()));
    if let Some(reason) = &file.skip_reason {
        text += &format!("    {}\n", escape::text(reason).replace('\n', "\n    "));
    }
    text + &file.servers.iter().map(server_text).collect::<String>()
}

fn server_text(server: &PlannedServer) -> String {
    let name = escape::line(&server.name);
    let mut text = match &server.action {
        ImportAction::Add { id, prepared } => {
            let renamed =
                if *id.as_str() == *server.name { String::new() } else { format!("{name} -> ") };
            let (transport, command_line) =
                (import::transport(&prepared.preview), import::command_line(&prepared.preview));
            let settings = import::settings(&prepared.preview)
                .into_iter()
                .map(|setting| indented(&setting))
                .collect::<String>();
            format!("  + {renamed}{id}  {transport}  {}\n{settings}", escape::line(&command_line))
        }
        ImportAction::Same { id } if *id == server.name => {
            format!("  = {name}  already configured\n")
        }
        ImportAction::Same { id } => {
            format!("  = {name}  already configured as {}\n", escape::line(id))
        }
        ImportAction::Skip { reason, .. } => {
            format!("  - {name}  skipped: {}\n", escape::line(reason))
        }
    };
    if let ImportAction::Skip { hint: Some(hint), .. } = &server.action {
        text += &indented(&format!("hint: {hint}"));
    }
    text + &server.notes.iter().map(|note| indented(&format!("note: {note}"))).collect::<String>()
}

fn indented(line: &str) -> String {
    format!("      {}\n", escape::line(line))
}
