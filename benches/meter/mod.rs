//! A program in a pty whose output is timed and counted.

use std::io::{Read, Write};
use std::path::Path;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// A key's frames have all come when nothing has for this long.
const REST: Duration = Duration::from_millis(120);
const PATIENCE: Duration = Duration::from_secs(20);
/// Every frame ends so: a synchronized update.
const FRAME_END: &[u8] = b"\x1b[?2026l";
/// On the screen once the library is open: "360 filings · 53,361 pages".
const OPEN: &str = " filings · ";

/// What one key cost.
pub struct Step {
    /// From the key to the end of the last frame it caused.
    pub time: Duration,
    /// Bytes of those frames.
    pub bytes: usize,
}

/// How long the start took.
pub struct Start {
    /// To the end of the first frame, in which a question can be typed.
    pub first_frame: Duration,
    /// To the frame that says that the library is open.
    pub open: Duration,
}

/// The running program.
pub struct Meter {
    chunks: Receiver<(Instant, Vec<u8>)>,
    writer: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    _master: Box<dyn MasterPty + Send>,
}

impl Meter {
    /// Starts the workbench.
    pub fn start(program: &str, data: &Path, library: &str) -> Result<(Meter, Start)> {
        let pty = native_pty_system().openpty(PtySize {
            rows: 60,
            cols: 200,
            pixel_width: 0,
            pixel_height: 0,
        })?;
        let mut command = CommandBuilder::new(program);
        command.args(["--library", library, "--data-dir"]);
        command.arg(data);
        command.env("TERM", "xterm-256color");
        command.env("COLORTERM", "truecolor");
        command.env("SSH_TTY", "/dev/pts/0");
        command.env_remove("NO_COLOR");
        let start = Instant::now();
        let child = pty.slave.spawn_command(command)?;
        drop(pty.slave);
        let mut reader = pty.master.try_clone_reader()?;
        let (sender, chunks) = mpsc::channel();
        thread::spawn(move || {
            let mut buffer = [0; 1 << 16];
            while let Ok(n @ 1..) = reader.read(&mut buffer) {
                if sender.send((Instant::now(), buffer[..n].to_vec())).is_err() {
                    return;
                }
            }
        });
        let meter = Meter {
            chunks,
            writer: pty.master.take_writer()?,
            child,
            _master: pty.master,
        };
        let mut seen = Vec::new();
        let has = |seen: &[u8], part: &[u8]| seen.windows(part.len()).any(|s| s == part);
        let mut first_frame = None;
        while start.elapsed() < PATIENCE {
            let Ok((at, bytes)) = meter.chunks.recv_timeout(PATIENCE) else {
                break;
            };
            seen.extend(bytes);
            if first_frame.is_none() && has(&seen, FRAME_END) {
                first_frame = Some(at - start);
            }
            if let (Some(first_frame), true) = (first_frame, has(&seen, OPEN.as_bytes())) {
                let open = at - start;
                return Ok((meter, Start { first_frame, open }));
            }
        }
        bail!("no frame came: {}", String::from_utf8_lossy(&seen))
    }

    /// Waits until nothing more comes.
    pub fn rest(&mut self) {
        while self.chunks.recv_timeout(5 * REST).is_ok() {}
    }

    /// Sends a key and waits for all it causes.
    pub fn press(&mut self, key: &str) -> Result<Step> {
        self.press_until(key, REST)
    }

    /// Sends a key and waits for what it causes after a pause, too: ranking by meaning, once typing rests.
    pub fn press_and_rest(&mut self, key: &str) -> Result<Step> {
        self.press_until(key, 10 * REST)
    }

    fn press_until(&mut self, key: &str, rest: Duration) -> Result<Step> {
        let start = Instant::now();
        self.writer.write_all(key.as_bytes())?;
        self.writer.flush()?;
        let mut step = Step {
            time: Duration::ZERO,
            bytes: 0,
        };
        while let Ok((at, bytes)) = self.chunks.recv_timeout(rest) {
            step.time = at.saturating_duration_since(start);
            step.bytes += bytes.len();
        }
        Ok(step)
    }

    /// Milliseconds of CPU used while nothing happens.
    pub fn idle_cpu(&self, how_long: Duration) -> Result<f64> {
        let before = self.cpu_ticks()?;
        thread::sleep(how_long);
        // A tick is 10 ms on Linux.
        Ok((self.cpu_ticks()? - before) as f64 * 10.0)
    }

    fn cpu_ticks(&self) -> Result<u64> {
        let stat = self.proc("stat")?;
        // Fields 14 and 15, counted after the name in parentheses.
        let rest = stat.rsplit(") ").next().unwrap_or_default();
        let fields: Vec<&str> = rest.split_whitespace().collect();
        let field = |n: usize| fields.get(n).and_then(|field| field.parse::<u64>().ok());
        Ok(field(11).context("utime")? + field(12).context("stime")?)
    }

    /// The most memory the program has held, in MB.
    pub fn peak_memory(&self) -> Result<f64> {
        let status = self.proc("status")?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))
            .context("no VmHWM")?;
        let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse()?;
        Ok(kilobytes / 1e3)
    }

    fn proc(&self, file: &str) -> Result<String> {
        let pid = self.child.process_id().context("the program has ended")?;
        let path = format!("/proc/{pid}/{file}");
        std::fs::read_to_string(&path)
            .with_context(|| format!("reading {path} (Linux alone has it)"))
    }

    /// Ends the program.
    pub fn end(mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}
