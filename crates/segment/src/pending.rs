//! Names of the variant crate that are still being written there.
#![allow(missing_docs)]
use growler_schema::KeyType;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KeyPath(String);
impl KeyPath {
    pub fn parse(text: &str) -> Result<Self, std::fmt::Error> {
        Ok(Self(text.to_owned()))
    }
    pub fn text(&self) -> &str {
        &self.0
    }
}
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum KeyOutput {
    Typed(KeyType),
    Json,
}
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NonObjectRoot {
    #[default]
    Fail,
    Null,
}
#[derive(Debug)]
pub struct Layout;
