//! A reverse request reaches the caller of its call, and no other caller.

use super::*;
use crate::secrets::SecretValues;
use crate::{Program, ReferenceLookup, ServerConfig, ServerTransport};
use serde_json::value::RawValue;
use tokio::sync::{Semaphore, broadcast};
use tokio::task::JoinHandle;
use toolscout_core::{Counterpart, LibraryEvent, RpcError, SourceId};

/// A counterpart that records the requests it gets, and responds when the test permits.
pub(crate) struct Asked {
    can: Value,
    lets: Semaphore,
    heard: mpsc::UnboundedSender<(String, String)>,
    /// The number of pending requests.
    open: Arc<Mutex<usize>>,
}

/// Increments the counter while it exists.
struct Thinking(Arc<Mutex<usize>>);

impl Drop for Thinking {
    fn drop(&mut self) {
        *self.0.lock() -= 1;
    }
}

impl Counterpart for Asked {
    fn capabilities(&self) -> RawJson {
        RawJson::from_value(&self.can)
    }

    fn ask<'a>(
        &'a self,
        method: &'a str,
        params: RawJson,
    ) -> BoxFuture<'a, Result<RawJson, RpcError>> {
        Box::pin(async move {
            let _ = self.heard.send((method.to_owned(), params.as_str().to_owned()));
            *self.open.lock() += 1;
            let _thinking = Thinking(self.open.clone());
            self.lets.acquire().await.expect("nobody closes it").forget();
            match method {
                "roots/list" => Err(RpcError { code: -7, message: "no".to_owned(), data: None }),
                _ => Ok(RawJson::parse(r#"{ "action": "accept", "n": 1.0 }"#).expect("JSON")),
            }
        })
    }

    fn tell(&self, method: &str, params: RawJson) {
        let _ = self.heard.send((method.to_owned(), params.as_str().to_owned()));
    }
}

/// A caller, and the messages it receives.
struct Person {
    counterpart: Arc<Asked>,
    heard: mpsc::UnboundedReceiver<(String, String)>,
}

impl Person {
    fn new(can: Value) -> Self {
        let (sender, heard) = mpsc::unbounded_channel();
        let counterpart =
            Asked { can, lets: Semaphore::new(0), heard: sender, open: Arc::default() };
        Self { counterpart: Arc::new(counterpart), heard }
    }

    /// A caller with all capabilities.
    fn able() -> Self {
        Self::new(json!({"elicitation": {}, "sampling": {}, "roots": {}}))
    }

    fn behalf(&self) -> Behalf {
        Behalf::Caller(Some(self.counterpart.clone()))
    }

    fn answers(&self, count: usize) {
        self.counterpart.lets.add_permits(count);
    }

    async fn hears(&mut self) -> (String, String) {
        tokio::time::timeout(Duration::from_secs(10), self.heard.recv())
            .await
            .expect("in time")
            .expect("it is there")
    }

    fn heard_nothing(&mut self) -> bool {
        self.heard.try_recv().is_err()
    }

    fn open(&self) -> usize {
        *self.counterpart.open.lock()
    }
}

impl World {
    fn relaying() -> Self {
        let world = Self::silent(Limits::default());
        world.router.relay();
        world
    }

    /// Makes a call on behalf of a caller; also returns its id.
    async fn call(
        &mut self,
        behalf: Behalf,
        limit: Duration,
    ) -> (u64, JoinHandle<Result<RawJson, ClientError>>) {
        let ask = PeerRequest { behalf, deadline: Instant::now() + limit, ..ask("tools/call") };
        let calling = self.ask_this(ask);
        (self.next().await["id"].as_u64().expect("a number"), calling)
    }

    fn wants(&self, id: Value, method: &str) {
        self.says(
            json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {"message": "name?"}}),
        );
    }

    /// The error in the next response to the server.
    async fn refusal(&mut self) -> (i64, String) {
        let answer = self.next().await;
        let error = &answer["error"];
        (
            error["code"].as_i64().expect("an error"),
            error["message"].as_str().expect("a text").to_owned(),
        )
    }
}

const LONG: Duration = Duration::from_secs(10);

