"""What gdb lacks of Rust: what pointers point to, and library types in the form that their users know."""
import re

import gdb

MOST_DEPTH = 16
MOST_ELEMENTS = 32

CELL = r"core::cell::UnsafeCell<\w+> \{value: (-?\d+)\}"
LOCK = (
    r"(Mutex)<[^{]*\{inner: [\w:]+ \{futex: core::sync::atomic::AtomicU32 \{v: %s\}\}, "
    r"poison: [\w:]+ \{failed: core::sync::atomic::AtomicBool \{v: %s\}\}, data: "
) % (CELL, CELL)
DURATION = r"core::time::Duration \{secs: (\d+), nanos: [\w:]+ \((\d+)\)\}"
GUARD = r"core::cell::(Ref|RefMut)<[^{]*\{value: [^{]*\{pointer: (0x[0-9a-f]+)\}, borrow: [^{]*\{borrow: \w+\}[^}]*\}"
RANGE = r"core::ops::range::Range<\w+> \{start: (-?\w+), end: (-?\w+)\}"
TRAIT_OBJECT = r"(?:&|alloc::boxed::Box<)(?:mut )?dyn [^{]*\{pointer: (0x[0-9a-f]+), vtable: [^}]*\}"


def plain(text):
    """Rewrites library types: a lock is what it guards and whether it is locked, a duration is a time."""
    text = re.sub(r"RefCell\(borrow(_mut)?=\d+\) =", "RefCell", text)
    text = re.sub(r", borrow = 0\}", "}", text)
    text = re.sub(r", borrow = (\d+)\}", r", borrowed=\1}", text)
    text = re.sub(r", borrow = -\d+\}", ", mutably borrowed}", text)
    text = re.sub(DURATION, lambda found: duration(int(found[1]), int(found[2])), text)
    text = re.sub(RANGE, r"\1..\2", text)
    text = re.sub(GUARD, r"\1(\2)", text)
    text = re.sub(r"&(mut )?\[[^\]]*\]\(size=", r"&\1[](size=", text)
    text = re.sub(TRAIT_OBJECT, r"\1", text)
    text = re.sub(r"&(?:mut )?dyn [^{]*\{pointer: (<[^>]*>), vtable: \1\}", r"\1", text)
    while found := re.search(LOCK, text):
        end = closing(text, found.end())
        state = (", locked" if found[2] != "0" else "") + (", poisoned" if found[3] != "0" else "")
        text = text[: found.start()] + "Mutex(" + text[found.end() : end] + state + ")" + text[end + 1 :]
    text = re.sub(r"AtomicBool \{v: core::cell::UnsafeCell<u8> \{value: 0\}\}", "AtomicBool(false)", text)
    return re.sub(r"AtomicBool \{v: core::cell::UnsafeCell<u8> \{value: 1\}\}", "AtomicBool(true)", text)


def closing(text, at):
    """The brace that closes the one before `at`."""
    depth = 1
    while at < len(text):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return at
        at += 1
    return at - 1


def duration(seconds, nanoseconds):
    for unit, size in (("s", 10**9), ("ms", 10**6), ("\u00b5s", 10**3)):
        total = seconds * 10**9 + nanoseconds
        if total >= size:
            part = ("%09d" % (total % size * (10**9 // size))).rstrip("0")
            return "%d%s%s" % (total // size, "." + part if part else "", unit)
    return "%dns" % nanoseconds


def followed(value, shown):
    """The texts of all that the pointers in a value point to, by their addresses."""
    found = {}
    follow(value, shown, found, 0)
    return found


def follow(value, shown, found, depth):
    """Whatever gdb and its printers cannot reach, for whatever reason, is not followed."""
    if depth > MOST_DEPTH:
        return
    try:
        kind = value.type
        if kind.code == gdb.TYPE_CODE_PTR:
            target = kind.target().strip_typedefs()
            if int(value) != 0 and target.code not in (gdb.TYPE_CODE_FUNC, gdb.TYPE_CODE_VOID):
                reach(value, value.dereference(), shown, found, depth)
        elif kind.code == gdb.TYPE_CODE_STRUCT and {field.name for field in kind.fields()} == {"pointer", "vtable"}:
            gdb.set_convenience_variable("object", value)
            reach(value["pointer"], gdb.parse_and_eval("*$object"), shown, found, depth)
        else:
            for part in parts(value, kind):
                follow(part, shown, found, depth + 1)
    except Exception:
        return


def reach(pointer, target, shown, found, depth):
    texts = found.setdefault("%#x" % int(pointer), [])
    text = shown(target)
    if text not in texts:
        texts.append(text)
        follow(target, shown, found, depth + 1)


def parts(value, kind):
    if kind.code == gdb.TYPE_CODE_ARRAY:
        low, high = kind.range()
        for index in range(low, min(high, low + MOST_ELEMENTS) + 1):
            yield value[index]
    elif kind.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
        # A discriminant is artificial: it is no part of the value that it chooses.
        for field in kind.fields():
            if not field.artificial:
                yield value[field]
        printer = gdb.default_visualizer(value)
        if hasattr(printer, "children"):
            for number, (_, child) in enumerate(printer.children()):
                if number >= MOST_ELEMENTS:
                    return
                if isinstance(child, gdb.Value):
                    yield child
