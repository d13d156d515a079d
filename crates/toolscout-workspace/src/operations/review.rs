//! Operations on quarantined definitions and pending approvals: the decisions of an operator.

mod approvals;
mod decide;
mod list;
mod quarantined;
mod shown;

pub(crate) use approvals::{DecideApproval, ListApprovals};
pub(crate) use decide::DecideReview;
pub(crate) use list::ListReviews;
