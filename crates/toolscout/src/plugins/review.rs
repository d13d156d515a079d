//! What a person decides: definitions that are held, calls that wait for a yes, policies, and the lock file.

mod decide;
mod lock;
mod page;
mod policy;
mod show;
mod shown;

pub(super) use policy::write_policy;

use crate::config::{Config, Rules};
use crate::plugins::discovery::Place;
use crate::{AfterSetup, AppError, Plugin, RunCx, Setup};
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
        cx.rule(|gateway, options, surroundings| {
            let config = Config::of(options, surroundings)?;
            let place = Place::of(options, surroundings)?;
            let approvals = Approvals::new(surroundings.store(), partition(place.project()));
            Ok(gateway.approvals(approvals).policies(policies(&config)))
        });
        Box::pin(async {
            cx.add_command(show::ReviewCommand)?;
            cx.add_command(decide::ApproveCommand)?;
            cx.add_command(decide::RejectCommand)?;
            cx.add_command(policy::PolicyCommand)?;
            cx.add_command(lock::LockCommand)?;
            cx.add_command(lock::VerifyCommand)
        })
    }

    fn after_setup<'a>(&'a self, _: &'a AfterSetup) -> BoxFuture<'a, Result<(), AppError>> {
        Box::pin(async { Ok(()) })
    }
}

/// Reads the policies anew, in a process that runs for long: what a person has set meanwhile counts from now on.
pub(super) fn renew_policies(cx: &RunCx) -> Result<(), AppError> {
    // A program may be put together without this plugin, and has its policies from somewhere else.
    if cx.commands().find("policy").is_some() {
        apply_policies(cx, &*Config::again(cx.options(), cx.surroundings())?);
    }
    Ok(())
}

/// Has the gateway take the policies of this configuration.
pub(super) fn apply_policies(cx: &RunCx, config: &Config) {
    if cx.commands().find("policy").is_none() {
        return;
    }
    let gateway = cx.tools().gateway();
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
