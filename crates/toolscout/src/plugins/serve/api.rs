//! What the API has done by the app: servers, their entries and their processes, policies.

mod change;
mod desk;
mod shown;
mod trouble;
mod work;

pub(super) use desk::FrontDesk;
