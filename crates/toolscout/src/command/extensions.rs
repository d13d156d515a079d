//! Values by type: offers between plugins, and values for a command.

use serde_json::{Map, Value};
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::Arc;

/// At most one value of each type.
#[derive(Default, Clone)]
pub struct Extensions {
    by_type: HashMap<TypeId, Arc<dyn Any + Send + Sync>>,
    shared: Arc<Map<String, Value>>,
}

impl Extensions {
    /// Adds a value; replaces one of the same type.
    pub fn insert<T: Any + Send + Sync>(&mut self, value: T) {
        self.by_type.insert(TypeId::of::<T>(), Arc::new(value));
    }

    /// Passes a value to the modules that are called: `context.extensions.NAME`.
    pub fn share(&mut self, name: impl Into<String>, value: impl Into<Value>) {
        Arc::make_mut(&mut self.shared).insert(name.into(), value.into());
    }

    pub(crate) fn shared(&self) -> Arc<Map<String, Value>> {
        self.shared.clone()
    }

    /// The value of this type, if there is one.
    pub fn get<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        self.by_type.get(&TypeId::of::<T>())?.clone().downcast().ok()
    }
}
