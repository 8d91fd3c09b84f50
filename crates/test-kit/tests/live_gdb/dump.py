"""Run inside gdb: stops the program at its breakpoints and writes what gdb sees there as JSON.

LIVE_BREAKS are the locations (separated by newlines), LIVE_STOPS how many stops are described,
LIVE_JSON the file to write, LIVE_PRINTERS a directory with Rust's printers for gdb, LIVE_DIRECTORY
where the sources of the programs are, LIVE_THREADS whether all threads are described and not only
the one that stopped.
"""
import json
import os
import re
import sys

import gdb

# What is imported from here leaves nothing behind in the directory of the tests.
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import rust_values


def text(value):
    """The text of a value as `info locals` prints it, or gdb's complaint in angle brackets."""
    try:
        shown = value.format_string(deref_refs=True)
    except gdb.error as error:
        return "<error: %s>" % error
    # A printer of a library that meets an optimised-out value prints nothing.
    if not shown:
        return "<printer failed>"
    return rust_values.plain(shown) if os.environ.get("LIVE_PRINTERS") else shown


def described(symbol, frame):
    if is_deadly(symbol):
        return {"name": symbol.name, "value": "<gdb would crash>"}
    try:
        value = symbol.value(frame)
    except gdb.error as error:
        return {"name": symbol.name, "value": "<error: %s>" % error}
    described = {"name": symbol.name, "value": text(value)}
    if os.environ.get("LIVE_PRINTERS"):
        described["followed"] = rust_values.followed(value, text)
    copy = kept(symbol, frame)
    if copy is not None:
        described["kept"] = text(copy)
        if os.environ.get("LIVE_PRINTERS"):
            described["followed"].update(rust_values.followed(copy, text))
    return described


def is_deadly(symbol):
    """gdb 13 dies of a Rust enum of which the compiler kept some pieces but not the discriminant."""
    if symbol.type is None or symbol.type.code != gdb.TYPE_CODE_STRUCT or not symbol.name:
        return False
    is_enum = any(field.artificial for field in symbol.type.fields())
    return is_enum and "piece" in gdb.execute("info address " + symbol.name, to_string=True)


def kept(symbol, frame):
    """The copy of a value in a register that calls leave alone, described where the call returns to."""
    if frame.level() == 0 or not symbol.name:
        return None
    places = gdb.execute("info address " + symbol.name, to_string=True)
    for low, high, register in re.findall(r"Range (0x\w+)-(0x\w+): a variable in \$(\w+)\n", places):
        if int(low, 16) <= frame.pc() < int(high, 16) and register in ("rbx", "rbp", "r12", "r13", "r14", "r15"):
            try:
                return frame.read_register(register).cast(symbol.type)
            except gdb.error:
                return None
    return None


def variables(frame):
    arguments, local = [], []
    place = frame.find_sal()
    # Values are compared in the frames of our own programs only.
    own = os.environ["LIVE_DIRECTORY"]
    if place.symtab is None or not os.path.exists(os.path.join(own, os.path.basename(place.symtab.filename))):
        return arguments, local
    try:
        block = frame.block()
    except RuntimeError:
        return arguments, local
    while block is not None and not block.is_static and not block.is_global:
        for symbol in block:
            if symbol.addr_class in (gdb.SYMBOL_LOC_TYPEDEF, gdb.SYMBOL_LOC_LABEL, gdb.SYMBOL_LOC_BLOCK):
                continue
            if symbol.type is not None and symbol.type.name == "__CORE_ADDR":
                # A label that the optimiser removed.
                continue
            if symbol.is_argument:
                arguments.append(described(symbol, frame))
            elif symbol.is_variable or symbol.is_constant:
                local.append(described(symbol, frame))
        if block.function is not None:
            break
        block = block.superblock
    return arguments, local


def stack():
    frames = []
    frame = gdb.newest_frame()
    while frame is not None and len(frames) < 100:
        place = frame.find_sal()
        kind = {gdb.SIGTRAMP_FRAME: "signal", gdb.INLINE_FRAME: "inlined", gdb.TAILCALL_FRAME: "tail"}
        frame.select()
        arguments, local = variables(frame)
        frames.append(
            {
                "kind": kind.get(frame.type(), "normal"),
                "function": frame.name(),
                "file": place.symtab.filename if place.symtab else None,
                "line": place.line if place.symtab else None,
                "arguments": arguments,
                "locals": local,
            }
        )
        frame = frame.older()
    return frames


def stop():
    stopped = gdb.selected_thread()
    if os.environ.get("LIVE_THREADS") != "1":
        return {"stacks": [stack()]}
    threads = sorted(gdb.selected_inferior().threads(), key=lambda thread: thread.num)
    stacks = []
    for thread in threads:
        thread.switch()
        stacks.append(stack())
    stopped.switch()
    return {"stacks": stacks}


def main():
    for setting in ("pagination off", "confirm off", "width 0", "debuginfod enabled off", "startup-with-shell off"):
        gdb.execute("set " + setting)
    gdb.execute("set breakpoint pending on")
    # The program must see the environment that it sees under Wayfarer: it decides where the stack begins, and so
    # the value of every variable that has none yet.
    for name in [name for name in os.environ if name.startswith("LIVE_")] + ["LINES", "COLUMNS"]:
        gdb.execute("unset environment " + name)
    printers = os.environ.get("LIVE_PRINTERS")
    if printers:
        sys.path.insert(0, printers)
        import gdb_lookup

        gdb_lookup.register_printers(gdb.current_progspace())
    for location in os.environ["LIVE_BREAKS"].split("\n"):
        gdb.execute("break " + location, to_string=True)
    gdb.execute("handle SIGUSR1 nostop noprint pass", to_string=True)
    stops = []
    gdb.execute("run", to_string=True)
    while gdb.selected_inferior().pid != 0 and len(stops) < int(os.environ["LIVE_STOPS"]):
        stops.append(stop())
        gdb.execute("continue", to_string=True)
    with open(os.environ["LIVE_JSON"], "w") as file:
        json.dump(stops, file)


main()
