//! What is known of the code of one module at the addresses where threads have stopped. The
//! threads of a program stop in the same few places: each is looked up once.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, OnceLock, RwLock};

use super::described::{Described, describe};
use crate::unwind::CallFrameCache;
use crate::{DieId, Module, ModuleAddress, Variable};

/// Entries kept in each map; a program that visits more forgets all and starts again.
const MOST_ENTRIES: usize = 1 << 14;

/// Belongs to a module and is shared by all processes that map it.
#[derive(Default)]
pub(crate) struct FrameCache {
    pub call_frames: CallFrameCache,
    described: Remembered<ModuleAddress, Arc<Described>>,
    variables: Remembered<(DieId, ModuleAddress), Arc<[Variable]>>,
    /// Rust's virtual tables, found when the first trait object is looked at.
    pub vtables: OnceLock<HashMap<ModuleAddress, DieId>>,
}

type Remembered<K, V> = RwLock<HashMap<K, V>>;

impl FrameCache {
    /// The functions and the line at an address.
    pub fn described(&self, module: &Module, address: ModuleAddress) -> Arc<Described> {
        remembered(&self.described, address, || {
            Arc::new(describe(module, address))
        })
    }

    /// The variables of a function (really called or inlined) that are visible at an address.
    pub fn variables(
        &self,
        module: &Module,
        scope: DieId,
        address: ModuleAddress,
    ) -> Arc<[Variable]> {
        remembered(&self.variables, (scope, address), || {
            let variables = module.variables_in(scope, address);
            variables.unwrap_or_default().into()
        })
    }
}

fn remembered<K: Eq + Hash, V: Clone>(
    map: &Remembered<K, V>,
    key: K,
    find: impl FnOnce() -> V,
) -> V {
    if let Ok(known) = map.read()
        && let Some(value) = known.get(&key)
    {
        return value.clone();
    }
    let value = find();
    if let Ok(mut known) = map.write() {
        if known.len() >= MOST_ENTRIES {
            known.clear();
        }
        known.insert(key, value.clone());
    }
    value
}
