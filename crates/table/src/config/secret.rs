//! Texts that nothing prints.

use std::fmt;

/// What stands for a secret wherever one would be shown.
pub const HIDDEN: &str = "***";

/// Beginning of a value that names an environment variable instead of holding the secret.
const FROM_ENVIRONMENT: &str = "env:";

/// Beginning that such a variable's name must have: a client that may declare tables shall not send
/// whatever else the server's environment holds to a catalog of its choice.
const VARIABLES: &str = "GROWLER_";

/// A credential.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Box<str>);

impl Secret {
    /// Takes a credential, or `env:GROWLER_NAME`.
    pub fn new(text: &str) -> Self {
        Self(text.into())
    }

    /// Returns the credential itself, for the one who sends it.
    ///
    /// # Errors
    /// What is wrong with the environment variable that it names.
    pub fn expose(&self) -> Result<String, String> {
        let Some(name) = self.variable() else {
            return Ok(self.0.to_string());
        };
        if !name.starts_with(VARIABLES) {
            return Err(wrong_variable(name));
        }
        std::env::var(name).map_err(|_| {
            format!("the server has no environment variable of that name: name={name}")
        })
    }

    /// Returns the text as it was given.
    pub(super) fn plain(&self) -> &str {
        &self.0
    }

    /// Returns what may be shown: the name of an environment variable, or only that there is a secret.
    pub fn shown(&self) -> &str {
        if self.variable().is_some() {
            &self.0
        } else {
            HIDDEN
        }
    }

    /// Says what is wrong with the text, if anything.
    pub(super) fn breach(&self) -> Option<String> {
        if &*self.0 == HIDDEN {
            return Some(
                "'***' only stands for a secret that is not shown; give the secret".to_owned(),
            );
        }
        let name = self.variable()?;
        (!name.starts_with(VARIABLES)).then(|| wrong_variable(name))
    }

    fn variable(&self) -> Option<&str> {
        self.0.strip_prefix(FROM_ENVIRONMENT)
    }
}

fn wrong_variable(name: &str) -> String {
    format!("environment variables for secrets must begin with {VARIABLES}: name={name}")
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.shown())
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.shown())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_prints_it() {
        let secret = Secret::new("hunter2");
        assert_eq!(format!("{secret} {secret:?}"), "*** ***");
        assert_eq!(secret.expose().as_deref(), Ok("hunter2"));
        assert_eq!(secret.breach(), None);
        assert!(Secret::new(HIDDEN).breach().is_some());
    }

    #[test]
    fn the_environment_is_asked_for_own_variables_only() {
        let named = Secret::new("env:GROWLER_NOBODY_SETS_THIS");
        assert_eq!(named.to_string(), "env:GROWLER_NOBODY_SETS_THIS");
        assert_eq!(named.breach(), None);
        assert!(named.expose().is_err());
        let path = Secret::new("env:PATH");
        assert!(path.breach().is_some());
        assert!(path.expose().is_err());
    }
}
