//! The systems that Kilter can drive.
//!
//! - [`redis`]     Redis, through its replication links
//! - [`zookeeper`] ZooKeeper; [`jute`] is the part of its client protocol that is needed
//! - [`etcd`]      etcd, through its JSON gateway
//! - [`rqlite`]    rqlite; `http` is what it and etcd share
//! - [`nats`]      a stream of NATS `JetStream`
//! - [`ovsdb`]     ovsdb-server in a cluster
//! - [`mod@line`]      stores that speak lines of text, such as the toy that our tests drive

pub mod etcd;
mod http;
pub mod jute;
pub mod line;
pub mod nats;
pub mod ovsdb;
pub mod redis;
pub mod rqlite;
pub mod zookeeper;
