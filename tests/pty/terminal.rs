//! A program in a pseudo-terminal, with a screen that can be read.
#![allow(dead_code)]

use std::io::{ErrorKind, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle, sleep};
use std::time::{Duration, Instant};

use base64::Engine as _;
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use tempfile::TempDir;

/// How long a busy machine may take for anything.
const PATIENCE: Duration = Duration::from_secs(30);
/// Silence that means that nothing more comes.
const SILENCE: Duration = Duration::from_millis(250);

/// What the program runs in.
pub struct Terminal<'a> {
    pub columns: u16,
    pub rows: u16,
    pub env: &'a [(&'a str, &'a str)],
    /// The user's config file.
    pub config: &'a str,
}

impl Default for Terminal<'_> {
    fn default() -> Self {
        Terminal {
            columns: 200,
            rows: 60,
            env: &[],
            config: "",
        }
    }
}

struct Seen {
    parser: vt100::Parser,
    raw: Vec<u8>,
    last: Instant,
}

pub struct Pty {
    master: Option<Box<dyn MasterPty + Send>>,
    writer: Option<Box<dyn Write + Send>>,
    child: Box<dyn Child + Send + Sync>,
    seen: Arc<Mutex<Seen>>,
    hung_up: Arc<AtomicBool>,
    reading: Option<JoinHandle<()>>,
    _data: TempDir,
}

impl Pty {
    /// The workbench on the demo library, in a data folder of its own.
    pub fn workbench(terminal: Terminal) -> Pty {
        Pty::command(env!("CARGO_BIN_EXE_tenleaf"), &[], terminal)
    }

