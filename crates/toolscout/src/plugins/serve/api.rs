//! What the legacy routes of the API need from the app.

mod desk;

pub(super) use desk::FrontDesk;
