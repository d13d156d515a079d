//! Every route there is, each in the file of the thing it is about.

use super::{
    Route, approvals, call, catalog, health, journal, policies, reviews, search, servers, sessions, stream, tools,
};
use std::sync::LazyLock;

/// Every route there is.
pub fn table() -> &'static [Route] {
    static TABLE: LazyLock<Vec<Route>> = LazyLock::new(|| {
        let all = [
            health::routes(),
            catalog::routes(),
            sessions::routes(),
            servers::routes(),
            tools::routes(),
            search::routes(),
            call::routes(),
            policies::routes(),
            approvals::routes(),
            reviews::routes(),
            journal::routes(),
            stream::routes(),
        ];
        all.into_iter().flatten().collect()
    });
    &TABLE
}
