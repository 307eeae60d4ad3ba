//! The systems that Kilter knows.
//!
//! - [`redis`]     Redis, by its replication links
//! - [`zookeeper`] ZooKeeper, and [`jute`], as much of its client protocol as is needed
//! - [`etcd`]      etcd, by its JSON gateway
//! - [`mod@line`]      stores that speak lines of text, such as the toy that our tests drive

pub mod etcd;
pub mod jute;
pub mod line;
pub mod redis;
pub mod zookeeper;
