//! A client of one request a connection, and a server to ask.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use growler_server::{Backend, Error, Server, ServerConfig};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::double::Double;

pub struct Answer {
    pub status: u16,
    pub headers: String,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    /// Code and text of an error body.
    pub fn error(&self) -> (u16, String) {
        let json = self.json();
        assert_eq!(json["code"], self.status, "{}", self.body);
        (self.status, json["error"].as_str().unwrap().to_owned())
    }
}

/// Sends bytes and reads until the server closes the connection.
pub async fn send(address: SocketAddr, request: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request).await.unwrap();
    read(&mut stream).await
}

pub async fn read(stream: &mut TcpStream) -> Answer {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let (line, headers) = head.split_once("\r\n").unwrap_or((head, ""));
    let status = line
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    Answer {
        status: status.unwrap_or(0),
        headers: headers.to_owned(),
        body: body.to_owned(),
    }
}

pub fn request(method: &str, path: &str, headers: &str, body: &str) -> String {
    format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n{headers}\r\n{body}",
        body.len()
    )
}

pub struct Running<B = Double> {
    pub address: SocketAddr,
    pub engine: Arc<B>,
    stop: oneshot::Sender<()>,
    served: JoinHandle<Result<(), Error>>,
}

impl Running {
    pub async fn start(config: &Value, base: &Path) -> Self {
        Self::start_with(config, base, Arc::default()).await
    }
}

impl<B: Backend> Running<B> {
    pub async fn start_with(config: &Value, base: &Path, engine: Arc<B>) -> Self {
        let mut config = config.clone();
        config["listen"] = json!("127.0.0.1:0");
        let config = ServerConfig::parse(config.to_string().as_bytes(), base.to_owned()).unwrap();
        let server = Server::bind(config, Arc::clone(&engine) as Arc<dyn Backend>)
            .await
            .unwrap();
        let (stop, stopped) = oneshot::channel();
        let address = server.local_addr();
        let served = tokio::spawn(server.run(async {
            let _ = stopped.await;
        }));
        Self {
            address,
            engine,
            stop,
            served,
        }
    }

    pub async fn call(&self, method: &str, path: &str, body: &Value) -> Answer {
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        send(self.address, request(method, path, "", &body).as_bytes()).await
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.call("GET", path, &Value::Null).await
    }

    pub async fn sql(&self, sql: &str) -> Answer {
        self.call("POST", "/query/sql", &json!({"sql": sql})).await
    }

    /// Asks the server to stop without waiting for it.
    pub fn begin_stop(self) -> JoinHandle<Result<(), Error>> {
        let _ = self.stop.send(());
        self.served
    }

    pub async fn stop(self) {
        self.begin_stop().await.unwrap().unwrap();
    }
}
