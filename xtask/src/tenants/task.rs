//! The tasks of a tenant, and their expected results.

use super::house;
use serde_json::{Value, json};

/// The kind of a tenant's request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TenantTask {
    List,
    Search,
    Run,
    SearchVault,
    OpenVault,
    Large,
    ReadOn,
    /// A tool of another tenant.
    ForeignTool,
    /// The rest of a result whose beginning another tenant received.
    ForeignResult,
    /// The session of another tenant.
    ForeignSession,
    /// The server, without a token.
    WithoutToken,
}

impl TenantTask {
    pub(super) const ALL: [Self; 11] = [
        Self::List,
        Self::Search,
        Self::Run,
        Self::SearchVault,
        Self::OpenVault,
        Self::Large,
        Self::ReadOn,
        Self::ForeignTool,
        Self::ForeignResult,
        Self::ForeignSession,
        Self::WithoutToken,
    ];

    /// The task of this turn. Of a hundred, most are what agents usually do; large results are
    /// rare because of their size.
    pub(super) fn of_turn(turn: usize) -> Self {
        match (turn % 100, turn / 100 % 4) {
            (0, 0) => Self::Large,
            (0, 2) => Self::WithoutToken,
            (0, _) => Self::List,
            (1..=3, _) => Self::ReadOn,
            (4..=8, _) => Self::ForeignTool,
            (9..=13, _) => Self::ForeignResult,
            (14..=18, _) => Self::ForeignSession,
            (19..=33, _) => Self::List,
            (34..=53, _) => Self::Search,
            (54..=68, _) => Self::SearchVault,
            (69..=88, _) => Self::OpenVault,
            _ => Self::Run,
        }
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::List => "list tools",
            Self::Search => "search own tools",
            Self::Run => "run own tool",
            Self::SearchVault => "search the server's tools",
            Self::OpenVault => "call the server",
            Self::Large => "get large result",
            Self::ReadOn => "read the rest of it",
            Self::ForeignTool => "run another tenant's tool",
            Self::ForeignResult => "read the rest of another tenant's result",
            Self::ForeignSession => "use another tenant's session",
            Self::WithoutToken => "call the server without a token",
        }
    }

    /// Whether the tenant must receive their own data; otherwise they must receive no data of any
    /// tenant.
    pub(super) fn is_own(self) -> bool {
        !matches!(
            self,
            Self::ForeignTool | Self::ForeignResult | Self::ForeignSession | Self::WithoutToken
        )
    }

    /// The request: a method, and its parameters. `other` is the attacked tenant, `handle` that of
    /// a result.
    pub(super) fn request(self, other: usize, handle: &str) -> (&'static str, Value) {
        let call = |name: &str, arguments: Value| {
            ("tools/call", json!({"name": name, "arguments": arguments}))
        };
        let execute = |name: &str| call("execute_tool", json!({"name": name, "arguments": {}}));
        match self {
            Self::List | Self::ForeignSession => ("tools/list", json!({})),
            Self::Search => call("tool_search", json!({"query": "ledger"})),
            Self::Run => execute("ledger"),
            Self::SearchVault => call("tool_search", json!({"query": "open vault"})),
            Self::OpenVault | Self::WithoutToken => execute("vault/open_vault"),
            Self::Large => execute("archive"),
            Self::ForeignTool => execute(&house::only(other)),
            Self::ReadOn | Self::ForeignResult => {
                let wish = json!({"result": handle, "offset": 100_000});
                call("execute_tool", json!({"name": "toolscout__read_result", "arguments": wish}))
            }
        }
    }
}
