//! Answers of a REST catalog: understood, or an error that blames the catalog and holds no credential.
//!
//! ```text
//! input  = call (1), answer, 0, answer, 0, ..
//! answer : status (1), body        the last one is given again for as long as the client asks
//! call   : how the client proves who it is, and what it asks for once it is connected
//! ```
//!
//! The client talks to [`server`], over the loopback network: so every step is run that is between a
//! socket and a table.

mod server;

use std::cell::RefCell;
use std::time::Duration;

use growler_base::ErrorKind;
use growler_catalog::rest::{
    Auth, Namespace, RestCatalog, RestConfig, RestError, Retries, Snapshots, TableId, Timeouts,
};
use growler_catalog::{Properties, Secret};

use crate::draw::Draw;
use server::{Scripted, Server};

const SECRETS: [&str; 3] = ["first-secret", "second-secret", "third-secret"];
const STATUSES: [u16; 16] = [
    200, 200, 200, 200, 200, 400, 401, 403, 404, 419, 429, 500, 503, 204, 304, 302,
];
/// Most answers of one input.
const ANSWERS: usize = 16;

thread_local! {
    static SERVER: RefCell<Option<Server>> = const { RefCell::new(None) };
}

pub(crate) fn check(input: &[u8]) {
    let mut draw = Draw::new(input);
    let (auth, call) = (draw.below(3), draw.below(4));
    let answers = draw.rest().split(|byte| *byte == 0).take(ANSWERS);
    let answers = answers.map(|answer| {
        let (status, body) = answer.split_first().unwrap_or((&0, &[]));
        let status = STATUSES[usize::from(*status) % STATUSES.len()];
        (status, body.to_vec())
    });
    let answers: Vec<Scripted> = answers.collect();
    SERVER.with_borrow_mut(|server| {
        let server = server.get_or_insert_with(Server::start);
        server.answer_with(answers);
        if let Err(error) = ask(&server.uri(), auth, call) {
            check_error(&error, auth);
        }
    });
}

fn ask(uri: &str, auth: usize, call: usize) -> Result<(), RestError> {
    let catalog = RestCatalog::connect(config(uri, auth))?;
    let namespace = Namespace::parse("a.b").expect("a name");
    match call {
        0 => {
            let found = catalog.namespaces(None)?;
            assert!(found.iter().all(|name| !name.levels().is_empty()));
            let below = catalog.namespaces(Some(&namespace))?;
            let is_below = |name: &Namespace| name.levels().starts_with(namespace.levels());
            assert!(below.iter().all(is_below));
        }
        1 => {
            let found = catalog.tables(&namespace)?;
            assert!(found.iter().all(|table| !table.name.is_empty()));
        }
        _ => {
            let name = "t".to_owned();
            let id = TableId { namespace, name };
            let snapshots = match call {
                2 => Snapshots::All,
                _ => Snapshots::Refs,
            };
            let loaded = catalog.load(&id, snapshots)?;
            let shown = format!("{loaded:?}").replace(&loaded.metadata.to_json(), "");
            hides_credentials(&shown, auth);
        }
    }
    Ok(())
}

fn config(uri: &str, auth: usize) -> RestConfig {
    let mut config = RestConfig::new(uri);
    config.auth = match auth {
        0 => Auth::None,
        1 => Auth::Bearer(Secret::from(SECRETS[0])),
        _ => Auth::ClientCredentials {
            id: Secret::from("somebody"),
            secret: Secret::from(SECRETS[1]),
            server_uri: None,
            scope: None,
        },
    };
    let key = ("s3.secret-access-key".to_owned(), SECRETS[2].to_owned());
    config.properties = [key].into_iter().collect::<Properties>();
    let soon = Duration::from_secs(5);
    config.timeouts = Timeouts {
        connect: soon,
        read: soon,
        whole: soon,
    };
    config.retries = Retries {
        attempts: 1,
        ..Retries::default()
    };
    config
}

fn check_error(error: &RestError, auth: usize) {
    let is_fitting = match error {
        // Where the catalog moved to need not be there.
        RestError::Settings(_) | RestError::Unreachable { .. } => true,
        RestError::Table(error) => matches!(
            error.kind(),
            ErrorKind::Corrupt | ErrorKind::Unsupported | ErrorKind::LimitExceeded
        ),
        other => other.kind() != ErrorKind::Internal,
    };
    assert!(is_fitting, "{:?}: {error}", error.kind());
    let text = error.to_string();
    hides_credentials(&text, auth);
    hides_credentials(&format!("{error:?}"), auth);
}

/// What the client was given is not shown; the same words in an answer to one that was not are words.
fn hides_credentials(text: &str, auth: usize) {
    let given = SECRETS
        .get(..2)
        .and_then(|of_auth| of_auth.get(auth.checked_sub(1)?));
    for secret in given.into_iter().chain(SECRETS.last()) {
        assert!(!text.contains(secret), "{text}");
    }
}
