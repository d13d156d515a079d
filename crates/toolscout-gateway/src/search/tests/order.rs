use super::*;
use tokio::task::JoinSet;

fn sources() -> Vec<Arc<Actor>> {
    let one = |id: &str| {
        let tools = [
            "send: Sends an email",
            "read: Reads a letter",
            "pay: Pays a bill",
            "draw: Draws a picture",
        ];
        Arc::new(Actor::new(id, &tools))
    };
    vec![one("alpha"), one("beta"), one("gamma"), one("delta")]
}

/// Ties are decided by the ids of the tools: there are many ties here.
#[tokio::test(flavor = "multi_thread")]
async fn the_order_of_hits_is_deterministic() {
    let questions = ["send an email", "photo", "letter and money", "read", "letter sned"];
    let mut expected: Option<Vec<_>> = None;
    for turn in 0..4 {
        let mut all = sources();
        all.rotate_left(turn);
        let all: Vec<_> = all.iter().collect();
        let gateway = Arc::new(World::default().process("p", &all).await);
        let mut searches = JoinSet::new();
        for text in questions {
            let gateway = gateway.clone();
            searches.spawn(async move { (text, search(&gateway, text).await.0) });
        }
        let mut answers = searches.join_all().await;
        answers.sort_unstable();
        assert!(answers.iter().all(|answer| answer.1.len() >= 4), "{answers:?}");
        assert_eq!(*expected.get_or_insert_with(|| answers.clone()), answers);
    }
}

#[tokio::test]
async fn request_tools_are_embedded_and_ranked_by_score() {
    let world = World::default();
    let engine = SearchEngine::new().encoder(world.encoder()).stored_in(world.store(), "p");
    let builder = Gateway::builder()
        .search_engine(engine)
        .request_sources(crate::tests::ByUser::for_any_user());
    let gateway = discovered(builder, &[&office()]).await;
    let view = gateway.view(&crate::tests::by("pay")).await;
    for text in ["invoice", "umbrella"] {
        let query = Query::new(text);
        let embedded = gateway.embed_query(&view, &query).await;
        let hits = view.search(&embedded.apply_to(query));
        assert!(hits.is_sorted_by(|one, other| one.score >= other.score), "{hits:?}");
        let expected = if text == "invoice" { "mine/my_saved_queries" } else { "office/forecast" };
        assert_eq!(ids(&hits)[0], expected);
        assert_eq!(embedded.notes, [] as [&str; 0]);
    }
    let before = world.thesaurus.tools();
    gateway.view(&crate::tests::by("pay")).await;
    let query = Query::new("invoice");
    gateway.embed_query(&view, &query).await;
    assert_eq!(world.thesaurus.tools(), before);
}
