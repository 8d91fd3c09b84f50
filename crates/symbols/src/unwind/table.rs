//! The call frame information of one module: `.eh_frame` through its sorted header, then
//! `.debug_frame`. Rows are computed once and kept, because the threads of a process stop in the
//! same few functions.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock, RwLock};

use gimli::{
    BaseAddresses, CfaRule, CieOrFde, DebugFrame, EhFrame, Encoding, Expression,
    FrameDescriptionEntry, RegisterRule, UnwindContext, UnwindExpression, UnwindOffset,
    UnwindSection,
};

use crate::registers::Register;
use crate::{AddressRange, Module, ModuleAddress, Reader};

/// Rows kept per module; a program that visits more than this forgets all and starts again.
const MOST_ROWS: usize = 1 << 16;

/// How to restore the caller's registers for one range of instructions.
#[derive(Debug, Clone)]
pub struct Row {
    /// Link-time addresses of the instructions that this row describes.
    pub addresses: Range<u64>,
    /// Whether the frame is one that the kernel made to run a signal handler.
    pub is_signal_frame: bool,
    /// The column that holds the return address.
    pub return_address: Register,
    pub(super) cfa: CfaRule<usize>,
    pub(super) rules: Vec<(Register, RegisterRule<usize>)>,
    pub(super) encoding: Encoding,
    section: Section,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    EhFrame,
    DebugFrame,
}

struct Described {
    addresses: Range<u64>,
    offset: usize,
}

/// What has been found out about the call frames of one module.
#[derive(Default)]
pub struct CallFrameCache {
    /// All of `.eh_frame` by address; made only when the header does not help.
    eh_frame_index: OnceLock<Vec<Described>>,
    debug_frame_index: OnceLock<Vec<Described>>,
    rows: RwLock<BTreeMap<u64, Arc<Row>>>,
}

type Entry<'module> = FrameDescriptionEntry<Reader<'module>>;

impl CallFrameCache {
    /// The row for the instruction at this address of the module, if there is one.
    pub fn row(
        &self,
        module: &Module,
        address: ModuleAddress,
    ) -> Result<Option<Arc<Row>>, gimli::Error> {
        let address = address.0;
        if let Some(row) = self.cached(address) {
            return Ok(Some(row));
        }
        let mut found = None;
        if let Some((section, bases)) = module.eh_frame()
            && let Some(entry) = self.entry_of_eh_frame(module, &section, &bases, address)?
        {
            found = row_of(&section, &bases, &entry, address, Section::EhFrame)?;
        }
        if found.is_none()
            && let Some(section) = module.debug_frame()
        {
            let bases = BaseAddresses::default();
            if let Some(entry) = self.entry_of_debug_frame(&section, &bases, address)? {
                found = row_of(&section, &bases, &entry, address, Section::DebugFrame)?;
            }
        }
        let Some(row) = found else { return Ok(None) };
        let row = Arc::new(row);
        if let Ok(mut rows) = self.rows.write() {
            if rows.len() >= MOST_ROWS {
                rows.clear();
            }
            rows.insert(row.addresses.start, Arc::clone(&row));
        }
        Ok(Some(row))
    }

    /// Where the function that contains this address begins and ends, as far as its call frame
    /// information says: good enough for a function without a symbol.
    pub fn described_range(&self, module: &Module, address: ModuleAddress) -> Option<AddressRange> {
        let address = address.0;
        if let Some((section, bases)) = module.eh_frame()
            && let Ok(Some(entry)) = self.entry_of_eh_frame(module, &section, &bases, address)
        {
            return Some(AddressRange::new(
                entry.initial_address(),
                entry.end_address(),
            ));
        }
        let section = module.debug_frame()?;
        let entry = self
            .entry_of_debug_frame(&section, &BaseAddresses::default(), address)
            .ok()??;
        Some(AddressRange::new(
            entry.initial_address(),
            entry.end_address(),
        ))
    }

    fn cached(&self, address: u64) -> Option<Arc<Row>> {
        let rows = self.rows.read().ok()?;
        let (_, row) = rows.range(..=address).next_back()?;
        row.addresses.contains(&address).then(|| Arc::clone(row))
    }

