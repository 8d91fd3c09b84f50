"""Run inside gdb: stops the program at its breakpoints and writes what gdb sees there as JSON.

LIVE_BREAKS are the locations (separated by newlines), LIVE_STOPS how many stops are described,
LIVE_JSON the file to write, LIVE_PRINTERS a directory with Rust's printers for gdb, LIVE_THREADS
whether all threads are described and not only the one that stopped.
"""
import json
import os
import sys

import gdb


def text(read):
    """The text of a value as `info locals` prints it, or gdb's complaint in angle brackets."""
    try:
        value = read()
        shown = value.format_string(deref_refs=True)
        # A printer of a library that meets an optimised-out value prints nothing.
        if not shown:
            return "<printer failed>"
        return shown
    except gdb.error as error:
        return "<error: %s>" % error


def variables(frame):
    arguments, local = [], []
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
            described = {"name": symbol.name, "value": text(lambda: symbol.value(frame))}
            if symbol.is_argument:
                arguments.append(described)
            elif symbol.is_variable or symbol.is_constant:
                local.append(described)
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
