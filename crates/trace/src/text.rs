//! Byte strings that are nearly always UTF-8: arguments, paths, the environment.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A byte string. In JSON it is a string where it is UTF-8 and an array of numbers where it is not,
/// so nothing is lost and people can still read it.
#[derive(Clone, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Text(pub Vec<u8>);

impl Text {
    pub fn as_os_str(&self) -> &OsStr {
        OsStr::from_bytes(&self.0)
    }

    pub fn to_os_string(&self) -> OsString {
        OsString::from_vec(self.0.clone())
    }
}

impl From<&OsStr> for Text {
    fn from(text: &OsStr) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

impl From<OsString> for Text {
    fn from(text: OsString) -> Self {
        Self(text.into_vec())
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

impl fmt::Display for Text {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        String::from_utf8_lossy(&self.0).fmt(formatter)
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        String::from_utf8_lossy(&self.0).fmt(formatter)
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(&self.0) {
            Ok(text) => serializer.serialize_str(text),
            Err(_) => self.0.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Readable(String),
            Bytes(Vec<u8>),
        }
        Ok(match Either::deserialize(deserializer)? {
            Either::Readable(text) => Self(text.into_bytes()),
            Either::Bytes(bytes) => Self(bytes),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Text;

    #[test]
    fn any_bytes_survive_json() {
        for bytes in [&b"plain"[..], b"", b"\xff\xfe", "ä \"quoted\"".as_bytes()] {
            let json = serde_json::to_string(&Text(bytes.to_vec())).expect("serialises");
            let back: Text = serde_json::from_str(&json).expect("parses");
            assert_eq!(back.0, bytes);
        }
        assert_eq!(
            serde_json::to_string(&Text::from("a")).expect("serialises"),
            "\"a\""
        );
    }
}
