//! Decisions of the operator: quarantined definitions, pending calls, policies, and the lock file.

use crate::{AppError, Plugin, Setup, Startup};
use toolscout_gateway::Approvals;
use toolscout_workspace::policies;

/// Configures the gateway with policies and approvals, and adds their operations: `review`,
/// `approve`, `reject`, `policy`, `lock` and `verify`.
#[derive(Default)]
pub struct Review;

impl Plugin for Review {
    fn id(&self) -> &str {
        "review"
    }

    fn requires(&self) -> Vec<&str> {
        vec!["discovery"]
    }

    fn setup(&self, cx: &mut Setup) -> Result<(), AppError> {
        cx.parts.policies = true;
        cx.rule(|gateway, Startup { environment, config, .. }| {
            let approvals = Approvals::new(environment.store(), config.partition());
            Ok(gateway.approvals(approvals).policies(policies::from_config(config)))
        });
        Ok(())
    }
}
