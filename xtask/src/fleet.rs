//! Runs replicas of a fleet on PostgreSQL, breaks them and their network, and checks what clients
//! saw against the log of the tool server and the audit log.
//!
//! The campaign starts PostgreSQL, PgBouncer and the replicas itself. Each of the [`demands`] has a
//! figure, and is measured with a fleet and a database of its own.

mod checker;
mod client;
mod demands;
mod load;
mod proxy;
mod site;
mod table;
#[cfg(test)]
mod tests;

use crate::hostile::{HostilePrograms, build};
use crate::random::SplitMix64;
use anyhow::{Context, bail, ensure};
use demands::DEMANDS;
use site::{FleetSite, SiteOptions};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};
use table::DemandRow;
use toolscout_test_support::pgbouncer::PgBouncer;
use toolscout_test_support::postgres::PostgresServer;

/// The parameters of a campaign.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FleetPlan {
    replicas: usize,
    /// Selects the victims and the moments.
    seed: u64,
    /// The names of the demands; all without any.
    demands: Vec<String>,
    scale: FleetScale,
    is_debug: bool,
    /// A folder with programs that are already built.
    built: Option<PathBuf>,
}

/// How much is done for each demand.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FleetScale {
    replica_kills: usize,
    database_kills: usize,
    /// Measured approvals, sessions and revocations.
    samples: usize,
    outage: Duration,
    black_hole: Duration,
    unknown_servers: usize,
    /// The time of one measurement of costs.
    window: Duration,
    /// How many times longer than demanded everything may take. A machine that runs other tests is
    /// slow.
    slack: u32,
}

impl FleetScale {
    /// The whole campaign, if every kill takes about a second.
    fn of_minutes(minutes: u32) -> Self {
        let minutes_count = minutes as usize;
        Self {
            replica_kills: 40 * minutes_count,
            database_kills: 20 * minutes_count,
            samples: 25 * minutes_count,
            outage: Duration::from_secs(60),
            black_hole: Duration::from_secs(30),
            unknown_servers: 50,
            window: Duration::from_secs(10),
            slack: 1,
        }
    }
}

/// Everything that demands use.
struct FleetCampaign<'a> {
    programs: &'a HostilePrograms,
    plan: &'a FleetPlan,
    postgres: PostgresServer,
    random: SplitMix64,
}

/// How replicas reach the database.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DatabaseRoute {
    Direct,
    /// Through PgBouncer in transaction mode, where no notification arrives.
    Pooled,
}

/// Arguments are `--replicas N`, `--seed N`, `--minutes N`, `--demand NAME`,
/// `--debug`, and `--built FOLDER` for programs that are already built.
pub(crate) fn run(words: &[String]) -> anyhow::Result<()> {
    let plan = FleetPlan::parse(words)?;
    let programs = match &plan.built {
        Some(folder) => build::in_folder(folder)?,
        None => build::programs(plan.is_debug)?,
    };
    println!("seed {}, {} replicas\n", plan.seed, plan.replicas);
    let rows = measure(&programs, &plan)?.context("PostgreSQL is not installed")?;
    print!("{}", table::markdown(&rows));
    let missed = rows.iter().filter(|row| row.is_met == Some(false)).count();
    ensure!(missed == 0, "{missed} demands are not met; the same choices: --seed {}", plan.seed);
    Ok(())
}

/// Measures all demands of the plan; none without PostgreSQL.
fn measure(programs: &HostilePrograms, plan: &FleetPlan) -> anyhow::Result<Option<Vec<DemandRow>>> {
    let mut rows = Vec::new();
    for (number, demand) in DEMANDS.iter().enumerate() {
        if !plan.demands.is_empty() && !plan.demands.iter().any(|name| name == demand.name) {
            continue;
        }
        let Some(postgres) = PostgresServer::start() else { return Ok(None) };
        let random = SplitMix64::of_round(plan.seed, number);
        let mut campaign = FleetCampaign { programs, plan, postgres, random };
        let measured = (demand.measure)(&mut campaign).with_context(|| demand.name)?;
        for row in &measured {
            eprintln!("{}: {}", row.demand, row.measured);
        }
        rows.extend(measured);
    }
    Ok(Some(rows))
}

impl FleetCampaign<'_> {
    /// Starts replicas with an empty database.
    fn site(&self, pooler: Option<&PgBouncer>) -> anyhow::Result<FleetSite> {
        self.site_with(SiteOptions {
            database: Some(self.database(pooler)),
            replicas: self.plan.replicas,
            ..SiteOptions::default()
        })
    }

    fn site_with(&self, options: SiteOptions) -> anyhow::Result<FleetSite> {
        FleetSite::open(self.programs, &options)
    }

    /// The URL of an empty database, for replicas.
    fn database(&self, pooler: Option<&PgBouncer>) -> String {
        let url = self.postgres.database();
        let name = url.rsplit('/').next().and_then(|path| path.split('?').next());
        match (pooler, name) {
            (Some(pooler), Some(name)) => pooler.url(name),
            _ => url,
        }
    }

    /// The pooler of this route. An error if it is not installed.
    fn pooler(&self, route: DatabaseRoute) -> anyhow::Result<Option<PgBouncer>> {
        match route {
            DatabaseRoute::Direct => Ok(None),
            DatabaseRoute::Pooled => {
                PgBouncer::start(&self.postgres).context("PgBouncer is not installed").map(Some)
            }
        }
    }
}

impl FleetPlan {
    fn parse(words: &[String]) -> anyhow::Result<Self> {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let mut plan = Self {
            replicas: 3,
            seed: since.as_secs(),
            demands: Vec::new(),
            scale: FleetScale::of_minutes(5),
            is_debug: false,
            built: None,
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().with_context(|| format!("`{word}` needs a value"));
            match word.as_str() {
                "--replicas" => plan.replicas = value()?.parse().context("--replicas")?,
                "--seed" => plan.seed = value()?.parse().context("--seed")?,
                "--minutes" => {
                    plan.scale = FleetScale::of_minutes(value()?.parse().context("--minutes")?);
                }
                "--demand" => {
                    let name = value()?;
                    let all = DEMANDS.map(|demand| demand.name);
                    ensure!(
                        all.contains(&name.as_str()),
                        "`{name}` is not a demand; they are {}",
                        all.join(", ")
                    );
                    plan.demands.push(name.clone());
                }
                "--debug" => plan.is_debug = true,
                "--built" => plan.built = Some(value()?.into()),
                _ => bail!("`{word}` is not an option of `fleet`"),
            }
        }
        ensure!((2..=5).contains(&plan.replicas), "`--replicas` needs a number from 2 to 5");
        Ok(plan)
    }
}
