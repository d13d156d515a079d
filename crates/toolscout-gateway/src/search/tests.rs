//! 1. A tool is encoded once: not again for the next moment, the next process, another project or a second process.
//! 2. Until tools are known by meaning a search goes by words, and says so.
//! 3. What was worked out survives the process; what cannot be read of it is worked out again, and nobody hears of it.
//! 4. What nobody approved gets no favours, and what its source says does not count.
//! 5. Whatever is searched of a tool is in its stamp, and nothing runs into what stands beside it.
//! 6. The order is the same, whatever the order of sources and threads.

mod meaning;
mod memory;
mod order;
mod stamps;
mod trust;

use super::{LazyEncoder, SearchEngine};
use crate::tests::{Actor, agent};
use crate::{Gateway, GatewayBuilder, Query, SearchHit};
use parking_lot::Mutex;
use std::sync::Arc;
use toolscout_core::{MemoryStore, Source, Store};
use toolscout_index::Encoder;

/// Knows a few things that can be said in several ways, and counts what it was asked about.
#[derive(Default)]
struct Thesaurus {
    asked: Mutex<Vec<String>>,
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
        self.asked.lock().push(text.to_owned());
        let lower = text.to_lowercase();
        let mut vector: Vec<f32> =
            SENSES.iter().map(|it| if it.iter().any(|word| lower.contains(word)) { 1.0 } else { 0.0 }).collect();
        vector.push(0.1);
        let length = vector.iter().map(|it| it * it).sum::<f32>().sqrt();
        vector.iter().map(|it| it / length).collect()
    }
}

impl Thesaurus {
    /// What was encoded, of tools and questions.
    fn asked(&self) -> Vec<String> {
        self.asked.lock().clone()
    }

    /// How many tools were encoded: their texts begin with their names.
    fn tools(&self) -> usize {
        self.asked().iter().filter(|it| it.contains(": ")).count()
    }
}

/// A world: an encoder, a store, and gateways that share them as processes do.
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

    /// A process of a project, which has discovered this.
    async fn process(&self, project: &str, sources: &[&Arc<Actor>]) -> Gateway {
        let searching = SearchEngine::new().encoder(self.encoder()).kept(self.store(), project);
        discovered(Gateway::builder().searching(searching), sources).await
    }
}

async fn discovered(builder: GatewayBuilder, sources: &[&Arc<Actor>]) -> Gateway {
    let builder = sources.iter().fold(builder, |builder, it| builder.source(Arc::clone(it) as Arc<dyn Source>));
    let gateway = builder.build().unwrap();
    gateway.refresh(&agent()).await;
    gateway
}

fn office() -> Arc<Actor> {
    Arc::new(Actor::new("office", &["send_email: Sends an email", "forecast: Tells what tomorrow will be like"]))
}

/// Asks as surfaces do; gives the ids and what was said besides.
async fn ask(gateway: &Gateway, text: &str) -> (Vec<String>, Vec<String>) {
    let view = gateway.view(&agent()).await;
    let query = Query::new(text);
    let understood = gateway.understand(&view, &query).await;
    (ids(&view.search(&understood.question(query))), understood.notes)
}

fn ids(hits: &[SearchHit]) -> Vec<String> {
    hits.iter().map(|it| it.tool.id.to_string()).collect()
}
