//! 1. A tool is embedded once: not again for the next catalog, the next process, another project or
//!    a second process.
//! 2. Before tools have embeddings, a search is lexical and reports that.
//! 3. Results survive the process; unreadable ones are computed again without a message.
//! 4. Unapproved tools get no bonus, and the description of an unapproved source does not count.
//! 5. All searchable text of a tool is in its stamp, and adjacent fields stay distinct.
//! 6. The order of hits is independent of the order of sources and threads.

mod embeddings;
mod order;
mod persistence;
mod stamps;
mod trust;

use super::{LazyEncoder, SearchEngine};
use crate::tests::{Actor, agent};
use crate::{Gateway, GatewayBuilder, Query, SearchHit};
use parking_lot::Mutex;
use std::sync::Arc;
use toolscout_core::{MemoryStore, Source, Store};
use toolscout_index::Encoder;

/// An encoder with a few groups of synonyms, which records the texts it encodes.
#[derive(Default)]
struct Thesaurus {
    encoded: Mutex<Vec<String>>,
}

const SENSES: [&[&str]; 4] = [
    &["mail", "email", "letter", "postcard"],
    &["rain", "weather", "forecast", "umbrella"],
    &["money", "invoice", "bill", "pay"],
    &["picture", "image", "photo", "paint"],
];

impl Encoder for Thesaurus {
    fn id(&self) -> &str {
        "thesaurus"
    }

    fn dimensions(&self) -> usize {
        SENSES.len() + 1
    }

    fn encode(&self, text: &str) -> Vec<f32> {
        self.encoded.lock().push(text.to_owned());
        let lower = text.to_lowercase();
        let mut vector: Vec<f32> = SENSES
            .iter()
            .map(|sense| if sense.iter().any(|word| lower.contains(word)) { 1.0 } else { 0.0 })
            .collect();
        vector.push(0.1);
        let length = vector.iter().map(|vector| vector * vector).sum::<f32>().sqrt();
        vector.iter().map(|vector| vector / length).collect()
    }
}

impl Thesaurus {
    /// All encoded texts, of tools and queries.
    fn encoded(&self) -> Vec<String> {
        self.encoded.lock().clone()
    }

    /// How many tools were encoded: their texts begin with their names.
    fn tools(&self) -> usize {
        self.encoded().iter().filter(|item| item.contains(": ")).count()
    }
}

/// An encoder, a store, and gateways that share them as processes do.
#[derive(Default)]
struct World {
    thesaurus: Arc<Thesaurus>,
    store: Arc<MemoryStore>,
}

impl World {
    fn encoder(&self) -> LazyEncoder {
        let thesaurus = self.thesaurus.clone();
        LazyEncoder::new(move || Ok(thesaurus.clone()))
    }

    fn store(&self) -> Arc<dyn Store> {
        self.store.clone()
    }

    /// A process of a project that has discovered these sources.
    async fn process(&self, project: &str, sources: &[&Arc<Actor>]) -> Gateway {
        let engine = SearchEngine::new().encoder(self.encoder()).stored_in(self.store(), project);
        discovered(Gateway::builder().search_engine(engine), sources).await
    }
}

async fn discovered(builder: GatewayBuilder, sources: &[&Arc<Actor>]) -> Gateway {
    let builder = sources
        .iter()
        .fold(builder, |builder, source| builder.source(Arc::clone(source) as Arc<dyn Source>));
    let gateway = builder.build().unwrap();
    gateway.refresh(&agent()).await;
    gateway
}

fn office() -> Arc<Actor> {
    Arc::new(Actor::new(
        "office",
        &["send_email: Sends an email", "forecast: Tells what tomorrow will be like"],
    ))
}

/// Searches as surfaces do; returns the ids and the notes.
async fn search(gateway: &Gateway, text: &str) -> (Vec<String>, Vec<String>) {
    let view = gateway.view(&agent()).await;
    let query = Query::new(text);
    let embedded = gateway.embed_query(&view, &query).await;
    (ids(&view.search(&embedded.apply_to(query))), embedded.notes)
}

fn ids(hits: &[SearchHit]) -> Vec<String> {
    hits.iter().map(|hit| hit.tool.id.to_string()).collect()
}
