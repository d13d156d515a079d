//! Access tokens for HTTP: the two built-in ones in files, and the named ones in the sealed store.
//!
//! Values are generated here and returned once. Only hashes are stored, except for the built-in
//! tokens, whose files are readable for their owner only. A running process follows both, so that
//! a revoked token is refused from the next request on.

pub mod file;
pub(crate) mod record;

pub use record::TokenRecord;

use crate::{AppError, Environment};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use toolscout_core::cx::Role;
use toolscout_core::{Moment, Namespace, Store};
use toolscout_surface::http::auth::{Token, TokenSet};

/// The file of the agents' token, in the state folder.
pub const AGENT_TOKEN: &str = "agent.token";
/// The file of the operators' token.
pub const OPERATOR_TOKEN: &str = "operator.token";

/// The built-in tokens: name, file and role.
pub(crate) const BUILT_IN: [(&str, &str, Role); 2] =
    [("agent", AGENT_TOKEN, Role::Agent), ("operator", OPERATOR_TOKEN, Role::Operator)];

/// How often the last use of a token is written.
const USE_INTERVAL: Duration = Duration::from_secs(60);

/// The tokens of a serving process.
pub struct AccessTokens {
    environment: Arc<Environment>,
    cached: Mutex<Option<(Stamp, Arc<[Token]>)>>,
    /// When the last use of each token was written.
    written: Mutex<HashMap<String, Moment>>,
}

/// Changes whenever a token may have changed.
#[derive(PartialEq)]
struct Stamp {
    files: [Option<(u64, u64, i64, i64)>; 2],
    store: Option<u64>,
}

impl AccessTokens {
    pub fn new(environment: Arc<Environment>) -> Self {
        Self { environment, cached: Mutex::default(), written: Mutex::default() }
    }

    fn stamp(&self) -> Stamp {
        let folder = self.environment.state_dir().unwrap_or_default();
        let file = |file: &str| {
            let metadata = fs::symlink_metadata(folder.join(file)).ok()?;
            Some((metadata.ino(), metadata.len(), metadata.mtime(), metadata.mtime_nsec()))
        };
        let store = self.environment.store().revision(Namespace::AccessToken);
        Stamp { files: BUILT_IN.map(|(_, name, _)| file(name)), store }
    }

    /// Reads all tokens, and returns whether all could be read. One that cannot be read is not
    /// valid.
    fn read(&self) -> (Arc<[Token]>, bool) {
        let folder = self.environment.state_dir().unwrap_or_default();
        let mut is_complete = true;
        let mut failed = |name: &str, error: &dyn std::fmt::Display| {
            warn(name, error);
            is_complete = false;
        };
        let mut tokens = Vec::new();
        for (name, file, role) in BUILT_IN {
            match file::read(&folder.join(file)) {
                Ok(secret) => {
                    tokens.extend(secret.and_then(|secret| Token::new(name, &secret, role).ok()));
                }
                Err(error) => failed(name, &error),
            }
        }
        match record::all(&*self.environment.store()) {
            Ok(records) => tokens.extend(records.iter().map(|(name, record)| record.token(name))),
            Err(error) => failed("all named tokens", &error),
        }
        (tokens.into(), is_complete)
    }
}

impl TokenSet for AccessTokens {
    fn current(&self) -> Arc<[Token]> {
        let stamp = self.stamp();
        let mut cached = self.cached.lock();
        match &*cached {
            // A store without revisions is read every time.
            Some((earlier, tokens)) if *earlier == stamp && stamp.store.is_some() => tokens.clone(),
            _ => {
                let (tokens, is_complete) = self.read();
                // A failed read changes no stamp when it would succeed again.
                *cached = is_complete.then(|| (stamp, tokens.clone()));
                tokens
            }
        }
    }

    fn used(&self, name: &str) {
        let now = Moment::now();
        let is_due = {
            let mut written = self.written.lock();
            let is_due = written.get(name).is_none_or(|at| at.age(now) >= USE_INTERVAL);
            if is_due {
                written.insert(name.to_owned(), now);
            }
            is_due
        };
        if is_due {
            let at = now.0.to_string();
            // The time of the last use is information, and not worth an error.
            let store = self.environment.store();
            let _ = store.write(Namespace::TokenUse, name, at.as_bytes());
        }
    }
}

/// When the token was last used, to the minute.
pub(crate) fn last_used(store: &dyn Store, name: &str) -> Option<Moment> {
    let bytes = store.read(Namespace::TokenUse, name).ok()??;
    std::str::from_utf8(&bytes).ok()?.parse().ok().map(Moment)
}

/// The path of a file in the state folder.
pub(crate) fn state_file(environment: &Environment, file: &str) -> Result<PathBuf, AppError> {
    let folder = environment.state_dir().ok_or_else(|| {
        AppError::invalid("no state directory", "set HOME or TOOLSCOUT_STATE_DIR")
    })?;
    Ok(folder.join(file))
}

fn warn(name: &str, error: &dyn std::fmt::Display) {
    tracing::warn!(event = "token_unreadable", token = name, %error);
}
