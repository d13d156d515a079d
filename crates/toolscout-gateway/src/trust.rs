//! What a person sees before a decision: tools held for review, pending approvals, policies.

use crate::policy::{DanglingRule, Policies, PolicyDecision};
use crate::{Approvals, Error, Gateway, QuarantinedTool};
use std::sync::Arc;
use toolscout_core::Tool;
use toolscout_core::authorization::PendingApproval;

impl Gateway {
    /// Every tool that waits for a person, with what there is to see.
    pub fn held(&self) -> Vec<QuarantinedTool> {
        let scan = self.publisher.scanner();
        let found = self.publisher.under_review().into_iter().filter_map(|it| Some((self.publisher.found(&it)?.1, it)));
        found.flat_map(|(tools, source)| self.publisher.approvals.held(&source, &tools, &scan)).collect()
    }

    /// The calls that wait for a person's word, oldest first.
    pub fn pending(&self) -> Result<Vec<PendingApproval>, Error> {
        Ok(self.pending_approvals.pending()?)
    }

    /// Where it is remembered what may be used: for another gateway that shall agree with this one.
    pub fn approvals(&self) -> Approvals {
        self.publisher.approvals.clone()
    }

    /// What may be done with each tool, as it was said.
    pub fn policies(&self) -> Arc<Policies> {
        self.catalog().policies.clone()
    }

    /// What holds for a tool, and why.
    pub fn decision(&self, tool: &Tool) -> PolicyDecision {
        self.catalog().policies.effective(tool)
    }

    /// Other policies hold from now on.
    pub fn set_policies(&self, policies: Policies) {
        self.publisher.change_policies(|_| policies);
    }

    /// Rules that name what no source has. Of a source that has not been listed yet nobody knows, and where requests have
    /// sources of their own, nobody knows of which.
    pub fn dangling(&self) -> Vec<DanglingRule> {
        let published = self.publisher.now();
        let is_known = |source: &str| published.sources.all().iter().any(|it| it.id().as_str() == source);
        let is_listed = |source: &str| published.all.tools().any(|it| it.id.source.as_str() == source);
        let has =
            |source: &str, name: &str| published.all.named(name).iter().any(|it| it.tool.id.source.as_str() == source);
        // Nobody has a list of what is behind a search.
        let searches = |source: &str| published.remote_gateways.iter().any(|it| it.source.as_str() == source);
        published.policies.dangling(|source, name| match name {
            _ if !is_known(source) => self.requests.has_providers(),
            None => true,
            Some(name) => has(source, name) || !is_listed(source) || searches(source),
        })
    }

    /// What a list or a search does not show, for people; empty where there is nothing of the sort.
    pub fn notes(&self) -> Vec<String> {
        self.catalog().notes()
    }
}
