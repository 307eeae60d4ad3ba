//! Shadows of single variables.

use std::fmt;
use std::ops::Deref;

use serde::Serialize;

use crate::probe::Probe;

impl Probe {
    /// Makes a variable that the testbed sees.
    #[inline]
    pub fn shadow<T: Serialize>(&self, name: &'static str, value: T) -> Shadow<T> {
        Shadow::new(self, name, value)
    }
}

/// A variable that the testbed sees, wherever it is: a local, a static, a field behind a lock. Its value is reported
/// with the next action that is done, on any thread.
///
/// ```
/// # use kilter_probe::Probe;
/// let mut term = Probe::global().shadow("currentTerm", 0);
/// term.set(1);
/// term.update(|term| *term += 1);
/// assert_eq!(*term, 2);
/// ```
pub struct Shadow<T> {
    value: T,
    #[cfg(feature = "controlled")]
    name: &'static str,
    #[cfg(feature = "controlled")]
    probe: Probe,
}

impl<T: Serialize> Shadow<T> {
    #[inline]
    fn new(probe: &Probe, name: &'static str, value: T) -> Shadow<T> {
        #[cfg(not(feature = "controlled"))]
        let _ = (probe, name);
        let shadow = Shadow {
            value,
            #[cfg(feature = "controlled")]
            name,
            #[cfg(feature = "controlled")]
            probe: probe.clone(),
        };
        shadow.show();
        shadow
    }

    /// Sets the value.
    #[inline]
    pub fn set(&mut self, value: T) {
        self.value = value;
        self.show();
    }

    /// Changes the value.
    #[inline]
    pub fn update<R>(&mut self, change: impl FnOnce(&mut T) -> R) -> R {
        let result = change(&mut self.value);
        self.show();
        result
    }

    #[cfg_attr(not(feature = "controlled"), expect(clippy::unused_self, reason = "nobody looks at shadows"))]
    #[inline]
    fn show(&self) {
        #[cfg(feature = "controlled")]
        self.probe.show(self.name, &self.value);
    }
}

impl<T> Deref for Shadow<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: fmt::Debug> fmt::Debug for Shadow<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}
