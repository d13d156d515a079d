//! Several replicas against a real PostgreSQL.

mod audit;
mod fixture;
mod leases;
mod outages;
mod sharing;
