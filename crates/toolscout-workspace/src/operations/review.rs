//! Operations on quarantined definitions and pending approvals: what an operator decides.

mod approvals;
mod decide;
mod list;
mod quarantined;
mod shown;

pub(crate) use approvals::{AnswerApproval, ListApprovals};
pub(crate) use decide::DecideReview;
pub(crate) use list::ListReviews;
