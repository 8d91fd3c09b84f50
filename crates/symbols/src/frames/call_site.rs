//! What the caller of a frame says about the values it passed: `DW_TAG_call_site` and its
//! parameters, which give a function's arguments their values after they have been overwritten.

use gimli::{AttributeValue, DwAt, DwTag, Encoding, Expression, Operation, UnitOffset, Value};

use super::entry::stack_offset;
use super::viewpoint::{Viewpoint, Within, damaged};
use crate::location::Absence;
use crate::registers::Register;
use crate::{DieId, Function, ModuleAddress, Reader, Symbol};

/// The value that the location `expression` had when the function of this viewpoint was entered.
pub(super) fn entry_value<'a>(
    viewpoint: &Viewpoint<'a>,
    expression: Expression<Reader<'a>>,
    encoding: Encoding,
) -> Result<Value, Absence> {
    let wanted = register_named(&expression, encoding).map(|(register, _)| register);
    let on_stack = stack_offset(&expression, encoding);
    passed(viewpoint, |within, parameter| {
        let entry = within.unit.unit.entry(parameter)?;
        let location = match entry.attr_value(gimli::DW_AT_location) {
            Some(AttributeValue::Exprloc(location)) => location,
            Some(AttributeValue::Block(location)) => Expression(location),
            _ => return Ok(false),
        };
        // The caller names the register, the function perhaps the type of what is in it too.
        let encoding = within.unit.unit.encoding();
        let named = register_named(&location, encoding).map(|(register, _)| register);
        let is_register = wanted.is_some() && named == wanted;
        let is_on_stack = on_stack.is_some() && stack_offset(&location, encoding) == on_stack;
        Ok(is_register || is_on_stack || location.0.slice() == expression.0.slice())
    })
}

/// The register that a whole expression names, if it names one, and the type of what is in it.
pub(super) fn register_named(
    expression: &Expression<Reader<'_>>,
    encoding: Encoding,
) -> Option<(Register, UnitOffset)> {
    let mut operations = expression.operations(encoding);
    let (register, base_type) = match operations.next().ok()?? {
        Operation::Register { register } => (register, UnitOffset(0)),
        Operation::RegisterOffset {
            register,
            offset: 0,
            base_type,
        } if base_type.0 != 0 => (register, base_type),
        _ => return None,
    };
    let is_all = matches!(operations.next(), Ok(None));
    is_all.then_some((register.into(), base_type))
}

/// The value that the caller passed for this (optimised-out) parameter.
pub(super) fn parameter(viewpoint: &Viewpoint<'_>, wanted: DieId) -> Result<Value, Absence> {
    let module = &viewpoint.loaded.module;
    passed(viewpoint, |within, parameter| {
        let entry = within.unit.unit.entry(parameter)?;
        let Some(value) = either(
            &entry,
            gimli::DW_AT_call_parameter,
            gimli::DW_AT_abstract_origin,
        ) else {
            return Ok(false);
        };
        let die = module.resolve(within.unit.id, value).map_err(damaged)?;
        Ok(die == Some(wanted))
    })
}

fn either<'a>(
    entry: &gimli::DebuggingInformationEntry<Reader<'a>>,
    name: DwAt,
    older: DwAt,
) -> Option<AttributeValue<Reader<'a>>> {
    entry.attr_value(name).or_else(|| entry.attr_value(older))
}

/// The value of the parameter of the call under way that `is_wanted` accepts, computed in the
/// caller's frame.
fn passed<'a>(
    viewpoint: &Viewpoint<'a>,
    mut is_wanted: impl FnMut(&Within<'a>, UnitOffset) -> Result<bool, Absence>,
) -> Result<Value, Absence> {
    let caller = viewpoint.caller().ok_or(Absence::EntryValueUnknown)?;
    let (within, site) = call_site(&caller)?;
    if !calls(&caller, &within, site, viewpoint)? {
        return Err(Absence::EntryValueUnknown);
    }
    let mut tree = within.unit.unit.entries_tree(Some(site))?;
    let mut children = tree.root()?.children();
    while let Some(child) = children.next()? {
        let entry = child.entry();
        if !is_parameter(entry.tag()) || !is_wanted(&within, entry.offset())? {
            continue;
        }
        return match either(
            entry,
            gimli::DW_AT_call_value,
            gimli::DW_AT_GNU_call_site_value,
        ) {
            Some(AttributeValue::Exprloc(expression)) => within.number(expression),
            Some(AttributeValue::Block(block)) => within.number(Expression(block)),
            _ => Err(Absence::EntryValueUnknown),
        };
    }
    Err(Absence::EntryValueUnknown)
}

fn is_parameter(tag: DwTag) -> bool {
    tag == gimli::DW_TAG_call_site_parameter || tag == gimli::DW_TAG_GNU_call_site_parameter
}

/// The call site in the caller's function whose return address is the caller's pc.
pub(super) fn call_site<'a>(caller: &Viewpoint<'a>) -> Result<(Within<'a>, UnitOffset), Absence> {
    let activation = caller.activation().ok_or(Absence::EntryValueUnknown)?;
    let loaded = caller.loaded;
    let return_address = loaded.address(activation.pc);
    let address = loaded.address(activation.lookup_pc());
    let described = loaded.module.frame_cache.described(&loaded.module, address);
    let function = described.functions.first();
    let function = function.ok_or(Absence::EntryValueUnknown)?.scope;
    let within = caller.within(function.unit)?;
    let mut found = None;
    for_each_site(&within, function, |site| {
        if site.return_address == Some(return_address) {
            found = Some(site.entry);
        }
        found.is_none()
    })?;
    match found {
        Some(site) => Ok((within, site)),
        None => Err(Absence::EntryValueUnknown),
    }
}

