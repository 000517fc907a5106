//! `tenleaf model fetch` against a local server that cuts, lies and fails.

mod common;

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};
use std::{fs, thread};

use tenleaf::dense::runtime;
use tenleaf::library::checksum::sha256;

/// What the server does when a path is asked for; the last one is repeated.
#[derive(Clone)]
enum Answer {
    /// The whole file, or from where the client asks.
    File(Vec<u8>),
    /// Announces the file and hangs up in the middle.
    Cut(Vec<u8>),
    Status(u16),
}

struct Server {
    address: String,
    /// Requests seen: path and range.
    seen: Arc<Mutex<Vec<(String, Option<String>)>>>,
}

impl Server {
    fn start(answers: &[(&str, &[Answer])]) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let seen: Arc<Mutex<Vec<(String, Option<String>)>>> = Arc::default();
        let mut left: HashMap<String, Vec<Answer>> = answers
            .iter()
            .map(|(path, answers)| (path.to_string(), answers.iter().rev().cloned().collect()))
            .collect();
        let log = Arc::clone(&seen);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (path, range) = request(&stream);
                let answer = match left.get_mut(&path) {
                    None => Answer::Status(404),
                    Some(answers) if answers.len() > 1 => answers.pop().unwrap(),
                    Some(answers) => answers[0].clone(),
                };
                log.lock().unwrap().push((path, range.clone()));
                let _ = answer_with(stream, answer, range);
            }
        });
        Server { address, seen }
    }

    fn asked(&self, path: &str) -> Vec<Option<String>> {
        let seen = self.seen.lock().unwrap();
        let of_path = seen.iter().filter(|(asked, _)| asked == path);
        of_path.map(|(_, range)| range.clone()).collect()
    }
}

fn request(stream: &TcpStream) -> (String, Option<String>) {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let first = lines.next().unwrap_or_default();
    let path = first.split(' ').nth(1).unwrap_or_default().to_string();
    let mut range = None;
    for line in lines.take_while(|line| !line.is_empty()) {
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("range: bytes=") {
            range = Some(value.to_string());
        }
    }
    (path, range)
}

fn answer_with(
    mut stream: TcpStream,
    answer: Answer,
    range: Option<String>,
) -> std::io::Result<()> {
    match answer {
        Answer::Status(code) => {
            write!(
                stream,
                "HTTP/1.1 {code} No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            )
        }
        Answer::Cut(bytes) => {
            write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                bytes.len()
            )?;
            stream.write_all(&bytes[..bytes.len() / 2])
        }
        Answer::File(bytes) => {
            let from = range.and_then(|range| range.trim_end_matches('-').parse::<usize>().ok());
            let from = from.filter(|from| *from < bytes.len());
            let rest = &bytes[from.unwrap_or(0)..];
            match from {
                Some(from) => write!(
                    stream,
                    "HTTP/1.1 206 Partial\r\nContent-Range: bytes {from}-{}/{}\r\n",
                    bytes.len() - 1,
                    bytes.len()
                )?,
                None => write!(stream, "HTTP/1.1 200 OK\r\n")?,
            }
            write!(
                stream,
                "Content-Length: {}\r\nConnection: close\r\n\r\n",
                rest.len()
            )?;
            stream.write_all(rest)
        }
    }
}

/// A data folder, and a config file whose addresses are the server's and whose hashes are these files'.
struct Setup {
    data: tempfile::TempDir,
    config: PathBuf,
}

