//! The plan as text: a heading for each file, a line for each server.

use toolscout_config::import::{self, ImportAction, ImportPlan, PlannedFile, PlannedServer};
use toolscout_core::escape;

/// The whole plan.
pub(crate) fn page(plan: &ImportPlan) -> String {
    plan.files.iter().map(file).collect()
}

/// `1 server`, `2 servers`.
pub(crate) fn counted(count: usize) -> String {
    format!("{count} {}", if count == 1 { "server" } else { "servers" })
}

fn file(file: &PlannedFile) -> String {
    let mut text =
        format!("{}  {}\n", file.client.title, escape::line(&file.path.display().to_string()));
    if let Some(remark) = &file.remark {
        text += &format!("    {}\n", escape::text(remark).replace('\n', "\n    "));
    }
    text + &file.servers.iter().map(server).collect::<String>()
}

fn server(server: &PlannedServer) -> String {
    let name = escape::line(&server.name);
    let mut text = match &server.fate {
        ImportAction::Add { id, treated } => {
            let renamed =
                if *id.as_str() == *server.name { String::new() } else { format!("{name} -> ") };
            let (transport, runs) =
                (import::transport(&treated.shown), import::runs(&treated.shown));
            let settings = import::settings(&treated.shown)
                .into_iter()
                .map(|it| indented(&it))
                .collect::<String>();
            format!("  + {renamed}{id}  {transport}  {}\n{settings}", escape::line(&runs))
        }
        ImportAction::Same { id } if *id == server.name => {
            format!("  = {name}  is there already\n")
        }
        ImportAction::Same { id } => {
            format!("  = {name}  is there already, as {}\n", escape::line(id))
        }
        ImportAction::Skip { reason, .. } => {
            format!("  - {name}  skipped: {}\n", escape::line(reason))
        }
    };
    if let ImportAction::Skip { hint: Some(hint), .. } = &server.fate {
        text += &indented(&format!("hint: {hint}"));
    }
    text + &server.notes.iter().map(|it| indented(&format!("note: {it}"))).collect::<String>()
}

fn indented(line: &str) -> String {
    format!("      {}\n", escape::line(line))
}