    pub fn command(program: &str, args: &[&str], terminal: Terminal) -> Pty {
        let data = tempfile::tempdir().unwrap();
        let size = PtySize {
            rows: terminal.rows,
            cols: terminal.columns,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(program);
        command.args(args);
        command.cwd(data.path());
        for name in [
            "SSH_TTY",
            "SSH_CONNECTION",
            "TMUX",
            "NO_COLOR",
            "COLORTERM",
            "DISPLAY",
            "WAYLAND_DISPLAY",
        ] {
            command.env_remove(name);
        }
        command.env("TERM", "xterm-256color");
        command.env("TENLEAF_DATA_DIR", data.path());
        command.env("TENLEAF_CONFIG", data.path().join("config.toml"));
        command.env("HOME", data.path());
        std::fs::write(data.path().join("config.toml"), terminal.config).unwrap();
        for (name, value) in terminal.env {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let seen = Arc::new(Mutex::new(Seen {
            parser: vt100::Parser::new(terminal.rows, terminal.columns, 0),
            raw: Vec::new(),
            last: Instant::now(),
        }));
        let mut reader = pair.master.try_clone_reader().unwrap();
        let writer = pair.master.take_writer().unwrap();
        // The reader must let go of the line when we hang up: it never waits in a read.
        let fd = pair.master.as_raw_fd().unwrap();
        // SAFETY: a flag of an open descriptor; no memory is touched.
        assert_eq!(
            unsafe { libc::fcntl(fd, libc::F_SETFL, libc::O_NONBLOCK) },
            0
        );
        let hung_up = Arc::new(AtomicBool::new(false));
        let (to, stop) = (seen.clone(), hung_up.clone());
        let reading = thread::spawn(move || {
            let mut buffer = [0; 1 << 16];
            while !stop.load(Ordering::SeqCst) {
                match reader.read(&mut buffer) {
                    Ok(n @ 1..) => {
                        let mut seen = to.lock().unwrap();
                        seen.parser.process(&buffer[..n]);
                        seen.raw.extend_from_slice(&buffer[..n]);
                        seen.last = Instant::now();
                    }
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {
                        sleep(Duration::from_millis(2));
                    }
                    _ => return,
                }
            }
        });
        Pty {
            master: Some(pair.master),
            writer: Some(writer),
            child,
            seen,
            hung_up,
            reading: Some(reading),
            _data: data,
        }
    }

    pub fn data(&self) -> &std::path::Path {
        self._data.path()
    }

    pub fn send(&mut self, keys: &str) {
        let writer = self.writer.as_mut().expect("connected");
        writer.write_all(keys.as_bytes()).unwrap();
        writer.flush().unwrap();
    }

    /// Sends a text again and again for so long, as fast as the program takes it; bytes taken.
    pub fn pour(&mut self, text: &str, time: Duration) -> usize {
        let writer = self.writer.as_mut().expect("connected");
        let start = Instant::now();
        let mut taken = 0;
        while start.elapsed() < time {
            match writer.write(&text.as_bytes()[taken % text.len()..]) {
                Ok(bytes) => taken += bytes,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    sleep(Duration::from_millis(1));
                }
                Err(error) => panic!("{error}"),
            }
        }
        taken
    }

    /// The process that the program started.
    pub fn child_of(&self) -> i32 {
        let children = format!("/proc/{0}/task/{0}/children", self.pid());
        let children = std::fs::read_to_string(children).unwrap();
        children.trim().parse().expect("one child")
    }

    pub fn screen(&self) -> String {
        self.seen.lock().unwrap().parser.screen().contents()
    }

    pub fn cells(&self) -> Vec<vt100::Cell> {
        let seen = self.seen.lock().unwrap();
        let screen = seen.parser.screen();
        let (rows, columns) = screen.size();
        (0..rows)
            .flat_map(|row| {
                (0..columns).filter_map(move |column| screen.cell(row, column).cloned())
            })
            .collect()
    }

    /// Row and column of the cursor.
    pub fn cursor(&self) -> (u16, u16) {
        self.seen.lock().unwrap().parser.screen().cursor_position()
    }

    pub fn raw(&self) -> String {
        String::from_utf8_lossy(&self.seen.lock().unwrap().raw).into_owned()
    }

    pub fn bytes(&self) -> usize {
        self.seen.lock().unwrap().raw.len()
    }

    fn wait(&self, what: &str, done: impl Fn(&str) -> bool) {
        let start = Instant::now();
        loop {
            let screen = self.screen();
            if done(&screen) {
                return;
            }
            assert!(
                start.elapsed() < PATIENCE,
                "{what:?} did not come; the screen:\n{screen}"
            );
            sleep(Duration::from_millis(5));
        }
    }

    pub fn wait_for(&self, text: &str) {
        self.wait(text, |screen| screen.contains(text));
    }

    /// Waits until the last row with text begins with this.
    pub fn wait_for_row(&self, start: &str) {
        self.wait(start, |screen| {
            screen
                .trim_end()
                .lines()
                .last()
                .is_some_and(|row| row.starts_with(start))
        });
    }

    /// Waits until the program has said all it has to say.
    pub fn settle(&self) {
        let start = Instant::now();
        while start.elapsed() < SILENCE || self.seen.lock().unwrap().last.elapsed() < SILENCE {
            sleep(Duration::from_millis(10));
        }
    }

    // The emulator itself does not take a screen of one cell; the program under test gets it.
    pub fn resize(&self, columns: u16, rows: u16) {
        self.seen
            .lock()
            .unwrap()
            .parser
            .screen_mut()
            .set_size(rows.max(4), columns.max(8));
        self.master
            .as_ref()
            .expect("connected")
            .resize(PtySize {
                rows,
                cols: columns,
                pixel_width: 0,
                pixel_height: 0,
            })
            .unwrap();
    }

    pub fn pid(&self) -> i32 {
        self.child.process_id().unwrap() as i32
    }

    pub fn signal(&self, signal: i32) {
        send_signal(self.pid(), signal);
    }

    /// Drops our end of the line.
    pub fn hang_up(&mut self) {
        self.hung_up.store(true, Ordering::SeqCst);
        if let Some(reading) = self.reading.take() {
            reading.join().unwrap();
        }
        self.writer = None;
        self.master = None;
    }

    pub fn exit_code(&mut self) -> u32 {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                self.settle();
                return status.exit_code();
            }
            assert!(
                start.elapsed() < PATIENCE,
                "it does not end; the screen:\n{}",
                self.screen()
            );
            sleep(Duration::from_millis(5));
        }
    }

    /// Main screen, cursor, pastes, mouse and line mode are as they were.
    pub fn assert_restored(&self) {
        let seen = self.seen.lock().unwrap();
        let screen = seen.parser.screen();
        assert!(!screen.alternate_screen(), "still on the other screen");
        assert!(!screen.hide_cursor(), "the cursor is hidden");
        assert!(!screen.bracketed_paste(), "pastes are bracketed");
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
        let fd = self
            .master
            .as_ref()
            .expect("connected")
            .as_raw_fd()
            .unwrap();
        // SAFETY: an all-zero termios is a valid value, and the pointer is to it.
        let flags = unsafe {
            let mut termios: libc::termios = std::mem::zeroed();
            assert_eq!(libc::tcgetattr(fd, &raw mut termios), 0);
            termios.c_lflag
        };
        assert_ne!(flags & libc::ICANON, 0, "raw mode");
        assert_ne!(flags & libc::ECHO, 0, "no echo");
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Signals a process that the test started.
pub fn send_signal(pid: i32, signal: i32) {
    // SAFETY: no memory is touched.
    assert_eq!(unsafe { libc::kill(pid, signal) }, 0);
}

/// True while the process runs; a zombie does not.
pub fn alive(pid: i32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| {
        !stat
            .rsplit(')')
            .next()
            .unwrap_or("")
            .trim_start()
            .starts_with('Z')
    })
}

pub fn base64(text: &str) -> String {
    let bytes = base64::engine::general_purpose::STANDARD
        .decode(text)
        .unwrap();
    String::from_utf8(bytes).unwrap()
}
