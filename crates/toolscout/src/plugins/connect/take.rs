//! `connect --take`: the client's other servers move to us.

use super::site::Site;
use crate::plugins::import::{Choice, Fate, Looking, Ourselves, Plan, Scope, Section, Target, Treatment};
use crate::{AppError, RunCx};

/// What moves, and where to.
pub(super) struct Take {
    pub(super) plan: Plan,
    pub(super) target: Target,
}

impl Take {
    /// Servers for everywhere go to the person's own configuration, those of a project to the project's. Their secrets
    /// go to files: in the client's file, where they were, nobody will find them any more.
    pub(super) fn of(cx: &RunCx, site: Site, scope: Scope) -> Result<Self, AppError> {
        let target = Target::of(cx, scope == Scope::User)?;
        let choice = Choice {
            only: Vec::new(),
            treatment: Treatment::files(cx)?,
            project: target.project.clone(),
            base: target.base.clone(),
            us: Ourselves::of(cx),
        };
        // Only what the very file holds may leave the client's: another file may not be read where this one is.
        let plan = Plan::of(Looking { files: vec![site.found()], missing: Vec::new() }, &target.own()?, &choice);
        Ok(Self { plan, target })
    }

    /// Those that the client need not have any more.
    pub(super) fn moved(&self) -> Vec<(Section, String)> {
        let moved = self.plan.servers().filter(|it| !matches!(it.fate, Fate::Skip { .. }));
        moved.map(|it| (it.section.clone(), it.name.clone())).collect()
    }
}
