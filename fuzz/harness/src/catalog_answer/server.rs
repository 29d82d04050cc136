//! A server that says what it is told to, one answer after another.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

/// Longest form that is read of a request, in bytes.
const FORM_LEN: u64 = 1 << 16;

/// A status and a body.
pub(super) type Scripted = (u16, Vec<u8>);

/// A server on a port of its own, as long as the process runs.
pub(super) struct Server {
    address: SocketAddr,
    script: Arc<Mutex<Script>>,
}

#[derive(Default)]
struct Script {
    answers: Vec<Scripted>,
    next: usize,
}

impl Server {
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let script = Arc::new(Mutex::new(Script::default()));
        let shared = Arc::clone(&script);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let script = Arc::clone(&shared);
                // Ends when the client hangs up.
                std::thread::spawn(move || serve(&stream, &script));
            }
        });
        Self { address, script }
    }

    pub(super) fn uri(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(super) fn answer_with(&self, answers: Vec<Scripted>) {
        *lock(&self.script) = Script { answers, next: 0 };
    }
}

fn lock(script: &Mutex<Script>) -> std::sync::MutexGuard<'_, Script> {
    script.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(stream: &TcpStream, script: &Mutex<Script>) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut reader = BufReader::new(stream);
    loop {
        read_request(&mut reader)?;
        let (status, body) = {
            let mut script = lock(script);
            let last = script.answers.len().saturating_sub(1);
            let at = script.next.min(last);
            script.next += 1;
            script.answers.get(at).cloned().unwrap_or((200, Vec::new()))
        };
        // These have no body.
        let has_body = !matches!(status, 204 | 304);
        let len = if has_body { body.len() } else { 0 };
        let mut answer = format!(
            "HTTP/1.1 {status} x\r\ncontent-type: application/json\r\nlocation: /v1/elsewhere\r\n"
        );
        if has_body {
            answer.push_str(&format!("content-length: {len}\r\n"));
        }
        answer.push_str("\r\n");
        let mut answer = answer.into_bytes();
        answer.extend(body.iter().take(len));
        (&*stream).write_all(&answer).ok()?;
    }
}

/// Reads a request to its end; none when the client has hung up.
fn read_request(reader: &mut BufReader<&TcpStream>) -> Option<()> {
    let mut form_len = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(len) = line.strip_prefix("content-length:") {
            form_len = len.trim().parse().ok()?;
        }
    }
    let mut form = Vec::new();
    reader
        .by_ref()
        .take(FORM_LEN.min(form_len))
        .read_to_end(&mut form)
        .ok()?;
    Some(())
}
