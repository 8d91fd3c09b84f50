"""Run inside gdb: writes the threads of the stopped program as JSON, as gdb sees them."""
import json
import os

import gdb

CALLEE_SAVED = ["rbx", "rbp", "rsp", "r12", "r13", "r14", "r15"]


def number(value):
    """A scalar as text, None for anything else; absent values as their gdb text."""
    try:
        code = value.type.strip_typedefs().code
        if value.is_optimized_out:
            return "<optimized out>"
        if code in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_ENUM):
            return str(int(value))
        return None
    except gdb.error as error:
        return "<error: %s>" % error


def variables(frame):
    result = []
    try:
        block = frame.block()
    except RuntimeError:
        return result
    seen = set()
    while block is not None and not block.is_static and not block.is_global:
        for symbol in block:
            is_label = symbol.type is not None and symbol.type.name == "__CORE_ADDR"
            if (symbol.is_argument or symbol.is_variable) and symbol.name not in seen and not is_label:
                if symbol.addr_class in (gdb.SYMBOL_LOC_STATIC, gdb.SYMBOL_LOC_LABEL):
                    continue
                seen.add(symbol.name)
                try:
                    value = symbol.value(frame)
                except gdb.error as error:
                    result.append([symbol.name, "<error: %s>" % error])
                    continue
                text = number(value)
                if text is not None:
                    result.append([symbol.name, text])
        if block.function is not None:
            break
        block = block.superblock
    return result


def frames():
    result = []
    frame = gdb.newest_frame()
    while frame is not None and len(result) < 200:
        found = frame.find_sal()
        kind = {gdb.SIGTRAMP_FRAME: "signal", gdb.INLINE_FRAME: "inlined"}.get(frame.type(), "normal")
        registers = {}
        for name in CALLEE_SAVED:
            try:
                value = frame.read_register(name)
                registers[name] = None if value.is_optimized_out else int(value) & (2**64 - 1)
            except gdb.error:
                registers[name] = None
        result.append(
            {
                "function": frame.name(),
                "kind": kind,
                "pc": frame.pc(),
                "file": os.path.basename(found.symtab.filename) if found.symtab else None,
                "line": found.line if found.symtab else None,
                "registers": registers,
                "variables": variables(frame),
            }
        )
        frame = frame.older()
    return result


def main():
    threads = []
    for thread in sorted(gdb.selected_inferior().threads(), key=lambda thread: thread.num):
        thread.switch()
        found = {}
        for name in os.environ.get("UNWIND_GLOBALS", "").split():
            try:
                found[name] = str(int(gdb.parse_and_eval(name)))
            except gdb.error as error:
                found[name] = "<error: %s>" % error
        threads.append({"tid": thread.ptid[1], "frames": frames(), "globals": found})
    with open(os.environ["UNWIND_JSON"], "w") as file:
        json.dump(threads, file)


main()
