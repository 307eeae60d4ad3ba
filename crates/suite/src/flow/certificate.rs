//! Checks whether potentials prove that a circulation is the cheapest. The check does not depend on how they were
//! found.
//!
//! Let each node have a potential p, and let the reduced cost of an arc u → v be its cost + p(u) − p(v). In a
//! circulation the potentials cancel, so its cost is the same by reduced costs as by costs. If no reduced cost is
//! negative, every circulation costs at least the reduced cost of the lower bounds alone. A circulation that costs
//! exactly this much is the cheapest.

use thiserror::Error;

use super::network::Network;

/// Why a circulation is not proven to be the cheapest.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CertificateError {
    /// There are not as many flows as arcs, or not as many potentials as nodes.
    #[error("the flow or the potentials are those of another network")]
    Sizes,
    /// An arc has less flow than it must have.
    #[error("arc {0} has less flow than it must have")]
    BelowBound(u32),
    /// A node has more flow coming in than going out, or less.
    #[error("what comes into node {0} does not leave it")]
    Unbalanced(u32),
    /// An arc has a negative reduced cost.
    #[error("arc {0} has a negative reduced cost")]
    Negative(u32),
    /// The circulation costs more than the potentials prove to be necessary.
    #[error("the circulation costs {cost}, and the potentials prove only {bound}")]
    Gap {
        /// The cost of the circulation.
        cost: u64,
        /// The lower bound that the potentials prove.
        bound: u64,
    },
}

/// The lower bound on the cost of any circulation that these potentials prove.
pub fn bound(network: &Network, potentials: &[i64]) -> Result<u64, CertificateError> {
    if potentials.len() != network.n_nodes() {
        return Err(CertificateError::Sizes);
    }
    let mut bound = 0;
    for arc in 0..network.n_arcs() as u32 {
        let tail = network.tails()[arc as usize] as usize;
        let head = network.heads()[arc as usize] as usize;
        let reduced = i64::from(network.cost(arc)) + potentials[tail] - potentials[head];
        let reduced = u64::try_from(reduced).map_err(|_| CertificateError::Negative(arc))?;
        bound += reduced * u64::from(network.lower(arc));
    }
    Ok(bound)
}

/// The cost of a circulation. Fails if the flow is not balanced or is below a lower bound.
pub fn cost(network: &Network, flow: &[u32]) -> Result<u64, CertificateError> {
    if flow.len() != network.n_arcs() {
        return Err(CertificateError::Sizes);
    }
    let mut balance = vec![0i64; network.n_nodes()];
    let mut cost = 0;
    for arc in 0..network.n_arcs() as u32 {
        let amount = flow[arc as usize];
        if amount < network.lower(arc) {
            return Err(CertificateError::BelowBound(arc));
        }
        balance[network.tails()[arc as usize] as usize] -= i64::from(amount);
        balance[network.heads()[arc as usize] as usize] += i64::from(amount);
        cost += u64::from(amount) * u64::from(network.cost(arc));
    }
    match balance.iter().position(|balance| *balance != 0) {
        Some(node) => Err(CertificateError::Unbalanced(node as u32)),
        None => Ok(cost),
    }
}

/// Checks that a circulation is the cheapest, and returns its cost.
pub fn certify(network: &Network, flow: &[u32], potentials: &[i64]) -> Result<u64, CertificateError> {
    let cost = cost(network, flow)?;
    let bound = bound(network, potentials)?;
    if cost == bound { Ok(cost) } else { Err(CertificateError::Gap { cost, bound }) }
}
