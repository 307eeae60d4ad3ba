//! The systems that Kilter can drive.
//!
//! - [`redis`]     Redis, through its replication links
//! - [`sentinel`]  Redis with Sentinel, which chooses who leads
//! - [`zookeeper`] ZooKeeper; [`jute`] is the part of its client protocol that is needed
//! - [`etcd`]      etcd, through its JSON gateway
//! - [`rqlite`]    rqlite; `http` is what it and etcd share
//! - [`nats`]      a stream of NATS `JetStream`
//! - [`ovsdb`]     ovsdb-server in a cluster
//! - [`postgres`]  PostgreSQL with streaming replication; `pgwire` is the part of its client protocol that is needed
//! - [`mod@line`]      stores that speak lines of text, such as the toy that our tests drive

pub mod etcd;
mod http;
pub mod jute;
pub mod line;
pub mod nats;
pub mod ovsdb;
mod pgwire;
pub mod postgres;
pub mod redis;
pub mod rqlite;
pub mod sentinel;
pub mod zookeeper;