    fn entry_of_eh_frame<'module>(
        &self,
        module: &'module Module,
        section: &EhFrame<Reader<'module>>,
        bases: &BaseAddresses,
        address: u64,
    ) -> Result<Option<Entry<'module>>, gimli::Error> {
        if let Some((header, header_bases)) = module.eh_frame_hdr()
            && let Ok(parsed) = header.parse(&header_bases, 8)
            && let Some(table) = parsed.table()
        {
            match table.fde_for_address(section, &header_bases, address, EhFrame::cie_from_offset) {
                Ok(entry) => return Ok(Some(entry)),
                Err(gimli::Error::NoUnwindInfoForAddress) => return Ok(None),
                // A damaged header is no reason to give up: the section itself may be sound.
                Err(_) => {}
            }
        }
        let index = self.eh_frame_index.get_or_init(|| index_of(section, bases));
        entry_at(section, bases, index, address)
    }

    fn entry_of_debug_frame<'module>(
        &self,
        section: &DebugFrame<Reader<'module>>,
        bases: &BaseAddresses,
        address: u64,
    ) -> Result<Option<Entry<'module>>, gimli::Error> {
        let index = self
            .debug_frame_index
            .get_or_init(|| index_of(section, bases));
        entry_at(section, bases, index, address)
    }
}

impl Row {
    /// The expression that a rule of this row refers to.
    pub(super) fn expression<'module>(
        &self,
        module: &'module Module,
        expression: &UnwindExpression<usize>,
    ) -> Result<Expression<Reader<'module>>, gimli::Error> {
        let gone = gimli::Error::UnexpectedEof(gimli::ReaderOffsetId(0));
        match self.section {
            Section::EhFrame => expression.get(&module.eh_frame().ok_or(gone)?.0),
            Section::DebugFrame => expression.get(&module.debug_frame().ok_or(gone)?),
        }
    }
}

/// All entries of a section by address. Entries after a damaged one are lost.
fn index_of<R, S>(section: &S, bases: &BaseAddresses) -> Vec<Described>
where
    R: gimli::Reader<Offset = usize>,
    S: UnwindSection<R>,
{
    let mut index = Vec::new();
    let mut entries = section.entries(bases);
    while let Ok(Some(entry)) = entries.next() {
        let CieOrFde::Fde(partial) = entry else {
            continue;
        };
        let Ok(entry) = partial.parse(S::cie_from_offset) else {
            continue;
        };
        // Functions that the linker removed keep entries at address zero.
        if entry.initial_address() == 0 || entry.len() == 0 {
            continue;
        }
        index.push(Described {
            addresses: entry.initial_address()..entry.end_address(),
            offset: entry.offset(),
        });
    }
    index.sort_by_key(|described| described.addresses.start);
    index
}

fn entry_at<R, S>(
    section: &S,
    bases: &BaseAddresses,
    index: &[Described],
    address: u64,
) -> Result<Option<FrameDescriptionEntry<R>>, gimli::Error>
where
    R: gimli::Reader<Offset = usize>,
    S: UnwindSection<R>,
{
    let after = index.partition_point(|described| described.addresses.start <= address);
    let Some(described) = after.checked_sub(1).and_then(|before| index.get(before)) else {
        return Ok(None);
    };
    if !described.addresses.contains(&address) {
        return Ok(None);
    }
    let offset = S::Offset::from(described.offset);
    section
        .fde_from_offset(bases, offset, S::cie_from_offset)
        .map(Some)
}

fn row_of<R, S>(
    section: &S,
    bases: &BaseAddresses,
    entry: &FrameDescriptionEntry<R>,
    address: u64,
    which: Section,
) -> Result<Option<Row>, gimli::Error>
where
    R: gimli::Reader<Offset = usize>,
    S: UnwindSection<R>,
    S::Offset: UnwindOffset<usize>,
{
    let mut context = UnwindContext::new();
    let row = match entry.unwind_info_for_address(section, bases, &mut context, address) {
        Ok(row) => row,
        Err(gimli::Error::NoUnwindInfoForAddress) => return Ok(None),
        Err(error) => return Err(error),
    };
    let cie = entry.cie();
    Ok(Some(Row {
        addresses: row.start_address()..row.end_address(),
        is_signal_frame: entry.is_signal_trampoline(),
        return_address: cie.return_address_register().into(),
        cfa: row.cfa().clone(),
        rules: row
            .registers()
            .map(|(register, rule)| ((*register).into(), rule.clone()))
            .collect(),
        encoding: cie.encoding(),
        section: which,
    }))
}
