//! Which files and servers may be started in this run: the trusted ones, or all.

use crate::{AppError, Environment, Options, Startup, Workspace};
use futures_util::StreamExt;
use std::collections::BTreeMap;
use std::path::Path;
use toolscout_config::{Config, ConfigScope, ConfiguredServer, EntryChange};
use toolscout_core::{Cx, Source, redact};
use toolscout_folder::trust::{
    FolderTrust, SeenFiles, TrustGrant, TrustedFolders, TrustedServer, files_below,
};
use toolscout_folder::{DefaultRoot, Probing};
use toolscout_mcp_client::{ConfigText, ServerConfig, ServerTransport, entry_fingerprint};

/// The folders that may run code.
pub struct Trust {
    /// The folders that an operator trusts.
    pub folders: TrustedFolders,
    /// Whether all folders are trusted in this run.
    all: bool,
}

impl Trust {
    /// The trust of a run.
    pub fn new(environment: &Environment, options: &Options) -> Self {
        let all = options.switch("trust") || environment.var("TOOLSCOUT_TRUST") == Some("1");
        Self { folders: TrustedFolders::new(environment.store()), all }
    }

    /// Whether this folder, or one of its parents, is trusted.
    pub fn covers(&self, folder: &Path) -> bool {
        self.all || self.folders.covers(folder)
    }

    /// The trust check of a folder source for each of its roots.
    pub fn checker(self) -> impl Fn(&Path) -> FolderTrust + Send + Sync + 'static {
        move |folder| if self.all { FolderTrust::All } else { self.folders.of(folder) }
    }

    /// Bars the project's servers whose entry is not the one that the operator has seen.
    pub(crate) fn bar_changed_servers(&self, config: &mut Config) {
        let is_checked = |server: &&mut ConfiguredServer| {
            server.scope == ConfigScope::Project && server.may_start
        };
        if self.all || !config.servers.iter_mut().any(|server| is_checked(&server)) {
            return;
        }
        let Some((folder, grant)) = self.folders.grant(config.project_folder()) else { return };
        if grant.is_author {
            return;
        }
        for configured in config.servers.iter_mut().filter(is_checked) {
            let now = trusted_server(&configured.server);
            let before = grant.servers.get(&server_key(&folder, configured));
            if before.is_some_and(|before| before.fingerprint == now.fingerprint) {
                continue;
            }
            configured.may_start = false;
            configured.server.trusted = false;
            let before = before.map(|before| before.command.clone());
            configured.change = Some(EntryChange { before, now: now.command });
        }
    }
}

/// What the user trusts by trusting this folder now: every file that its tools would start, and
/// every server that its configuration describes. Starts nothing.
pub async fn present_content(
    workspace: &Workspace,
    folder: &Path,
    cx: &Cx,
) -> Result<TrustGrant, AppError> {
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let mut grant = TrustGrant::default();
    let current = workspace.config();
    let project = DefaultRoot::find(&real).unwrap_or(&real);
    let mut configs = vec![current.clone()];
    if current.root.as_deref() != Some(project) {
        configs.push(
            crate::config::load_in(real.clone(), &workspace.options, &workspace.environment)?
                .into(),
        );
    }
    for config in configs {
        let seen = SeenFiles::default();
        let collected = seen.clone();
        let servers = config.servers.iter().filter(|server| server.scope == ConfigScope::Project);
        for configured in servers.filter(|configured| is_below(&real, &configured.file)) {
            let trusted = trusted_server(&configured.server);
            grant.servers.insert(server_key(&real, configured), trusted);
        }
        let startup = Startup {
            program: workspace.program.clone(),
            options: workspace.options.clone(),
            environment: workspace.environment.clone(),
            servers: workspace.servers(),
            config,
        };
        let source = startup
            .folder_source_builder(None, None)?
            .strict(false)
            .probing(Probing::Never)
            .trust(move |_: &Path| FolderTrust::Collect(collected.clone()))
            .build();
        source.discover(cx.clone()).for_each(|_| async {}).await;
        grant.files.extend(files_below(&real, &seen));
    }
    Ok(grant)
}

/// The entries of a grant that another one does not have in this form: their names, and the
/// command before and now.
pub(crate) fn changed_servers<'a>(
    before: &'a TrustGrant,
    now: &'a TrustGrant,
) -> impl Iterator<Item = (&'a str, Option<&'a TrustedServer>, &'a TrustedServer)> {
    let servers =
        now.servers.iter().map(|(name, server)| (name.as_str(), before.servers.get(name), server));
    servers.filter(|(_, before, now)| {
        before.is_none_or(|before| before.fingerprint != now.fingerprint)
    })
}

/// The command line or address of a server for people, with the names of its variables. Without
/// secrets: a value is shown only if it is a reference.
fn trusted_server(server: &ServerConfig) -> TrustedServer {
    let named = |label: &str, texts: &BTreeMap<String, ConfigText>| {
        let one = |(name, text): (&String, &ConfigText)| {
            if text.is_reference() { format!("{name}={}", text.written()) } else { name.clone() }
        };
        let all: Vec<_> = texts.iter().map(one).collect();
        if all.is_empty() { String::new() } else { format!(" ({label}: {})", all.join(", ")) }
    };
    let command = match &server.transport {
        ServerTransport::Stdio(program) => {
            let words = std::iter::once(&program.command).chain(&program.args);
            let words: Vec<_> = words.map(|word| redact::text(word.written())).collect();
            let cwd = program.cwd.as_ref().map(|cwd| format!(" (in {})", cwd.display()));
            words.join(" ") + &named("variables", &program.env) + &cwd.unwrap_or_default()
        }
        ServerTransport::Http(endpoint) => {
            endpoint.redacted_url() + &named("headers", &endpoint.headers)
        }
    };
    let fingerprint = format!(
        "{} {:?}",
        entry_fingerprint(server),
        (server.on_change, server.new_tools, server.delegate)
    );
    TrustedServer { fingerprint, command }
}

/// The key of a server in a grant: its file, relative to the trusted folder, and its id.
fn server_key(folder: &Path, configured: &ConfiguredServer) -> String {
    let file = configured.file.canonicalize().unwrap_or_else(|_| configured.file.clone());
    let shown = file.strip_prefix(folder).unwrap_or(&file).display();
    format!("{shown}: {}", configured.server.id)
}

fn is_below(folder: &Path, file: &Path) -> bool {
    file.canonicalize().is_ok_and(|file| file.starts_with(folder))
}
