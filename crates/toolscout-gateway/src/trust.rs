//! The data for the operator's decisions: quarantined tools, pending approvals, policies.

use crate::policy::{DanglingRule, Policies, PolicyDecision};
use crate::{Approvals, Error, Gateway, QuarantinedTool};
use std::sync::Arc;
use toolscout_core::Tool;
use toolscout_core::authorization::PendingApproval;

impl Gateway {
    /// Every quarantined tool, with the details for a decision.
    pub fn quarantined(&self) -> Vec<QuarantinedTool> {
        let scan = self.publisher.scanner();
        let sources = self
            .publisher
            .under_review()
            .into_iter()
            .filter_map(|source| Some((self.publisher.unreviewed_tools(&source)?.1, source)));
        sources
            .flat_map(|(tools, source)| {
                self.publisher.approvals.quarantined(&source, &tools, &scan)
            })
            .collect()
    }

    /// The calls that are pending approval, including decided ones that are not used yet, oldest
    /// first.
    pub fn pending(&self) -> Result<Vec<PendingApproval>, Error> {
        Ok(self.pending_approvals.pending()?)
    }

    /// The approvals of definitions, to share them with another gateway.
    pub fn approvals(&self) -> Approvals {
        self.publisher.approvals.clone()
    }

    /// The configured policies.
    pub fn policies(&self) -> Arc<Policies> {
        self.catalog().policies.clone()
    }

    /// The effective policy of a tool, and the reason for it.
    pub fn decision(&self, tool: &Tool) -> PolicyDecision {
        self.catalog().policies.effective(tool)
    }

    /// Replaces the policies.
    pub fn set_policies(&self, policies: Policies) {
        self.publisher.change_policies(|_| policies);
    }

    /// Rules that refer to a source or tool that does not exist. Sources that were not listed yet
    /// may have the tool, and if requests can have their own sources, unknown sources may exist.
    pub fn dangling(&self) -> Vec<DanglingRule> {
        let published = self.publisher.now();
        let is_known =
            |source: &str| published.sources.all().iter().any(|item| item.id().as_str() == source);
        let is_listed =
            |source: &str| published.all.tools().any(|tool| tool.id.source.as_str() == source);
        let has = |source: &str, name: &str| {
            published
                .all
                .tools_named(name)
                .iter()
                .any(|item| item.tool.id.source.as_str() == source)
        };
        // There is no complete list of the tools of a remote gateway.
        let searches = |source: &str| {
            published.remote_gateways.iter().any(|gateway| gateway.source.as_str() == source)
        };
        published.policies.dangling(|source, name| match name {
            _ if !is_known(source) => self.requests.has_providers(),
            None => true,
            Some(name) => has(source, name) || !is_listed(source) || searches(source),
        })
    }

    /// Notes for the user about tools that a list or a search leaves out; empty if there are none.
    pub fn notes(&self) -> Vec<String> {
        self.catalog().notes()
    }
}
