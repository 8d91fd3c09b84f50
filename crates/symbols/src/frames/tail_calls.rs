//! Frames of functions that have jumped to their last call: nothing of them is left on the stack,
//! but what all ways from the caller to the function that runs have in common is shown.

use gimli::UnitOffset;

use super::call_site::{call_site, callee, callee_name, for_each_site};
use super::viewpoint::{Viewpoint, Within};
use crate::ModuleAddress;
use crate::location::Absence;
use crate::registers::{Register, Registers};
use crate::unwind::{Activation, ActivationKind, AddressSpace, LoadedModule, Stack};

/// More jumps in a row than this are not looked for.
const LONGEST: usize = 8;
/// Functions looked at for one frame.
const MOST_FUNCTIONS: usize = 200;

/// Puts the functions between the activation `inner` and its caller into the stack. Says how many.
pub(super) fn insert(space: &dyn AddressSpace, stack: &mut Stack, inner: usize) -> usize {
    let Some(jumps) = jumps_between(space, stack, inner) else {
        return 0;
    };
    let Some(caller) = stack.activations.get(inner + 1).cloned() else {
        return 0;
    };
    let frame_address = stack.activations[inner].cfa;
    let module = stack.activations[inner].module.clone();
    let count = jumps.len();
    let entered = just_entered(&stack.activations[inner]);
    for (index, return_address) in jumps.into_iter().enumerate() {
        let mut registers = caller.registers.clone();
        registers.set(Register::RIP, return_address);
        // A function that has just been jumped to has changed nothing yet.
        let untouched = entered.as_ref().filter(|_| index + 1 == count);
        for register in Register::all() {
            if !registers.is_assumed(register) {
                continue;
            }
            match untouched.and_then(|registers| registers.get_wide(register)) {
                Some(value) => registers.set_wide(register, value),
                None => registers.forget(register),
            }
        }
        stack.activations.insert(
            inner + 1,
            Activation {
                registers,
                pc: return_address,
                pc_is_exact: false,
                kind: ActivationKind::Normal,
                cfa: frame_address,
                module: module.clone(),
            },
        );
    }
    count
}

/// The registers of a function that stands before its first instruction.
fn just_entered(activation: &Activation) -> Option<Registers> {
    let loaded = activation.module.as_ref()?;
    let start = loaded.function_start(activation.pc)?;
    (activation.pc_is_exact && activation.pc == start).then(|| activation.registers.clone())
}

/// The return addresses of the jumps that are certain, outermost first.
fn jumps_between(space: &dyn AddressSpace, stack: &Stack, inner: usize) -> Option<Vec<u64>> {
    let this = stack.activations.get(inner)?;
    let loaded = this.module.as_ref()?;
    let outer = stack.activations.get(inner + 1)?;
    if outer.pc_is_exact || outer.kind != ActivationKind::Normal {
        return None;
    }
    let start = loaded.function_start(this.lookup_pc())?;
    if let Some(known) = loaded.known_jumps(outer.pc, start) {
        return known;
    }
    let jumps = Viewpoint::frame(space, stack, inner + 1)
        .and_then(|caller| find_jumps(&caller, loaded, loaded.address(start)));
    loaded.remember_jumps(outer.pc, start, jumps.clone());
    jumps
}

/// Looks for the ways from the call under way in `caller` to the function at `start`.
fn find_jumps(
    caller: &Viewpoint<'_>,
    loaded: &LoadedModule,
    start: ModuleAddress,
) -> Option<Vec<u64>> {
    let (within, site) = call_site(caller).ok()?;
    let called = called_function(caller, &within, site, loaded)?;
    if called == start {
        return None;
    }
    let mut search = Search {
        viewpoint: Viewpoint::global(caller.space, loaded),
        wanted: start,
        path: Vec::new(),
        visited: Vec::new(),
        found: Vec::new(),
    };
    search.from(called).ok()?;
    let certain = common(&search.found);
    let jumps = certain.iter().map(|jump| jump.in_process(loaded.bias));
    (!certain.is_empty()).then(|| jumps.collect())
}

/// The jumps at the beginning and at the end that all ways have in common: the whole way, if there
/// is only one.
fn common(ways: &[Vec<ModuleAddress>]) -> Vec<ModuleAddress> {
    let Some((first, others)) = ways.split_first() else {
        return Vec::new();
    };
    let shortest = ways.iter().map(Vec::len).min().unwrap_or(0);
    let all = |same: &dyn Fn(&Vec<ModuleAddress>) -> bool| others.iter().all(same);
    let beginning = (0..shortest)
        .take_while(|at| all(&|other| other[*at] == first[*at]))
        .count();
    let ending = (1..=shortest - beginning)
        .take_while(|back| all(&|other| other[other.len() - back] == first[first.len() - back]))
        .count();
    let mut jumps = first[..beginning].to_vec();
    jumps.extend_from_slice(&first[first.len() - ending..]);
    jumps
}

/// The function that the call names, if it is one of the module of the inner frame.
fn called_function(
    caller: &Viewpoint<'_>,
    within: &Within<'_>,
    site: UnitOffset,
    loaded: &LoadedModule,
) -> Option<ModuleAddress> {
    if caller.loaded.bias == loaded.bias {
        return callee(caller, within, site).ok()?;
    }
    let name = callee_name(caller, within, site).ok()??;
    let symbols = loaded.module.symbols_named(&name);
    symbols.first().map(|symbol| symbol.address)
}

struct Search<'a> {
    viewpoint: Viewpoint<'a>,
    wanted: ModuleAddress,
    /// The return addresses of the jumps so far.
    path: Vec<ModuleAddress>,
    visited: Vec<ModuleAddress>,
    found: Vec<Vec<ModuleAddress>>,
}

impl Search<'_> {
    fn from(&mut self, function: ModuleAddress) -> Result<(), Absence> {
        let is_too_much = self.path.len() >= LONGEST || self.visited.len() >= MOST_FUNCTIONS;
        if is_too_much || self.visited.contains(&function) {
            return Ok(());
        }
        self.visited.push(function);
        let module = &self.viewpoint.loaded.module;
        let Ok(Some(described)) = module.function_at(function) else {
            return Ok(());
        };
        let within = self.viewpoint.within(described.die.unit)?;
        let mut jumps = Vec::new();
        for_each_site(&within, described.die, |site| {
            if site.is_tail_call
                && let Some(return_address) = site.return_address
            {
                jumps.push((site.entry, return_address));
            }
            true
        })?;
        for (site, return_address) in jumps {
            let Some(next) = callee(&self.viewpoint, &within, site)? else {
                continue;
            };
            self.path.push(return_address);
            if next == self.wanted {
                self.found.push(self.path.clone());
            } else {
                self.from(next)?;
            }
            self.path.pop();
        }
        // Another way may lead through the same function.
        self.visited.retain(|visited| *visited != function);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(jumps: &[u64]) -> Vec<ModuleAddress> {
        jumps.iter().copied().map(ModuleAddress).collect()
    }

    #[test]
    fn what_all_ways_have_in_common_is_certain() {
        assert_eq!(common(&[]), way(&[]));
        assert_eq!(common(&[way(&[1, 2])]), way(&[1, 2]));
        assert_eq!(common(&[way(&[1, 3]), way(&[2, 3])]), way(&[3]));
        assert_eq!(common(&[way(&[1, 2, 9]), way(&[1, 3, 4, 9])]), way(&[1, 9]));
        assert_eq!(common(&[way(&[7]), way(&[7, 7])]), way(&[7]));
        assert_eq!(common(&[way(&[1]), way(&[2])]), way(&[]));
    }
}
