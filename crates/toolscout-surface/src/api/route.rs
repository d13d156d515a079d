//! One route: what it is for, who may take it, what it wants and what it gives.

use super::answer::{Answer, JSON};
use super::asked::Asked;
use super::schema::{Describe, Shape};
use super::{OperationError, input};
use crate::operation::Access;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use toolscout_core::BoxFuture;

/// One route.
pub struct Route {
    /// `GET`, `POST`, `PUT` or `DELETE`.
    pub method: &'static str,
    /// As the router takes it: `/api/servers/{id}`.
    pub path: &'static str,
    /// Who may take it.
    pub access: Access,
    /// What it is for, in a line.
    pub summary: &'static str,
    pub(super) status: StatusCode,
    pub(super) query: Option<Shape>,
    pub(super) body: Option<Shape>,
    pub(super) gives: Gives,
    pub(super) run: Run,
}

/// What a route gives.
#[derive(Clone, Copy)]
pub(super) enum Gives {
    Json(Describe),
    /// Text of this kind.
    Text(&'static str),
    Nothing,
}

type Run = Box<dyn Fn(Asked, Map<String, Value>) -> BoxFuture<'static, Result<Answer, OperationError>> + Send + Sync>;

impl Route {
    /// Reads something.
    pub(super) fn get<T, W>(
        path: &'static str,
        summary: &'static str,
        run: impl Fn(Asked) -> W + Send + Sync + 'static,
    ) -> Self
    where
        T: Serialize + JsonSchema,
        W: Future<Output = Result<T, OperationError>> + Send + 'static,
    {
        Self::new("GET", path, summary, json::<T>(), Box::new(move |asked, _| as_json(run(asked))))
    }

    /// Has something done, as the body says.
    pub(super) fn told<B, T, W>(
        method: &'static str,
        path: &'static str,
        summary: &'static str,
        run: impl Fn(Asked, B) -> W + Send + Sync + 'static,
    ) -> Self
    where
        B: DeserializeOwned + JsonSchema,
        T: Serialize + JsonSchema,
        W: Future<Output = Result<T, OperationError>> + Send + 'static,
    {
        let run: Run = Box::new(move |asked, body| match input::typed("the body", body) {
            Ok(body) => as_json(run(asked, body)),
            Err(trouble) => Box::pin(async { Err(trouble) }),
        });
        Self { body: Some(Shape::of::<B>("the body")), ..Self::new(method, path, summary, json::<T>(), run) }
    }

    /// Takes something away.
    pub(super) fn delete<W>(
        path: &'static str,
        summary: &'static str,
        run: impl Fn(Asked) -> W + Send + Sync + 'static,
    ) -> Self
    where
        W: Future<Output = Result<(), OperationError>> + Send + 'static,
    {
        let run: Run = Box::new(move |asked, _| {
            let work = run(asked);
            Box::pin(async { work.await.map(|()| Answer::nothing()) })
        });
        Self { status: StatusCode::NO_CONTENT, ..Self::new("DELETE", path, summary, Gives::Nothing, run) }
    }

    /// Reads something that is written as JSON already; `T` says what it looks like.
    pub(super) fn written<T, W>(
        path: &'static str,
        summary: &'static str,
        run: impl Fn(Asked) -> W + Send + Sync + 'static,
    ) -> Self
    where
        T: JsonSchema,
        W: Future<Output = Result<Answer, OperationError>> + Send + 'static,
    {
        Self::new("GET", path, summary, json::<T>(), Box::new(move |asked, _| Box::pin(run(asked))))
    }

    /// Reads text of some kind.
    pub(super) fn text<W>(
        path: &'static str,
        summary: &'static str,
        media: &'static str,
        run: impl Fn(Asked) -> W + Send + Sync + 'static,
    ) -> Self
    where
        W: Future<Output = Result<Answer, OperationError>> + Send + 'static,
    {
        Self::new("GET", path, summary, Gives::Text(media), Box::new(move |asked, _| Box::pin(run(asked))))
    }

    /// The same, for anybody.
    pub(super) fn open(self) -> Self {
        Self { access: Access::Open, ..self }
    }

    /// The same, for operators only.
    pub(super) fn operator(self) -> Self {
        Self { access: Access::Operator, ..self }
    }

    /// The same, with this to be said behind `?`.
    pub(super) fn query<Q: JsonSchema>(self) -> Self {
        Self { query: Some(Shape::of::<Q>("the query")), ..self }
    }

    /// The same, answered with this status.
    pub(super) fn status(mut self, status: StatusCode) -> Self {
        let run = self.run;
        self.run = Box::new(move |asked, body| {
            let work = run(asked, body);
            Box::pin(async move { work.await.map(|it| it.with_status(status)) })
        });
        Self { status, ..self }
    }

    /// The media type of what it gives.
    pub(super) fn media(&self) -> Option<&'static str> {
        match self.gives {
            Gives::Json(_) => Some(JSON),
            Gives::Text(media) => Some(media),
            Gives::Nothing => None,
        }
    }

    fn new(method: &'static str, path: &'static str, summary: &'static str, gives: Gives, run: Run) -> Self {
        let (access, status) = (Access::Agent, StatusCode::OK);
        Self { method, path, access, summary, status, query: None, body: None, gives, run }
    }
}

fn json<T: JsonSchema>() -> Gives {
    Gives::Json(|generator| generator.subschema_for::<T>())
}

fn as_json<T: Serialize>(
    work: impl Future<Output = Result<T, OperationError>> + Send + 'static,
) -> BoxFuture<'static, Result<Answer, OperationError>> {
    Box::pin(async { work.await.map(|it| Answer::json(StatusCode::OK, &it)) })
}
