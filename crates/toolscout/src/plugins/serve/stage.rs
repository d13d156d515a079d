//! A gateway and the sources behind it, of which it is shown a part.

use super::narrowed::{Main, Narrowed};
use super::shown::{Part, Parts, Shown};
use parking_lot::Mutex;
use std::sync::Arc;
use toolscout_core::Source;
use toolscout_gateway::Gateway;

/// A gateway that is shown a part of some sources.
pub(super) struct Stage {
    pub(super) gateway: Arc<Gateway>,
    parts: Arc<Parts>,
    /// Who knows everything that is shown here, where that is another gateway.
    main: Option<Main>,
    /// Those of which something is shown, as they are without us.
    placed: Mutex<Vec<Arc<dyn Source>>>,
}

impl Stage {
    /// Of what the gateway has, this part is shown from its next refresh on.
    pub(super) fn of_all(gateway: Arc<Gateway>, part: Part) -> Self {
        let stage = Self { gateway, parts: Parts::of(part), main: None, placed: Mutex::default() };
        let sources = stage.gateway.sources().to_vec();
        sources.iter().for_each(|it| drop(stage.gateway.replace_source(stage.shown(it))));
        *stage.placed.lock() = sources;
        stage
    }

    /// A gateway without sources, for a part of what another one knows.
    pub(super) fn beside(main: &Self, gateway: Arc<Gateway>, parts: Arc<Parts>) -> Self {
        let main = Main { gateway: main.gateway.clone(), parts: main.parts.clone() };
        Self { gateway, parts, main: Some(main), placed: Mutex::default() }
    }

    /// Has the gateway show this part of these sources. One that is not among them is gone at once; what is new, or shown
    /// differently, is there after the next refresh.
    pub(super) fn show(&self, part: Part, sources: &[Arc<dyn Source>]) {
        let wanted: Vec<_> = sources.iter().filter(|it| part.has(it.id())).cloned().collect();
        self.parts.set(part);
        let mut placed = self.placed.lock();
        for gone in placed.iter().filter(|it| of_id(&wanted, it).is_none()) {
            self.gateway.remove_source(gone.id());
        }
        for source in &wanted {
            match of_id(&placed, source) {
                Some(there) if Arc::ptr_eq(there, source) => {}
                Some(_) => drop(self.gateway.replace_source(self.shown(source))),
                None => {
                    if let Err(error) = self.gateway.add_source(self.shown(source)) {
                        tracing::warn!(event = "source_not_added", %error);
                    }
                }
            }
        }
        *placed = wanted;
    }

    fn shown(&self, source: &Arc<dyn Source>) -> Arc<dyn Source> {
        let (source, parts) = (source.clone(), self.parts.clone());
        match &self.main {
            None => Arc::new(Shown::new(source, parts)),
            Some(main) => Arc::new(Narrowed::new(source, main.clone(), parts)),
        }
    }
}

fn of_id<'a>(sources: &'a [Arc<dyn Source>], one: &Arc<dyn Source>) -> Option<&'a Arc<dyn Source>> {
    sources.iter().find(|it| it.id() == one.id())
}