#[tokio::test]
async fn a_question_reaches_the_only_caller_and_the_answer_goes_back_as_it_is() {
    let (mut world, mut person) = (World::relaying(), Person::able());
    let (call, calling) = world.call(person.behalf(), LONG).await;
    world
        .router
        .message(br#"{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{ "message":"n?", "x":1.0 }}"#);
    assert_eq!(
        person.hears().await,
        ("elicitation/create".to_owned(), r#"{ "message":"n?", "x":1.0 }"#.to_owned())
    );
    person.answers(1);
    world.next().await;
    let sent = world.wire.last.lock().clone().expect("sent").body;
    assert_eq!(sent, r#"{"jsonrpc":"2.0","id":"q","result":{ "action": "accept", "n": 1.0 }}"#);
    world.wants(json!(7), "roots/list");
    person.answers(1);
    assert_eq!(world.refusal().await, (-7, "no".to_owned()));
    world.says(result(call, json!({"done": true})));
    calling.await.expect("no panic").expect("a result");
}

/// T28, T32: the wire knows which request a message came for.
#[tokio::test]
async fn a_question_that_came_for_a_call_reaches_its_caller_whoever_else_waits() {
    let (mut world, mut one, mut other) = (World::relaying(), Person::able(), Person::able());
    let (_, _calling) = world.call(one.behalf(), LONG).await;
    let (second, _other_calling) = world.call(other.behalf(), LONG).await;
    let question =
        json!({"jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage", "params": {}})
            .to_string();
    world.router.message_for(second, question.as_bytes());
    assert_eq!(other.hears().await.0, "sampling/createMessage");
    assert!(one.heard_nothing());
    world.router.message_for(987_654, question.as_bytes());
    assert!(world.refusal().await.1.contains("no call is under way"));
}

/// T28, T32: a reverse request that cannot be attributed is refused.
#[tokio::test]
async fn with_several_callers_nobody_is_shown_what_may_be_anothers() {
    let (mut world, mut one, mut other) = (World::relaying(), Person::able(), Person::able());
    let (first, calling) = world.call(one.behalf(), LONG).await;
    let (_, _other_calling) = world.call(other.behalf(), LONG).await;
    world.wants(json!(1), "elicitation/create");
    assert!(world.refusal().await.1.contains("several calls are in progress"));
    assert!(one.heard_nothing() && other.heard_nothing());
    world.says(result(first, json!({})));
    calling.await.expect("no panic").expect("a result");
    world.wants(json!(2), "elicitation/create");
    assert_eq!(other.hears().await.0, "elicitation/create");
}

#[tokio::test]
async fn a_caller_who_can_be_asked_nothing_counts_as_one() {
    let (mut world, mut person) = (World::relaying(), Person::able());
    let (_, _mute) = world.call(Behalf::Caller(None), LONG).await;
    world.wants(json!(1), "elicitation/create");
    assert_eq!(world.refusal().await.0, RpcError::METHOD);
    let (_, _calling) = world.call(person.behalf(), LONG).await;
    world.wants(json!(2), "elicitation/create");
    assert!(world.refusal().await.1.contains("several calls are in progress"));
    assert!(person.heard_nothing());
}

#[tokio::test]
async fn what_we_ask_for_ourselves_is_nobodys_call() {
    let (mut world, mut person) = (World::relaying(), Person::able());
    let _listing = world.ask("tools/list");
    let _ = world.next().await;
    world.wants(json!(1), "elicitation/create");
    assert!(world.refusal().await.1.contains("no call is under way"));
    let (_, _calling) = world.call(person.behalf(), LONG).await;
    world.wants(json!(2), "elicitation/create");
    assert_eq!(person.hears().await.0, "elicitation/create");
}

#[tokio::test]
async fn what_a_caller_cannot_do_is_refused_without_asking() {
    let url = json!({"message": "m", "mode": "url"});
    let form = json!({"message": "m"});
    let cases = [
        (json!({}), "elicitation/create", &form, -32601),
        (json!({"elicitation": {}}), "sampling/createMessage", &form, -32601),
        (json!({"elicitation": {}}), "roots/list", &form, -32601),
        (json!({"elicitation": {}}), "elicitation/create", &url, -32602),
        (json!({"elicitation": {"url": {}}}), "elicitation/create", &form, -32602),
        (json!({"elicitation": {}}), "tasks/get", &form, -32601),
    ];
    for (can, method, params, code) in cases {
        let (mut world, mut person) = (World::relaying(), Person::new(can.clone()));
        let (_, _calling) = world.call(person.behalf(), LONG).await;
        world.says(json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}));
        assert_eq!(world.refusal().await.0, code, "{can} {method}");
        assert!(person.heard_nothing());
    }
    for can in
        [json!({"elicitation": {"form": {}, "url": {}}}), json!({"elicitation": {"url": {}}})]
    {
        let (mut world, mut person) = (World::relaying(), Person::new(can));
        let (_, _calling) = world.call(person.behalf(), LONG).await;
        world.says(
            json!({"jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "params": url}),
        );
        person.hears().await;
    }
}

#[tokio::test]
async fn nobody_is_asked_anything_unless_callers_can_be() {
    let (mut world, mut person) = (World::silent(Limits::default()), Person::able());
    let (_, _calling) = world.call(person.behalf(), LONG).await;
    world.wants(json!(1), "elicitation/create");
    assert_eq!(world.refusal().await.0, -32601);
    assert!(person.heard_nothing());
}

#[tokio::test]
async fn a_question_ends_with_its_call() {
    let (mut world, mut person) = (World::relaying(), Person::able());
    let (call, calling) = world.call(person.behalf(), LONG).await;
    world.wants(json!(1), "elicitation/create");
    person.hears().await;
    assert_eq!(person.open(), 1);
    world.says(result(call, json!({})));
    calling.await.expect("no panic").expect("a result");
    assert_eq!(person.open(), 0);
    let (_, given_up) = world.call(person.behalf(), LONG).await;
    world.wants(json!(2), "elicitation/create");
    person.hears().await;
    given_up.abort();
    let _ = given_up.await;
    assert_eq!(person.open(), 0);
}

#[tokio::test]
async fn a_question_that_is_withdrawn_is_dropped_and_not_answered() {
    let (mut world, mut person) = (World::relaying(), Person::able());
    let (_, _calling) = world.call(person.behalf(), LONG).await;
    for id in [json!("a"), json!("b")] {
        world.wants(id, "elicitation/create");
        person.hears().await;
    }
    world.says(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "a"}}));
    while person.open() > 1 {
        tokio::task::yield_now().await;
    }
    person.answers(2);
    assert_eq!(world.next().await["id"], "b");
    assert_eq!(world.methods(), [] as [&str; 0]);
}

