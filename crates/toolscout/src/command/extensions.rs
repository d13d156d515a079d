//! Values by type: what plugins offer each other, and what they give a command.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::Arc;

/// One thing of each type.
#[derive(Default)]
pub(crate) struct Offers(HashMap<TypeId, Arc<dyn Any + Send + Sync>>);

impl Offers {
    pub(crate) fn of<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        self.0.get(&TypeId::of::<T>())?.clone().downcast().ok()
    }

    /// Keeps this instead of what there was of its type.
    pub(crate) fn insert<T: Any + Send + Sync>(&mut self, value: T) -> Arc<T> {
        let value = Arc::new(value);
        self.0.insert(TypeId::of::<T>(), value.clone());
        value
    }
}

/// What plugins give the running command, by type.
#[derive(Default)]
pub struct Extensions(Offers);

impl Extensions {
    /// Gives the command this.
    pub fn insert<T: Any + Send + Sync>(&mut self, value: T) {
        self.0.insert(value);
    }

    pub(crate) fn of<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        self.0.of()
    }
}
