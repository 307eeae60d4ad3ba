//! A state of a behavior, and how it was reached.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use kilter_eval::Label;
use kilter_value::{Moved, Store, Value};

use crate::demand::LinePlace;

/// A state of a behavior. It knows the states before it, as far back as somebody may ask.
#[derive(Debug)]
pub struct Moment {
    row: RefCell<Box<[Value]>>,
    /// How it was reached. `None` for an initial state.
    pub reached: Option<Reached>,
    before: RefCell<Option<Rc<Moment>>>,
    /// The number of steps before it.
    pub depth: u64,
    /// The number of the last move to another store.
    moved: Cell<u64>,
}

/// A step that leads to a moment.
#[derive(Clone, Debug)]
pub struct Reached {
    /// The action, its arguments and its basic blocks.
    label: Cell<Label>,
    /// The line that shows it. `None` for a silent action.
    pub line: Option<LinePlace>,
}

impl Reached {
    /// A step that a line shows, or a silent one.
    pub fn new(label: Label, line: Option<LinePlace>) -> Reached {
        Reached { label: Cell::new(label), line }
    }

    /// The action, its arguments and its basic blocks.
    pub fn label(&self) -> Label {
        self.label.get()
    }
}

impl Moment {
    /// An initial state.
    pub fn initial(row: &[Value]) -> Rc<Moment> {
        Rc::new(Moment {
            row: RefCell::new(row.into()),
            reached: None,
            before: RefCell::default(),
            depth: 0,
            moved: Cell::new(0),
        })
    }

    /// The state after a step.
    pub fn after(before: &Rc<Moment>, row: &[Value], reached: Reached) -> Rc<Moment> {
        Rc::new(Moment {
            row: RefCell::new(row.into()),
            reached: Some(reached),
            before: RefCell::new(Some(Rc::clone(before))),
            depth: before.depth + 1,
            moved: Cell::new(before.moved.get()),
        })
    }

    /// The values of the variables.
    pub fn row(&self) -> std::cell::Ref<'_, [Value]> {
        std::cell::Ref::map(self.row.borrow(), |row| &**row)
    }

    /// The moment before it, as far as it is known.
    pub fn before(&self) -> Option<Rc<Moment>> {
        self.before.borrow().clone()
    }

    /// The moments up to this one, as far back as they are known. The first is the earliest.
    pub fn path(self: &Rc<Moment>) -> Vec<Rc<Moment>> {
        let mut path = vec![Rc::clone(self)];
        while let Some(before) = path.last().and_then(|moment| moment.before()) {
            path.push(before);
        }
        path.reverse();
        path
    }

    /// Forgets what lies more than `n_kept` steps back.
    pub fn trim(self: &Rc<Moment>, n_kept: usize) {
        let mut last = Rc::clone(self);
        for _ in 0..n_kept {
            let Some(before) = last.before() else { return };
            last = before;
        }
        last.before.borrow_mut().take();
    }

    /// Takes this moment and those before it along to another store. `number` tells one move from another.
    pub fn adopt(self: &Rc<Moment>, number: u64, to: &Store, from: &Store, moved: &mut Moved) {
        let mut next = Some(Rc::clone(self));
        while let Some(moment) = next {
            if moment.moved.replace(number) == number {
                return;
            }
            for value in moment.row.borrow_mut().iter_mut() {
                *value = to.adopt(*value, from, moved);
            }
            if let Some(reached) = &moment.reached {
                let label = reached.label.get();
                let (args, blocks) = (to.adopt(label.args, from, moved), to.adopt(label.blocks, from, moved));
                reached.label.set(Label { args, blocks, ..label });
            }
            next = moment.before();
        }
    }
}

impl Drop for Moment {
    /// A long behavior is let go one moment after the other, because the stack is not that deep.
    fn drop(&mut self) {
        let mut rest = self.before.get_mut().take();
        while let Some(moment) = rest {
            rest = Rc::try_unwrap(moment).ok().and_then(|mut last| last.before.get_mut().take());
        }
    }
}
