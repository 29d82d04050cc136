//! Requests that Amazon's services ask to be signed (Signature Version 4), and who signs them.
//!
//! ```text
//! Properties --AwsKeys::of--> keys, or the machine's own --AssumedRole--> keys of a role --Signed--> headers
//! ```
//! Rooms: `keys` what is given; `role` keys that a role lends for a while; `answer` what the
//! token service says; `sign` headers of a request.

mod answer;
mod keys;
mod role;
mod sign;

pub(crate) use keys::{AwsKeys, HALF_A_PAIR, Signer};
pub(crate) use role::Role;
pub(crate) use sign::Signed;
