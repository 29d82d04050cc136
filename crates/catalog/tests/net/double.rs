//! An HTTP server of a few lines: one connection a request, answers as a test wants them.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A request that arrived.
#[derive(Debug, Clone)]
pub struct Asked {
    pub method: String,
    /// As sent, percent signs and all.
    pub path: String,
    pub query: HashMap<String, String>,
    /// Names in lower case.
    pub headers: HashMap<String, String>,
    pub body: String,
}

impl Asked {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    pub fn query(&self, name: &str) -> &str {
        self.query.get(name).map_or("", String::as_str)
    }
}

/// What is answered.
#[derive(Debug, Clone, Default)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    pub fault: Fault,
}

/// What goes wrong with an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Fault {
    #[default]
    None,
    /// The connection is closed before anything is sent.
    Dropped,
    /// It is closed in the middle of the body.
    Cut,
    /// Nothing is sent for a while.
    Stalled(Duration),
    /// The body never ends.
    Endless,
}

impl Reply {
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            body: body.into(),
            ..Self::default()
        }
    }

    pub fn json(value: &serde_json::Value) -> Self {
        Self::new(200, value.to_string())
    }

    /// A refusal in Iceberg's error model.
    pub fn error(status: u16, message: &str) -> Self {
        let model = serde_json::json!({"message": message, "type": "Refusal", "code": status});
        Self::new(status, serde_json::json!({"error": model}).to_string())
    }

    pub fn fault(fault: Fault) -> Self {
        Self {
            fault,
            ..Self::new(200, "{\"half\": true, \"an\": \"answer\"}")
        }
    }

    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
}

type Handler = dyn Fn(&Asked) -> Reply + Send + Sync;

/// A running server; it lives as long as the process.
pub struct Double {
    pub uri: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Double {
    pub fn new(handler: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let uri = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::<Mutex<Vec<Asked>>>::default();
        let (log, handler) = (
            Arc::clone(&asked),
            Arc::<Handler>::from(Box::new(handler) as Box<Handler>),
        );
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (log, handler) = (Arc::clone(&log), Arc::clone(&handler));
                std::thread::spawn(move || serve(stream, &log, handler.as_ref()));
            }
        });
        Self { uri, asked }
    }

    /// Returns what was asked so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// Counts the requests for paths that end so.
    pub fn count(&self, ending: &str) -> usize {
        let asked = self.asked();
        asked
            .iter()
            .filter(|asked| asked.path.ends_with(ending))
            .count()
    }
}

fn serve(stream: TcpStream, log: &Mutex<Vec<Asked>>, handler: &Handler) {
    let Some(asked) = read(&stream) else { return };
    log.lock().unwrap().push(asked.clone());
    let reply = handler(&asked);
    // A client that gave up is no failure of the double.
    let _ = answer(stream, &asked, &reply);
}

fn read(stream: &TcpStream) -> Option<Asked> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = HashMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        headers.insert(name.to_lowercase(), value.trim().to_owned());
    }
    let len = headers
        .get("content-length")
        .and_then(|len| len.parse().ok());
    let mut body = vec![0; len.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let query = query.split('&').filter_map(|pair| pair.split_once('='));
    Some(Asked {
        method,
        path: path.to_owned(),
        query: query
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
        headers,
        body: String::from_utf8(body).ok()?,
    })
}

fn answer(mut stream: TcpStream, asked: &Asked, reply: &Reply) -> std::io::Result<()> {
    match reply.fault {
        Fault::Dropped => return Ok(()),
        Fault::Stalled(pause) => std::thread::sleep(pause),
        _ => {}
    }
    let mut head = format!("HTTP/1.1 {} Double\r\nConnection: close\r\n", reply.status);
    for (name, value) in &reply.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let has_len = reply
        .headers
        .iter()
        .any(|(name, _)| name == "Content-Length");
    if reply.fault != Fault::Endless && !has_len && reply.status != 304 {
        head.push_str(&format!("Content-Length: {}\r\n", reply.body.len()));
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes())?;
    if asked.method == "HEAD" {
        return Ok(());
    }
    match reply.fault {
        Fault::Cut => stream.write_all(&reply.body[..reply.body.len() / 2]),
        Fault::Endless => loop {
            stream.write_all(&[b' '; 64 << 10])?;
        },
        _ => stream.write_all(&reply.body),
    }
}