impl Setup {
    fn new(address: &str, model: &[u8], tokenizer: &[u8], wheel: &[u8], library: &[u8]) -> Setup {
        let data = tempfile::tempdir().unwrap();
        let config = data.path().join("config.toml");
        let platform = format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH);
        let pin = |section: &str, file: &str, bytes: &[u8]| {
            format!(
                "[model.{section}]\nfile = \"{file}\"\nbytes = {}\nsha256 = \"{}\"\n",
                bytes.len(),
                sha256(bytes)
            )
        };
        let text = [
            "[fetch]\nretries = 2\n".to_string(),
            format!("[model]\nbase = \"{address}/hub\"\nruntime_base = \"{address}/wheels\"\n"),
            pin("float", "onnx/model.onnx", model),
            pin("tokenizer", "tokenizer.json", tokenizer),
            pin(&format!("runtime.{platform}"), "a.whl", wheel),
            format!("library_sha256 = \"{}\"\n", sha256(library)),
        ];
        fs::write(&config, text.concat()).unwrap();
        Setup { data, config }
    }

    /// Without a PATH there is no pip to turn to.
    fn fetch(&self) -> Output {
        Command::new(env!("CARGO_BIN_EXE_tenleaf"))
            .args(["model", "fetch", "--config"])
            .arg(&self.config)
            .arg("--data-dir")
            .arg(self.data.path())
            .env("PATH", "")
            .env_remove(runtime::PATH_VARIABLE)
            .output()
            .unwrap()
    }

    fn file(&self, name: &str) -> Option<Vec<u8>> {
        fs::read(self.data.path().join("models").join(name)).ok()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn cut_wrong_and_busy_then_right() {
    let (model, tokenizer) = (vec![b'm'; 100_000], b"tokens".to_vec());
    let file = |bytes: &[u8]| Answer::File(bytes.to_vec());
    let server = Server::start(&[
        (
            "/hub/onnx/model.onnx",
            &[Answer::Cut(model.clone()), file(&model)],
        ),
        (
            "/hub/tokenizer.json",
            &[file(b"tokenX"), Answer::Status(503), file(&tokenizer)],
        ),
    ]);
    let setup = Setup::new(&server.address, &model, &tokenizer, b"wheel", b"library");
    let run = setup.fetch();
    assert_eq!(setup.file("model.onnx"), Some(model));
    assert_eq!(setup.file("tokenizer.json"), Some(tokenizer));
    // The model went on where it was cut.
    assert_eq!(
        server.asked("/hub/onnx/model.onnx"),
        [None, Some("50000-".to_string())]
    );
    assert_eq!(server.asked("/hub/tokenizer.json").len(), 3);
    // No wheel, no pip: both are named, and what came is kept.
    assert_eq!(run.status.code(), Some(1));
    let error = text(&run.stderr);
    assert!(error.contains("404") && error.contains("pip"), "{error}");
    setup.fetch();
    assert_eq!(
        server.asked("/hub/onnx/model.onnx").len(),
        2,
        "what is there and right is kept"
    );
}

#[test]
fn a_file_that_stays_wrong_is_never_put_in_place() {
    let server = Server::start(&[
        ("/hub/onnx/model.onnx", &[Answer::File(b"evil".to_vec())]),
        ("/hub/tokenizer.json", &[Answer::File(b"tokens".to_vec())]),
    ]);
    let setup = Setup::new(&server.address, b"good", b"tokens", b"wheel", b"library");
    let run = setup.fetch();
    assert_eq!(run.status.code(), Some(1));
    let error = text(&run.stderr);
    assert!(
        error.contains("hash") && error.contains("--from DIR"),
        "{error}"
    );
    assert_eq!(setup.file("model.onnx"), None);
    assert_eq!(
        server.asked("/hub/onnx/model.onnx").len(),
        3,
        "two tries after the first"
    );
}

/// The whole way with the real files: a wheel that holds the real library.
#[test]
fn everything_from_a_server_works() {
    let Some(library) = runtime::find(Path::new("no-such-folder"))
        .ok()
        .and_then(|found| fs::read(found.path).ok())
    else {
        return common::skipped("no ONNX Runtime library (set ORT_DYLIB_PATH)");
    };
    let Some(models) = common::shared("models/all-MiniLM-L6-v2") else {
        return;
    };
    let (Ok(model), Ok(tokenizer)) = (
        fs::read(models.join("model_qint8.onnx")),
        fs::read(models.join("tokenizer.json")),
    ) else {
        return common::skipped("no model files");
    };
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let stored =
        zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    zip.start_file(format!("onnxruntime/capi/{}", runtime::FILE_NAME), stored)
        .unwrap();
    zip.write_all(&library).unwrap();
    let wheel = zip.finish().unwrap().into_inner();
    let file = |bytes: &[u8]| Answer::File(bytes.to_vec());
    let server = Server::start(&[
        ("/hub/onnx/model.onnx", &[file(&model)]),
        ("/hub/tokenizer.json", &[file(&tokenizer)]),
        ("/wheels/a.whl", &[Answer::Cut(wheel.clone()), file(&wheel)]),
    ]);
    let setup = Setup::new(&server.address, &model, &tokenizer, &wheel, &library);
    let run = setup.fetch();
    assert!(run.status.success(), "{}", text(&run.stderr));
    let status = text(&run.stdout);
    assert!(
        status.contains("384 dimensions") && status.contains("as pinned"),
        "{status}"
    );
    assert_eq!(setup.file("onnxruntime.whl"), None, "the wheel is not kept");
    assert!(setup.fetch().status.success());
    assert_eq!(
        server.asked("/wheels/a.whl").len(),
        2,
        "what is there and right is kept"
    );
}
