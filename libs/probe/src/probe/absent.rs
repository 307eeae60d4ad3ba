//! The probe when it compiles to nothing: the same names, no size, empty bodies. The feature `controlled` has the
//! documentation.

#![expect(missing_docs, reason = "documented where they do something")]
#![expect(clippy::unused_async, reason = "the same signatures as where they do something")]

use std::future::Future;
use std::marker::PhantomData;

use serde::Serialize;
use serde_json::Value as Json;

use crate::variables::Variables;

#[derive(Clone, Default)]
pub struct Probe;

impl Probe {
    #[inline]
    pub fn absent() -> Probe {
        Probe
    }

    #[inline]
    pub fn global() -> &'static Probe {
        &Probe
    }

    #[inline]
    pub fn is_controlled(&self) -> bool {
        false
    }

    #[inline]
    pub fn parties(&self, _: usize) {}

    #[inline]
    pub fn action(&self, _: &'static str) -> Offering<'_> {
        Offering(PhantomData)
    }

    #[inline]
    pub fn sent(&self, _: &str, _: &(impl Serialize + ?Sized)) {}

    #[inline]
    pub fn clock(&self) -> Option<Json> {
        None
    }

    #[inline]
    pub fn heard(&self, _: &Json) {}

    #[inline]
    pub fn received(&self) {}

    #[inline]
    pub fn idle<R>(&self, wait: impl FnOnce() -> R) -> R {
        wait()
    }

    #[inline]
    pub async fn idle_async<R>(&self, wait: impl Future<Output = R>) -> R {
        wait.await
    }

    #[inline]
    pub fn next_request(&self) -> Option<Asked> {
        None
    }

    #[inline]
    pub fn report(&self, _: &impl Variables) {}

    #[inline]
    pub fn show(&self, _: &str, _: &(impl Serialize + ?Sized)) {}
}

#[must_use = "an action that does not begin is not offered"]
pub struct Offering<'p>(PhantomData<&'p Probe>);

impl Offering<'_> {
    #[inline]
    pub fn arg(self, _: impl Serialize) -> Self {
        self
    }

    #[inline]
    pub fn holding(self, _: &impl Variables) -> Self {
        self
    }

    #[inline]
    pub fn begin(self) -> Step {
        Step
    }

    #[inline]
    pub async fn begin_async(self) -> Step {
        Step
    }

    #[inline]
    pub fn taking(self, _: &(impl Serialize + ?Sized)) -> Times {
        Times(Some(Step))
    }
}

#[must_use = "the action is done as soon as this is dropped"]
pub struct Step;

impl Step {
    #[inline]
    pub fn end(self, _: &impl Variables) {}
}

pub struct Asked {
    pub action: String,
    pub args: Vec<Json>,
    pub step: Step,
}

impl Asked {
    #[inline]
    pub fn refuse(self) {}
}

pub struct Times(Option<Step>);

impl Times {
    #[inline]
    pub async fn next_async(&mut self) -> Option<Step> {
        self.0.take()
    }
}

impl Iterator for Times {
    type Item = Step;

    #[inline]
    fn next(&mut self) -> Option<Step> {
        self.0.take()
    }
}
