//! Values as trees: roots for an expression or a frame's variables, and children level by level.

use std::ops::Range;

use wayfarer_expression::{Format, Value, ValueNode, children, evaluate, node, print};

use super::{At, Debugger};
use crate::evaluation::{Opened, Scene, Standing, ValueHandle};
use crate::view::{ChildView, NodeView};
use crate::{DebuggerError, Result, StackFrame};

impl Debugger {
    /// What the handle's value is, in short.
    pub fn open(&mut self, handle: &ValueHandle) -> Result<NodeView> {
        self.with_held(handle, |node, _, _| node.clone())
            .map(|node| view(node, handle))
    }

    /// Some children of a value, in order; fewer where it has not so many. Only those are read, unless they can but be
    /// walked from the first one on (lists, maps).
    ///
    /// Fails if the thread has run on since the handle was made: what it led to may be gone.
    pub fn children(&mut self, handle: &ValueHandle, range: Range<u64>) -> Result<Vec<ChildView>> {
        let found = self.with_held(handle, |node, format, scene| {
            children(node, range, format, scene)
        })?;
        let child = |child: wayfarer_expression::ValueChild| ChildView {
            name: child.name.to_string(),
            key: child.key.map(|key| view(key, handle)),
            node: view(child.node, handle),
        };
        Ok(found.into_iter().map(child).collect())
    }

    /// The whole value as gdb would print it, as much of it as the settings allow.
    pub fn text(&mut self, handle: &ValueHandle) -> Result<String> {
        let text = self.with_held(handle, |node, format, scene| match node.value() {
            Some(value) => print(value, format, scene),
            None => Ok(node.summary.clone()),
        })?;
        text.map_err(|error| DebuggerError::Expression(error.to_string()))
    }

    /// Does something with a handle's value where it was read.
    fn with_held<T>(
        &mut self,
        handle: &ValueHandle,
        work: impl FnOnce(&ValueNode, &Format, &mut Scene<'_>) -> T,
    ) -> Result<T> {
        let held = handle.held();
        let frame = self.standing_frame(held.standing)?;
        Ok(self.at(frame).with_scene(|scene| match &held.opened {
            Opened::Node(node) => work(node, &held.format, scene),
            Opened::Value(value) => {
                let node = node(value, &held.format, scene);
                work(&node, &held.format, scene)
            }
        }))
    }

    fn standing_frame(&self, standing: Option<Standing>) -> Result<Option<StackFrame>> {
        match standing {
            None => Ok(None),
            Some(then) if self.runs(then.frame.thread) == Some(then.runs) => Ok(Some(then.frame)),
            Some(_) => Err(DebuggerError::StaleValue),
        }
    }
}

impl At<'_> {
    /// The value of an expression as the root of a tree: only what its short text says is read.
    pub fn tree(&mut self, expression: &str) -> Result<NodeView> {
        let format = self.debugger.print_style().format;
        let (node, there) = self.with_expression_there(expression, |expression, scene| {
            let value = evaluate(expression, scene)?;
            Ok(node(&value, &format, scene))
        })?;
        let standing = self.debugger.standing(there);
        let handle = ValueHandle::new(Opened::Node(node.clone()), &format, standing);
        Ok(root(node, handle))
    }

    /// Arguments and local variables of the frame as roots of trees, innermost block first; those that cannot be seen
    /// for their types are left out.
    pub fn variable_trees(&mut self) -> Result<Vec<ChildView>> {
        self.walked()?;
        let format = Format {
            custom: false,
            ..self.debugger.print_style().format
        };
        let frame = self.frame;
        let standing = self.debugger.standing(frame);
        Ok(self.with_scene(|scene| {
            let named = |variable: &wayfarer_symbols::Variable| !variable.name.is_empty();
            let mut views = Vec::new();
            for variable in scene.locals().into_iter().filter(named) {
                let Some(value) = scene.local_value(&variable) else {
                    continue;
                };
                let node = node(&value, &format, scene);
                let handle = ValueHandle::new(Opened::Node(node.clone()), &format, standing);
                views.push(ChildView {
                    name: variable.name,
                    key: None,
                    node: root(node, handle),
                });
            }
            views
        }))
    }
}

impl Debugger {
    /// A frame as it stands now, if its thread does.
    pub(super) fn standing(&self, frame: Option<StackFrame>) -> Option<Standing> {
        let frame = frame?;
        let runs = self.runs(frame.thread)?;
        Some(Standing { frame, runs })
    }

    /// A handle of a value that was read in a frame.
    pub(super) fn handle(
        &self,
        value: &Value,
        format: &Format,
        frame: Option<StackFrame>,
    ) -> ValueHandle {
        let standing = self.standing(frame);
        ValueHandle::new(Opened::Value(value.clone()), format, standing)
    }
}

/// A node as a view, with a handle like that of where it was found.
fn view(node: ValueNode, like: &ValueHandle) -> NodeView {
    let held = like.held();
    let handle = ValueHandle::new(Opened::Node(node.clone()), &held.format, held.standing);
    root(node, handle)
}

fn root(node: ValueNode, handle: ValueHandle) -> NodeView {
    NodeView {
        type_name: node.type_name,
        summary: node.summary,
        kind: node.kind,
        children: node.count,
        handle,
    }
}
