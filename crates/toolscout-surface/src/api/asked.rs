//! A request, taken apart for the route that answers it.

use super::{Api, OperationError, input};
use crate::http::{Principal, Role};
use crate::mcp::http::passed_on;
use axum::http::header::USER_AGENT;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::sync::Arc;
use toolscout_core::event::trace_context;
use toolscout_core::{Caller, Cx};
use toolscout_gateway::{CatalogView, Gateway};

/// Characters of what a program calls itself.
const NAME: usize = 100;

/// A request, taken apart.
pub(super) struct Asked {
    pub(super) api: Arc<Api>,
    pub(super) principal: Principal,
    pub(super) cx: Cx,
    path: Vec<(String, String)>,
    query: Map<String, Value>,
}

impl Asked {
    pub(super) fn new(
        api: Arc<Api>,
        principal: Principal,
        head: &Parts,
        path: Vec<(String, String)>,
        query: Map<String, Value>,
    ) -> Self {
        let cx = cx(api.desk.request(), &principal, head);
        Self { api, principal, cx, path, query }
    }

    /// A part of the path, by its name in the table.
    pub(super) fn part(&self, name: &str) -> &str {
        self.path.iter().find(|(it, _)| it == name).map_or("", |(_, value)| value)
    }

    /// The query, as the type the route said.
    pub(super) fn query<T: DeserializeOwned>(&self) -> Result<T, OperationError> {
        input::typed("the query", self.query.clone())
    }

    pub(super) fn is_operator(&self) -> bool {
        self.principal.role == Role::Operator
    }

    pub(super) fn gateway(&self) -> Arc<Gateway> {
        self.api.desk.gateway()
    }

    /// What this request sees.
    pub(super) async fn view(&self) -> CatalogView {
        self.gateway().view(&self.cx).await
    }
}

/// The circumstances of the request: whose it is, and what came along with it.
pub(super) fn cx(request: Cx, principal: &Principal, head: &Parts) -> Cx {
    let headers = passed_on(&head.headers);
    let client = head.headers.get(USER_AGENT).and_then(|it| it.to_str().ok());
    Cx {
        caller: Caller::Http,
        user: principal.name.clone(),
        client: client.map(|it| it.chars().take(NAME).collect::<String>().into()),
        trace: trace_context(&headers),
        headers: headers.into(),
        asker: None,
        role: principal.role,
        ..request
    }
}
