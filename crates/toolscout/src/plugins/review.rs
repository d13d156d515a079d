//! What a person decides: definitions that are held, calls that wait for a yes, policies, and the lock file.

mod decide;
mod lock;
mod page;
mod show;
mod shown;

use crate::config::{Config, Rules};
use crate::{AppError, Plugin, Setup, Startup, Workspace};
use toolscout_core::BoxFuture;
use toolscout_gateway::Approvals;
use toolscout_gateway::policy::{Level, LevelName, Policies};
use toolscout_mcp_client::partition;

/// Gives the gateway its policies and approvals, and adds the commands `review`, `approve`, `reject`, `policy`, `lock` and
/// `verify`.
#[derive(Default)]
pub struct Review;

impl Plugin for Review {
    fn id(&self) -> &str {
        "review"
    }

    fn requires(&self) -> Vec<&str> {
        vec!["discovery"]
    }

    fn setup<'a>(&'a self, cx: &'a mut Setup) -> BoxFuture<'a, Result<(), AppError>> {
        cx.parts.policies = true;
        cx.rule(|gateway, Startup { environment, config, .. }| {
            let approvals = Approvals::new(environment.store(), partition(config.project_folder()));
            Ok(gateway.approvals(approvals).policies(policies(config)))
        });
        Box::pin(async {
            cx.add_command(show::ReviewCommand)?;
            cx.add_command(decide::ApproveCommand)?;
            cx.add_command(decide::RejectCommand)?;
            cx.add_command(lock::LockCommand)?;
            cx.add_command(lock::VerifyCommand)
        })
    }
}

/// Has the gateway take the policies of this configuration.
pub(crate) fn apply_policies(workspace: &Workspace, config: &Config) {
    // A program without this plugin has its policies from somewhere else.
    if !workspace.parts.policies {
        return;
    }
    let gateway = workspace.tools.gateway();
    let now = gateway.policies();
    let next = policies(config).with(LevelName::Session, now.level(LevelName::Session).clone());
    if next != *now {
        gateway.set_policies(next);
    }
}

/// What the files say, as the gateway takes it.
fn policies(config: &Config) -> Policies {
    Policies::new()
        .with(LevelName::Global, level(&config.user))
        .with(LevelName::Project, level(&config.project))
        .in_mode(config.mode)
        .shadowing(config.settings.shadow.unwrap_or_default())
}

/// The rules of one file, as the gateway takes them.
pub(super) fn level(rules: &Rules) -> Level {
    Level { default: rules.default, rules: rules.rules.clone() }
}
