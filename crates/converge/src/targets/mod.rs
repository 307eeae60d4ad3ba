//! The systems that Kilter can drive.
//!
//! - [`redis`]     Redis, through its replication links
//! - [`zookeeper`] ZooKeeper; [`jute`] is the part of its client protocol that is needed
//! - [`etcd`]      etcd, through its JSON gateway
//! - [`mod@line`]      stores that speak lines of text, such as the toy that our tests drive

pub mod etcd;
pub mod jute;
pub mod line;
pub mod redis;
pub mod zookeeper;
