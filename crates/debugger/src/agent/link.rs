//! A back end on the other side of the protocol: each request is converted, sent, and its answer converted back.

use wayfarer_backend::*;
use wayfarer_protocol as wire;

use super::grpc::GrpcLink;

/// Makes the traits from the list of requests. The session is filled in here.
macro_rules! link {
    (
        always { $($(#[$doc:meta])* $method:ident, $call:ident($request:ident) -> $reply:ident;)* }
        launches { $($(#[$launch_doc:meta])* $launch:ident, $launch_call:ident($launch_request:ident) -> $launch_reply:ident;)* }
        recorded { $($(#[$recorded_doc:meta])* $recorded:ident, $recorded_call:ident($recorded_request:ident) -> $recorded_reply:ident;)* }
    ) => {
        impl Backend for GrpcLink {
            fn close(&self) {
                // The end of the stream is the end of the session.
                self.events.abort();
            }

            fn launches(&self) -> Option<&dyn Launches> {
                Some(self)
            }

            fn recorded(&self) -> Option<&dyn Recorded> {
                Some(self)
            }

            link!(@ask $($method($request) -> $reply;)*);
        }

        impl Launches for GrpcLink {
            link!(@ask $($launch($launch_request) -> $launch_reply;)*);
        }

        impl Recorded for GrpcLink {
            link!(@ask $($recorded($recorded_request) -> $recorded_reply;)*);
        }
    };
    (@ask $($method:ident($request:ident) -> $reply:ident;)*) => {
        $(
            fn $method(&self, request: $request) -> Answer<$reply> {
                let mut request = wire::$request::from(request);
                request.session = self.session;
                let mut client = self.client.clone();
                let reply = self.answer(async move { client.$method(request).await })?;
                Ok(<$reply>::try_from(reply)?)
            }
        )*
    };
}

wayfarer_backend::for_each_call!(link);