/// One call in the code of a function.
pub(super) struct Site {
    pub entry: UnitOffset,
    pub return_address: Option<ModuleAddress>,
    pub is_tail_call: bool,
}

/// Visits the calls of a function, those in its inlined functions too, while `visit` says so.
pub(super) fn for_each_site(
    within: &Within<'_>,
    function: DieId,
    mut visit: impl FnMut(&Site) -> bool,
) -> Result<(), Absence> {
    let mut tree = within
        .unit
        .unit
        .entries_tree(Some(function.unit_offset()))?;
    let root = tree.root()?;
    visit_sites(within, root, 0, &mut visit)?;
    Ok(())
}

/// Deeper nesting than any compiler writes.
const DEEPEST: usize = 200;

fn visit_sites<'a>(
    within: &Within<'a>,
    node: gimli::EntriesTreeNode<'_, '_, Reader<'a>>,
    depth: usize,
    visit: &mut impl FnMut(&Site) -> bool,
) -> Result<bool, Absence> {
    if depth > DEEPEST {
        return Ok(false);
    }
    let mut children = node.children();
    while let Some(child) = children.next()? {
        let entry = child.entry();
        let is_inner = match entry.tag() {
            gimli::DW_TAG_lexical_block | gimli::DW_TAG_inlined_subroutine => true,
            gimli::DW_TAG_call_site | gimli::DW_TAG_GNU_call_site => {
                let site = site_of(within, entry)?;
                if !visit(&site) {
                    return Ok(false);
                }
                false
            }
            _ => false,
        };
        if is_inner && !visit_sites(within, child, depth + 1, visit)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn site_of<'a>(
    within: &Within<'a>,
    entry: &gimli::DebuggingInformationEntry<Reader<'a>>,
) -> Result<Site, Absence> {
    let value = either(entry, gimli::DW_AT_call_return_pc, gimli::DW_AT_low_pc);
    let return_address = match value {
        Some(value) => within.unit.unit_ref().attr_address(value)?,
        None => None,
    };
    let tail = either(
        entry,
        gimli::DW_AT_call_tail_call,
        gimli::DW_AT_GNU_tail_call,
    );
    Ok(Site {
        entry: entry.offset(),
        return_address: return_address.map(ModuleAddress),
        is_tail_call: matches!(tail, Some(AttributeValue::Flag(true))),
    })
}

/// The function that a call site names, if it names one.
fn named_function(
    viewpoint: &Viewpoint<'_>,
    within: &Within<'_>,
    site: UnitOffset,
) -> Result<Option<Function>, Absence> {
    let entry = within.unit.unit.entry(site)?;
    let value = either(
        &entry,
        gimli::DW_AT_call_origin,
        gimli::DW_AT_abstract_origin,
    );
    let Some(value) = value else { return Ok(None) };
    let module = &viewpoint.loaded.module;
    match module.resolve(within.unit.id, value).map_err(damaged)? {
        Some(die) => Ok(Some(module.function(die).map_err(damaged)?)),
        None => Ok(None),
    }
}

fn symbol_name(function: Function) -> String {
    function.linkage_name.unwrap_or(function.name)
}

/// The name of the symbol that a call site calls, if it names a function.
pub(super) fn callee_name(
    viewpoint: &Viewpoint<'_>,
    within: &Within<'_>,
    site: UnitOffset,
) -> Result<Option<String>, Absence> {
    let function = named_function(viewpoint, within, site)?;
    Ok(function.map(symbol_name))
}

/// The function of the caller's module that a call site names, if it names one.
pub(super) fn callee(
    viewpoint: &Viewpoint<'_>,
    within: &Within<'_>,
    site: UnitOffset,
) -> Result<Option<ModuleAddress>, Absence> {
    let Some(function) = named_function(viewpoint, within, site)? else {
        return Ok(None);
    };
    if function.entry.is_some() {
        return Ok(function.entry);
    }
    // Only declared in this unit: another unit of the module may have it.
    let name = symbol_name(function);
    let symbols = viewpoint.loaded.module.symbols_named(&name);
    Ok(symbols.first().map(|symbol| symbol.address))
}

/// Whether the call site calls the function of the inner viewpoint. It does not where that
/// function was reached by a tail call: then the parameters are those of another function.
fn calls(
    caller: &Viewpoint<'_>,
    within: &Within<'_>,
    site: UnitOffset,
    inner: &Viewpoint<'_>,
) -> Result<bool, Absence> {
    let activation = inner.activation().ok_or(Absence::EntryValueUnknown)?;
    let start = inner.loaded.function_start(activation.lookup_pc());
    let entry = within.unit.unit.entry(site)?;
    if caller.loaded.bias == inner.loaded.bias
        && let Some(callee) = callee(caller, within, site)?
    {
        return Ok(Some(callee.in_process(caller.loaded.bias)) == start);
    }
    if let Some(name) = callee_name(caller, within, site)? {
        // Defined in another module: by name.
        let symbols = inner.loaded.module.symbols_named(&name);
        let is_start =
            |symbol: &Symbol<'_>| Some(symbol.address.in_process(inner.loaded.bias)) == start;
        return Ok(symbols.iter().any(is_start));
    }
    let target = either(
        &entry,
        gimli::DW_AT_call_target,
        gimli::DW_AT_GNU_call_site_target,
    );
    match target {
        Some(AttributeValue::Exprloc(expression)) => {
            let target = within.number(expression)?.to_u64(u64::MAX)?;
            Ok(Some(target) == start)
        }
        _ => Ok(false),
    }
}
