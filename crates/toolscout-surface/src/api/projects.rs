//! The routes of several projects: those of the operations, under the path of each project.

use crate::http::{HttpRejection, drain};
use crate::operation::OperationError;
use axum::Router;
use axum::extract::{Path, Request};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use std::sync::Arc;

/// The list of the projects.
const PROJECTS: &str = "/api/projects";
/// The route about a project itself.
const PROJECT: &str = "/api/project";

/// The path of an operation in a project: `/api/servers` becomes `/api/projects/alpha/servers`,
/// and `/api/project` becomes `/api/projects/alpha`. The list of all projects, and paths outside
/// of `/api`, are not about one project.
pub(super) fn path_in(project: &str, path: &str) -> Option<String> {
    match path {
        PROJECTS => None,
        PROJECT => Some(format!("{PROJECTS}/{project}")),
        _ => path.strip_prefix("/api").map(|rest| format!("{PROJECTS}/{project}{rest}")),
    }
}

/// Responds to paths of projects that are not served. `ids` are the ids of the others.
pub fn unknown_project_routes(ids: Vec<String>) -> Router {
    let ids: Arc<[String]> = ids.into();
    let respond = move |Path(path): Path<Vec<(String, String)>>, request: Request| {
        let ids = ids.clone();
        async move { not_found(&ids, &path, request).await }
    };
    Router::new()
        .route("/api/projects/{project}", any(respond.clone()))
        .route("/api/projects/{project}/{*rest}", any(respond))
}

async fn not_found(ids: &[String], path: &[(String, String)], request: Request) -> Response {
    drain(request.into_body()).await;
    if path.first().is_some_and(|(_, id)| ids.contains(id)) {
        HttpRejection::not_found("not found").into_response()
    } else {
        OperationError::not_found("Project").into_response()
    }
}
