//! Several replicas against a real PostgreSQL.

mod audit;
mod changes;
mod fixture;
mod leases;
mod outages;
mod roles;
mod sharing;
