//! Several replicas against a real PostgreSQL.

mod fixture;
mod leases;
mod outages;
mod sharing;
