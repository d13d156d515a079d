//! Who decides about calls and changes: operators, and clients that an operator has marked.
//!
//! 1. The answer of an agent to its own question approves nothing: [`elicitation`].
//! 2. A process that a tool or a server has started decides nothing: [`descendants`].
//! 3. A token has the rights it was created with, until it expires or is revoked: [`tokens`].
//! 4. Every route asks for them: [`routes`].

mod descendants;
mod elicitation;
mod routes;
mod tokens;
