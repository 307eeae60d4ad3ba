//! What clients ask for, as far as the mapping knows them. Nobody asks here: requests are Kilter's.

use crate::machine::{Command, RequestId};

#[derive(Clone)]
pub enum Request {
    Status,
    Command { request: RequestId, command: Command },
}