#[tokio::test]
async fn only_so_many_questions_wait_at_once() {
    let (mut world, mut person) = (World::relaying(), Person::able());
    let (_, _calling) = world.call(person.behalf(), LONG).await;
    for id in 0..8 {
        world.wants(json!(id), "elicitation/create");
        person.hears().await;
    }
    world.wants(json!(8), "elicitation/create");
    assert!(world.refusal().await.1.contains("too many questions"));
    assert_eq!(person.open(), 8);
}

/// A user takes longer than a tool.
#[tokio::test]
async fn the_time_in_which_somebody_thinks_does_not_count() {
    let (mut world, mut person) = (World::relaying(), Person::able());
    let (call, calling) = world.call(person.behalf(), Duration::from_millis(300)).await;
    world.wants(json!(1), "elicitation/create");
    person.hears().await;
    tokio::time::pause();
    tokio::time::advance(Duration::from_millis(600)).await;
    tokio::time::resume();
    person.answers(1);
    assert_eq!(world.next().await["result"]["action"], "accept");
    world.says(result(call, json!({})));
    calling.await.expect("no panic").expect("it had time");
    let (_, late) = world.call(person.behalf(), Duration::from_millis(100)).await;
    world.wants(json!(2), "elicitation/create");
    person.answers(1);
    let error = late.await.expect("no panic").expect_err("after the answer its time goes on");
    assert!(matches!(error, ClientError::TimedOut { .. }), "{error}");
}

