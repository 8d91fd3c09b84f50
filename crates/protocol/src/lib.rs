//! What debugger and agent say to each other: gRPC messages, the only serialised control types.
