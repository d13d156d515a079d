//! The commands of a program, collected until the command line is resolved.

use super::{Command, CommandSet};
use crate::{AppError, LifecycleError};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The registry of commands, open until the command line is resolved.
#[derive(Clone, Default)]
pub struct Commands(Arc<Mutex<Added>>);

#[derive(Default)]
struct Added {
    commands: BTreeMap<String, Arc<dyn Command>>,
    sets: Vec<Arc<dyn CommandSet>>,
    is_sealed: bool,
}

impl Commands {
    /// Adds a command. An empty or duplicate name, or a command that is added too late, is an
    /// error.
    pub fn add(&self, command: impl Command + 'static) -> Result<(), AppError> {
        self.add_shared(Arc::new(command))
    }

    /// Like [`Commands::add`], for a command that other runs share.
    pub(crate) fn add_shared(&self, command: Arc<dyn Command>) -> Result<(), AppError> {
        let name = command.name();
        if name.trim().is_empty() {
            return Err(LifecycleError::EmptyCommand.into());
        }
        let mut added = self.0.lock();
        if added.is_sealed {
            return Err(LifecycleError::TooLate { name }.into());
        }
        if added.commands.contains_key(&name) {
            return Err(LifecycleError::DuplicateCommand { name }.into());
        }
        added.commands.insert(name, command);
        Ok(())
    }

    pub(crate) fn add_set(&self, set: impl CommandSet + 'static) -> Result<(), AppError> {
        self.0.lock().sets.push(Arc::new(set));
        Ok(())
    }

    pub(crate) fn seal(&self) {
        self.0.lock().is_sealed = true;
    }

    /// The command with exactly this name that a plugin added.
    pub fn find(&self, name: &str) -> Option<Arc<dyn Command>> {
        self.0.lock().commands.get(name).cloned()
    }

    /// The commands of a group: those whose name begins with these words. Names are without
    /// them.
    pub(crate) fn of_group(&self, group: &str) -> Vec<(String, Arc<dyn Command>)> {
        let added = self.0.lock();
        let in_group = |name: &str| Some(name.strip_prefix(group)?.strip_prefix(' ')?.to_owned());
        let commands = added.commands.iter();
        commands.filter_map(|(name, command)| Some((in_group(name)?, command.clone()))).collect()
    }

    /// The name of the command with this alias.
    pub(crate) fn of_alias(&self, alias: &str) -> Option<String> {
        let added = self.0.lock();
        added
            .commands
            .iter()
            .find(|(_, command)| command.alias() == Some(alias))
            .map(|(name, _)| name.clone())
    }

    /// All commands that plugins added individually, by name.
    pub fn all(&self) -> Vec<Arc<dyn Command>> {
        self.0.lock().commands.values().cloned().collect()
    }

    /// The command sets that are resolved when needed.
    pub fn sets(&self) -> Vec<Arc<dyn CommandSet>> {
        self.0.lock().sets.clone()
    }
}
