//! The order in which plugins are set up.

use crate::{LifecycleError, Plugin};
use std::collections::HashMap;
use std::sync::Arc;

/// Orders plugins: the requirements of a plugin come before it; otherwise the order of registration
/// is kept.
pub(crate) fn order(plugins: &[Arc<dyn Plugin>]) -> Result<Vec<Arc<dyn Plugin>>, LifecycleError> {
    let mut by_id = HashMap::new();
    for plugin in plugins {
        if by_id.insert(plugin.id(), plugin).is_some() {
            return Err(LifecycleError::Twice { id: plugin.id().to_owned() });
        }
    }
    let mut walk = Walk { by_id, done: Vec::new(), path: Vec::new() };
    for plugin in plugins {
        walk.visit(plugin)?;
    }
    Ok(walk.done)
}

struct Walk<'a> {
    by_id: HashMap<&'a str, &'a Arc<dyn Plugin>>,
    done: Vec<Arc<dyn Plugin>>,
    path: Vec<&'a str>,
}

impl<'a> Walk<'a> {
    fn visit(&mut self, plugin: &'a Arc<dyn Plugin>) -> Result<(), LifecycleError> {
        if self.done.iter().any(|item| item.id() == plugin.id()) {
            return Ok(());
        }
        if let Some(start) = self.path.iter().position(|path| *path == plugin.id()) {
            let circle = self.path[start..].iter().copied().chain([plugin.id()]);
            return Err(LifecycleError::Cycle { path: circle.map(str::to_owned).collect() });
        }
        self.path.push(plugin.id());
        for needed in plugin.requires() {
            let missing = || LifecycleError::Missing {
                plugin: plugin.id().to_owned(),
                missing: needed.to_owned(),
            };
            let needed = *self.by_id.get(needed).ok_or_else(missing)?;
            self.visit(needed)?;
        }
        for wanted in plugin.wants() {
            if let Some(wanted) = self.by_id.get(wanted).copied() {
                self.visit(wanted)?;
            }
        }
        self.path.pop();
        self.done.push(plugin.clone());
        Ok(())
    }
}
