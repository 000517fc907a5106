//! A server that does, on purpose, everything a server can do wrong.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What the server does with a request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Act {
    /// 500.
    Fails,
    /// Half of what was asked for, then the connection ends.
    Cuts,
    /// All bytes, one of them wrong.
    Lies,
    /// Half of what was asked for, then nothing, for long.
    Stalls,
    /// 404.
    Lost,
    /// The bytes as asked for, in small pieces with pauses.
    Drips,
    /// A page to log in on, which says that it is HTML.
    Login,
    /// Another one, which does not.
    Portal,
}

/// A server of files on a port of its own.
pub struct Server {
    pub base: String,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    files: HashMap<String, Vec<u8>>,
    /// Acts still to come, by path, last one first; served well after that.
    acts: HashMap<String, Vec<Act>>,
    /// Paths with an act for every request.
    always: HashMap<String, Act>,
    requests: Vec<(String, Option<u64>)>,
}

impl Server {
    pub fn start() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let state = Arc::clone(&shared);
                std::thread::spawn(move || answer(connection, &state));
            }
        });
        Server { base, state }
    }

    pub fn serve(&self, path: &str, bytes: Vec<u8>) {
        self.state
            .lock()
            .unwrap()
            .files
            .insert(path.to_string(), bytes);
    }

    pub fn act(&self, path: &str, mut acts: Vec<Act>) {
        acts.reverse();
        self.state
            .lock()
            .unwrap()
            .acts
            .insert(path.to_string(), acts);
    }

    pub fn always(&self, path: &str, act: Act) {
        self.state
            .lock()
            .unwrap()
            .always
            .insert(path.to_string(), act);
    }

    /// What was asked for: path and the first byte where a range was.
    pub fn requests(&self) -> Vec<(String, Option<u64>)> {
        std::mem::take(&mut self.state.lock().unwrap().requests)
    }
}

fn answer(connection: TcpStream, state: &Mutex<State>) {
    let mut reader = BufReader::new(connection.try_clone().unwrap());
    let mut out = connection;
    loop {
        let mut request = String::new();
        if reader.read_line(&mut request).unwrap_or(0) == 0 {
            return;
        }
        let path = request
            .split(' ')
            .nth(1)
            .unwrap_or("/")
            .trim_start_matches('/')
            .to_string();
        let mut from = None;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            let line = line.trim().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(range) = line.strip_prefix("range: bytes=") {
                from = range.trim_end_matches('-').parse().ok();
            }
        }
        let (file, act) = {
            let mut state = state.lock().unwrap();
            state.requests.push((path.clone(), from));
            let always = state.always.get(&path).copied();
            let act = state.acts.get_mut(&path).and_then(Vec::pop).or(always);
            (state.files.get(&path).cloned(), act)
        };
        if !send(&mut out, file, from, act) {
            return;
        }
    }
}

/// Whether the connection goes on.
fn send(out: &mut TcpStream, file: Option<Vec<u8>>, from: Option<u64>, act: Option<Act>) -> bool {
    let simple = |status: &str| format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
    if act == Some(Act::Fails) {
        return out
            .write_all(simple("500 Internal Server Error").as_bytes())
            .is_ok();
    }
    const PAGE: &str = "<!DOCTYPE html><html><title>Sign in</title></html>";
    let says = match act {
        Some(Act::Login) => Some("Content-Type: Text/HTML; charset=utf-8\r\n"),
        Some(Act::Portal) => Some(""),
        _ => None,
    };
    if let Some(says) = says {
        let length = PAGE.len();
        let head = format!("HTTP/1.1 200 OK\r\n{says}Content-Length: {length}\r\n\r\n");
        return out.write_all((head + PAGE).as_bytes()).is_ok();
    }
    let Some(mut bytes) = file.filter(|_| act != Some(Act::Lost)) else {
        return out.write_all(simple("404 Not Found").as_bytes()).is_ok();
    };
    if act == Some(Act::Lies) {
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0xff;
    }
    let all = bytes.len();
    let from = from.unwrap_or(0) as usize;
    if from > 0 && from >= all {
        return out
            .write_all(simple("416 Range Not Satisfiable").as_bytes())
            .is_ok();
    }
    let body = &bytes[from..];
    let head = if from > 0 {
        format!(
            "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes {from}-{}/{all}\r\n",
            all - 1
        )
    } else {
        "HTTP/1.1 200 OK\r\n".to_string()
    };
    let head = format!("{head}Content-Length: {}\r\n\r\n", body.len());
    if out.write_all(head.as_bytes()).is_err() {
        return false;
    }
    match act {
        Some(Act::Cuts) => {
            let _ = out.write_all(&body[..body.len() / 2]);
            false
        }
        Some(Act::Stalls) => {
            let _ = out.write_all(&body[..body.len() / 2]);
            std::thread::sleep(Duration::from_secs(20));
            false
        }
        Some(Act::Drips) => body.chunks(body.len() / 40 + 1).all(|piece| {
            std::thread::sleep(Duration::from_millis(20));
            out.write_all(piece).is_ok()
        }),
        _ => out.write_all(body).is_ok(),
    }
}
