//! Every route there is, each in the file of the thing it is about.

use super::{Route, approvals, catalog, health, reviews, search, sessions, stream, tools};
use std::sync::LazyLock;

/// Every route there is.
pub fn table() -> &'static [Route] {
    static TABLE: LazyLock<Vec<Route>> = LazyLock::new(|| {
        let all = [
            health::routes(),
            catalog::routes(),
            sessions::routes(),
            tools::routes(),
            search::routes(),
            approvals::routes(),
            reviews::routes(),
            stream::routes(),
        ];
        all.into_iter().flatten().collect()
    });
    &TABLE
}
