//! Converts an entry to a server, or reports why it is invalid.

use super::ServerEntry;
use std::path::{Path, PathBuf};
use std::time::Duration;
use toolscout_core::{SourceId, Visibility};
use toolscout_mcp_client::per_user::check_request_headers;
use toolscout_mcp_client::sandbox::{NetworkAccess, SandboxLevel, SandboxSettings};
use toolscout_mcp_client::{
    ConfigText, HttpEndpoint, NewTools, OAuthGrant, OnChange, Placement, Program, ProtocolChoice,
    ReferenceLookup, ServerConfig, ServerTransport, ToolFilter,
};

/// The context that an entry depends on.
#[derive(Debug, Clone)]
pub struct EntryContext {
    /// The file that contains it.
    pub file: PathBuf,
    /// The project root; the value of `${workspaceFolder}`.
    pub root: Option<PathBuf>,
    /// The base folder of `cwd`.
    pub base: PathBuf,
    /// Whether the user trusts the content of the file.
    pub trusted: bool,
    /// Resolves the variables in `cwd`.
    pub lookup: ReferenceLookup,
}

impl ServerEntry {
    /// The server, without its policies; the error is a reason for the user.
    pub fn to_server_config(
        &self,
        id: SourceId,
        context: &EntryContext,
    ) -> Result<ServerConfig, String> {
        let transport = match (self.kind()?, &self.command, &self.url) {
            (_, Some(_), Some(_)) => {
                return Err("it has both `command` and `url`; keep one of them".to_owned());
            }
            (None | Some(EntryTransport::Stdio), Some(command), None) => {
                self.program(command, context)?
            }
            (None | Some(EntryTransport::Http), None, Some(url)) => {
                self.endpoint(url, false, context)?
            }
            (Some(EntryTransport::Sse), None, Some(url)) => self.endpoint(url, true, context)?,
            (Some(EntryTransport::Stdio), None, _) => return Err("it has no `command`".to_owned()),
            (Some(_), _, None) => return Err("it has no `url`".to_owned()),
            (None, None, None) => return Err("it has neither `command` nor `url`".to_owned()),
        };
        let milliseconds = |number: Option<u64>| number.map(Duration::from_millis);
        let filter = self.filter.clone().unwrap_or_default();
        let server = ServerConfig::new(id, transport);
        check_request_headers(&server)?;
        Ok(ServerConfig {
            enabled: self.enabled.unwrap_or(true),
            visibility: parse_word("visibility", &self.visibility, &VISIBILITIES)?,
            filter: ToolFilter { include: filter.include, exclude: filter.exclude },
            trusted: context.trusted && self.trust != Some(false),
            on_change: parse_word("on_change", &self.on_change, &ON_CHANGE)?,
            new_tools: self
                .new_tools
                .as_ref()
                .map(|_| parse_word("new_tools", &self.new_tools, &NEW_TOOLS))
                .transpose()?,
            drop_on_failure: self.drop_on_failure.unwrap_or_default(),
            delegate: self.delegate,
            protocol: self.protocol()?,
            discovery_timeout: milliseconds(self.discovery_timeout_ms),
            call_timeout: milliseconds(self.call_timeout_ms),
            idle_timeout: milliseconds(self.idle_timeout_ms),
            placement: self.placement()?,
            needs: self.needs.clone(),
            sandbox: self.sandbox(context)?,
            configured_in: Some(context.file.clone()),
            ..server
        })
    }

    /// Whether the entry only disables a server that another file describes.
    pub fn only_disables(&self) -> bool {
        self.enabled == Some(false) && self.command.is_none() && self.url.is_none()
    }

    fn kind(&self) -> Result<Option<EntryTransport>, String> {
        let Some(word) = &self.kind else { return Ok(None) };
        match word.to_ascii_lowercase().replace(['-', '_'], "").as_str() {
            "stdio" | "local" => Ok(Some(EntryTransport::Stdio)),
            "http" | "streamablehttp" => Ok(Some(EntryTransport::Http)),
            "sse" => Ok(Some(EntryTransport::Sse)),
            "ws" | "websocket" => {
                Err(format!("its type `{word}` is not supported; use http, sse or stdio"))
            }
            _ => Err(format!("its type `{word}` is unknown; use http, sse or stdio")),
        }
    }

    fn protocol(&self) -> Result<ProtocolChoice, String> {
        let Some(word) = &self.protocol else { return Ok(ProtocolChoice::default()) };
        let words = || ProtocolChoice::words().collect::<Vec<_>>().join(", ");
        ProtocolChoice::parse(word)
            .ok_or_else(|| format!("its `protocol` is `{word}`; use one of {}", words()))
    }

    fn placement(&self) -> Result<Placement, String> {
        let placement = parse_word("placement", &self.placement, &PLACEMENTS)?;
        if placement == Placement::One && self.command.is_none() {
            return Err("its `placement` is `one`, which needs a `command`".to_owned());
        }
        if placement == Placement::Each && !self.needs.is_empty() {
            return Err("its `needs` require `placement = \"one\"`".to_owned());
        }
        Ok(placement)
    }

