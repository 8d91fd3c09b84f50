//! Requests as values, so that a test can look at those that were made.

use wayfarer_backend::*;

macro_rules! requests {
    (
        always { $($(#[$doc:meta])* $method:ident, $call:ident($request:ident) -> $reply:ident;)* }
        launches {
            $($(#[$launch_doc:meta])*
            $launch_method:ident, $launch:ident($launch_request:ident) -> $launch_reply:ident;)*
        }
        recorded {
            $($(#[$recorded_doc:meta])*
            $recorded_method:ident,
            $recorded:ident($recorded_request:ident) -> $recorded_reply:ident;)*
        }
    ) => {
        /// The kinds of requests.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Call {
            $($(#[$doc])* $call,)*
            $($(#[$launch_doc])* $launch,)*
            $($(#[$recorded_doc])* $recorded,)*
        }

        /// A request that was made.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Request {
            $($(#[$doc])* $call($request),)*
            $($(#[$launch_doc])* $launch($launch_request),)*
            $($(#[$recorded_doc])* $recorded($recorded_request),)*
        }

        impl Request {
            /// Its kind.
            pub fn call(&self) -> Call {
                match self {
                    $(Request::$call(_) => Call::$call,)*
                    $(Request::$launch(_) => Call::$launch,)*
                    $(Request::$recorded(_) => Call::$recorded,)*
                }
            }
        }
    };
}

wayfarer_backend::for_each_call!(requests);
