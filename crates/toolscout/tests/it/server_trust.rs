//! What servers may make us do: nothing that a person has not agreed to.
//!
//! What was executed is counted by the servers themselves. A definition that nobody has looked at is neither called nor
//! read out, whichever way it is asked for.

mod asking;
mod changing;
mod damaged;
mod doors;
mod live;
mod locking;
mod policies;
mod running_servers;
mod untrusted;