    fn sandbox(&self, context: &EntryContext) -> Result<SandboxSettings, String> {
        let paths = |key: &str, written: &[String]| {
            written.iter().map(|path| context.resolve_path(key, path)).collect::<Result<_, _>>()
        };
        Ok(SandboxSettings {
            level: self.sandbox.as_deref().map(parse_level).transpose()?,
            allow_read: paths("allow_read", &self.allow_read)?,
            allow_write: paths("allow_write", &self.allow_write)?,
            network: self.network.as_deref().map(parse_network).transpose()?,
        })
    }

    fn program(&self, command: &str, context: &EntryContext) -> Result<ServerTransport, String> {
        if command.trim().is_empty() {
            return Err("its `command` is empty".to_owned());
        }
        Ok(ServerTransport::Stdio(Program {
            command: context.text(command),
            args: self.args.iter().map(|arg| context.text(arg)).collect(),
            env: self.env.iter().map(|(name, value)| (name.clone(), context.text(value))).collect(),
            cwd: self.cwd.as_deref().map(|cwd| context.resolve_path("cwd", cwd)).transpose()?,
        }))
    }

    fn endpoint(
        &self,
        url: &str,
        sse: bool,
        context: &EntryContext,
    ) -> Result<ServerTransport, String> {
        let url = context.text(url);
        let is_web = ["http://", "https://"].iter().any(|scheme| url.written().starts_with(scheme));
        if !is_web && !url.is_reference() {
            return Err("its `url` must start with `http://` or `https://`".to_owned());
        }
        let grant = parse_word("grant", &self.grant, &GRANTS)?;
        let has_client = self.client_id.is_some() && self.client_secret.is_some();
        if grant == OAuthGrant::ClientCredentials && !has_client {
            return Err(
                "its `grant` is `client_credentials`, which needs `client_id` and `client_secret`"
                    .to_owned(),
            );
        }
        Ok(ServerTransport::Http(HttpEndpoint {
            url,
            grant,
            headers: self
                .headers
                .iter()
                .map(|(name, value)| (name.clone(), context.text(value)))
                .collect(),
            bearer: self.bearer.as_deref().map(|bearer| context.text(bearer)),
            client_id: self.client_id.as_deref().map(|client_id| context.text(client_id)),
            client_secret: self
                .client_secret
                .as_deref()
                .map(|client_secret| context.text(client_secret)),
            scopes: self.scopes.clone(),
            sse,
        }))
    }
}

/// The transport of an entry.
#[derive(Clone, Copy)]
enum EntryTransport {
    Stdio,
    Http,
    Sse,
}

/// The last two are the words of paularlott/mcp.
const VISIBILITIES: [(&str, Visibility); 4] = [
    ("searchable", Visibility::Searchable),
    ("listed", Visibility::Listed),
    ("discoverable", Visibility::Searchable),
    ("native", Visibility::Listed),
];
const GRANTS: [(&str, OAuthGrant); 2] = [
    ("authorization_code", OAuthGrant::AuthorizationCode),
    ("client_credentials", OAuthGrant::ClientCredentials),
];
const PLACEMENTS: [(&str, Placement); 2] = [("each", Placement::Each), ("one", Placement::One)];
const NEW_TOOLS: [(&str, NewTools); 2] = [("review", NewTools::Review), ("allow", NewTools::Allow)];
const ON_CHANGE: [(&str, OnChange); 2] =
    [("quarantine", OnChange::Quarantine), ("accept", OnChange::Accept)];

fn parse_word<T: Copy + Default>(
    key: &str,
    written: &Option<String>,
    words: &[(&str, T)],
) -> Result<T, String> {
    let Some(written) = written else { return Ok(T::default()) };
    let found = words.iter().find(|(word, _)| word == written);
    found
        .map(|(_, value)| *value)
        .ok_or_else(|| format!("its `{key}` is `{written}`; use {} or {}", words[0].0, words[1].0))
}

fn parse_level(word: &str) -> Result<SandboxLevel, String> {
    SandboxLevel::parse(word)
        .ok_or_else(|| format!("its `sandbox` is `{word}`; use default, strict or off"))
}

fn parse_network(words: &str) -> Result<NetworkAccess, String> {
    NetworkAccess::parse(words).ok_or_else(|| {
        format!("its `network` is `{words}`; use none, web, all, or ports such as 443,5432")
    })
}

impl EntryContext {
    fn text(&self, written: &str) -> ConfigText {
        ConfigText::new(self.expand_root(written), self.file.parent())
    }

    /// Expands `${workspaceFolder}`, which editors write for the project root.
    fn expand_root(&self, written: &str) -> String {
        match &self.root {
            // The root is escaped: nothing in it is a reference.
            Some(root) => {
                written.replace("${workspaceFolder}", &root.to_string_lossy().replace("${", "$${"))
            }
            None => written.to_owned(),
        }
    }

    fn resolve_path(&self, key: &str, written: &str) -> Result<PathBuf, String> {
        let written = self
            .text(written)
            .resolve(&self.lookup)
            .map_err(|error| format!("its `{key}`: {error}"))?;
        let home = || self.lookup.variable("HOME").map(PathBuf::from);
        let path = match (written.as_str(), written.strip_prefix("~/")) {
            ("~", _) => home(),
            (_, Some(rest)) => home().map(|home| home.join(rest)),
            _ => None,
        };
        Ok(self.base.join(path.unwrap_or_else(|| Path::new(&written).to_owned())))
    }
}