/// T28: a reverse request of an abandoned call is not shown to the next caller.
#[tokio::test]
async fn a_call_that_was_given_up_makes_questions_unclear_until_it_is_answered() {
    let (mut world, gone, mut next) = (World::relaying(), Person::able(), Person::able());
    let (first, given_up) = world.call(gone.behalf(), LONG).await;
    given_up.abort();
    let _ = given_up.await;
    assert_eq!(world.next().await["method"], "notifications/cancelled");
    let (_, _calling) = world.call(next.behalf(), LONG).await;
    world.wants(json!(1), "elicitation/create");
    assert!(world.refusal().await.1.contains("several calls are in progress"));
    assert!(next.heard_nothing());
    world.says(result(first, json!({"late": true})));
    world.wants(json!(2), "elicitation/create");
    assert_eq!(next.hears().await.0, "elicitation/create");
}

#[tokio::test]
async fn what_is_logged_for_a_call_is_told_to_its_caller_and_the_rest_to_who_listens() {
    let (mut world, mut one, mut other) = (World::relaying(), Person::able(), Person::able());
    let (news, mut listener) = broadcast::channel(8);
    world.router.tell_news(news);
    let log = |text: &str| json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": text}});
    let (first, _calling) = world.call(one.behalf(), LONG).await;
    world.says(log("only one"));
    assert_eq!(
        one.hears().await,
        ("notifications/message".to_owned(), r#"{"data":"only one"}"#.to_owned())
    );
    let (_, _other) = world.call(other.behalf(), LONG).await;
    world.router.message_for(first, log("his").to_string().as_bytes());
    assert_eq!(one.hears().await.1, r#"{"data":"his"}"#);
    assert!(listener.try_recv().is_err(), "what belongs to a call is for nobody else");
    world.says(log("whose?"));
    assert!(one.heard_nothing() && other.heard_nothing());
    let Ok(LibraryEvent::Logged(params)) = listener.try_recv() else { panic!("it was logged") };
    assert_eq!(params.as_str(), r#"{"data":"whose?"}"#);
}

/// The secrets of a server's configuration are redacted in its messages to the caller.
#[tokio::test]
async fn what_a_server_asks_and_logs_comes_without_its_secrets() {
    let (mut world, mut person) = (World::relaying(), Person::able());
    let mut program = Program::default();
    program.env.insert("API_TOKEN".to_owned(), "orange boat".into());
    let server =
        ServerConfig::new(SourceId::new("it").expect("an id"), ServerTransport::Stdio(program));
    world.router.keep_out(SecretValues::of(&server, &ReferenceLookup::of(|_| None)));
    let (_, _calling) = world.call(person.behalf(), LONG).await;
    for method in ["elicitation/create", "sampling/createMessage"] {
        world
            .says(json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {"message": "is orange boat right?"}}));
    }
    world.says(json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "orange boat"}}));
    for _ in 0..3 {
        let (method, params) = person.hears().await;
        assert!(params.contains("[REDACTED]") && !params.contains("orange"), "{method} {params}");
    }
}

#[tokio::test]
async fn resources_that_change_are_news_and_lists_that_change_are_counted() {
    let world = World::silent(Limits { notifications: (1, 1), ..Limits::default() });
    let (news, mut listener) = broadcast::channel(8);
    world.router.tell_news(news);
    let changes = world.router.library_changes();
    world.says(json!({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": "a"}}));
    let Ok(LibraryEvent::ResourceUpdated(params)) = listener.try_recv() else {
        panic!("it was told")
    };
    assert_eq!(params.as_str(), r#"{"uri":"a"}"#);
    for method in ["resources", "prompts", "prompts"] {
        world.says(
            json!({"jsonrpc": "2.0", "method": format!("notifications/{method}/list_changed")}),
        );
    }
    assert_eq!((changes.borrow().resources, changes.borrow().prompts), (1, 2));
}

#[tokio::test]
async fn ids_of_questions_are_given_back_as_they_came() {
    let (mut world, person) = (World::relaying(), Person::able());
    let (_, _calling) = world.call(person.behalf(), LONG).await;
    person.answers(2);
    for id in ["-5", r#""\u0061""#] {
        let raw = RawValue::from_string(id.to_owned()).expect("JSON");
        let line = format!(r#"{{"jsonrpc":"2.0","id":{raw},"method":"elicitation/create"}}"#);
        world.router.message(line.as_bytes());
        world.next().await;
        let sent = world.wire.last.lock().clone().expect("sent").body;
        assert!(sent.starts_with(&format!(r#"{{"jsonrpc":"2.0","id":{id},"#)), "{sent}");
    }
}
