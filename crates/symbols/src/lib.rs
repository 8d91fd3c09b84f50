//! ELF and DWARF: functions, lines, types, variables, locations, unwinding; knows no process.
