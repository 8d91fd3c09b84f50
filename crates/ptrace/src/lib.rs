//! Control of Linux processes as types: running, stopped, gone; memory and registers.
