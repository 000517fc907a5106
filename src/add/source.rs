//! Where a filing comes from: a file, a pipe, EDGAR.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use jiff::civil::Date;

use super::cover::{self, Cover};
use crate::edgar::client::Fetched;
use crate::edgar::html;
use crate::edgar::markup::has_tags;
use crate::library::Form;
use crate::library::job::{Cancel, Failure};
use crate::words::count;

/// Said of a name that nothing has.
pub const NOTHING_THERE: &str = "there is no such file";

/// Largest PDF read, in bytes.
const MAX_PDF: u64 = 512 << 20;
/// How often a wait for standard input looks whether it is to stop.
const LOOK: Duration = Duration::from_millis(100);
/// Folders within folders that are looked into.
const MAX_DEPTH: usize = 16;

/// One file to add, and what is known of it from elsewhere.
#[derive(Clone, Debug)]
pub struct Source {
    /// As it is called in messages.
    pub name: String,
    /// The file's name without extension, which may say form and period.
    pub stem: String,
    /// What it holds.
    pub content: Content,
    /// HTML files that follow it as further pages: exhibits.
    pub more: Vec<PathBuf>,
    /// Link to the original.
    pub link: Option<String>,
    /// EDGAR accession number.
    pub accession: Option<String>,
    /// What EDGAR says, where the filing itself does not.
    pub company: Option<String>,
    /// The form by EDGAR, and whether it is an amendment.
    pub form: Option<(Form, bool)>,
    /// The report date by EDGAR.
    pub date: Option<Date>,
}

/// Where its bytes are.
#[derive(Clone, Debug)]
pub enum Content {
    /// In a file.
    File(PathBuf),
    /// Here.
    Bytes(Vec<u8>),
}

impl Source {
    /// A file.
    pub fn of_file(path: &Path) -> Source {
        let stem = path
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned());
        Source::new(
            path.display().to_string(),
            stem.unwrap_or_default(),
            Content::File(path.to_path_buf()),
        )
    }

    /// What came through a pipe.
    pub fn of_bytes(bytes: Vec<u8>) -> Source {
        Source::new(
            "standard input".to_string(),
            String::new(),
            Content::Bytes(bytes),
        )
    }

    /// What EDGAR sent.
    pub fn of_edgar(fetched: Fetched) -> Source {
        let Fetched {
            filing,
            path,
            url,
            exhibits,
        } = fetched;
        let date = filing.report.unwrap_or(filing.filed);
        let name = format!("{} {} {date}", filing.company, filing.form);
        Source {
            more: exhibits,
            link: Some(url),
            accession: Some(filing.accession),
            form: cover::form_of(&filing.form),
            company: Some(filing.company),
            date: filing.report,
            ..Source::new(name, String::new(), Content::File(path))
        }
    }

    fn new(name: String, stem: String, content: Content) -> Source {
        Source {
            name,
            stem,
            content,
            more: Vec::new(),
            link: None,
            accession: None,
            company: None,
            form: None,
            date: None,
        }
    }

    /// Fills in what the filing does not say; EDGAR's form is always right.
    pub(super) fn complete(&self, cover: &mut Cover) {
        if let Some((form, amended)) = self.form {
            (cover.form, cover.amended) = (Some(form), amended);
        }
        cover.company = cover.company.take().or_else(|| self.company.clone());
        cover.date = cover.date.or(self.date);
        if cover.fiscal_year.is_none() {
            cover.fiscal_year = cover.date.map(|date| date.year() as u16);
        }
    }

    pub(super) fn bytes(&self) -> Result<Cow<'_, [u8]>> {
        match &self.content {
            Content::Bytes(bytes) => Ok(Cow::Borrowed(bytes)),
            Content::File(path) => {
                let mut file = fs::File::open(path).context("it cannot be opened")?;
                let length = file.metadata()?.len();
                let mut head = [0; 1024];
                let got = file.read(&mut head)?;
                // Before a file that nobody can read is read as a whole.
                if length > MAX_PDF
                    || (length as usize > html::MAX_BYTES && self.kind(&head[..got])? != Kind::Pdf)
                {
                    bail!("it has {} MB: no filing is that large", length >> 20);
                }
                let mut bytes = head[..got].to_vec();
                file.take(MAX_PDF)
                    .read_to_end(&mut bytes)
                    .context("it cannot be read")?;
                Ok(Cow::Owned(bytes))
            }
        }
    }

    /// What it is, by its first bytes and its name.
    pub(super) fn kind(&self, bytes: &[u8]) -> Result<Kind> {
        let extension = match &self.content {
            Content::File(path) => extension(path),
            Content::Bytes(_) => None,
        };
        kind(bytes, extension.as_deref())
    }

    /// The content as a file on disk.
    pub(super) fn file(&self, bytes: &[u8]) -> Result<OnDisk> {
        match &self.content {
            Content::File(path) => Ok(OnDisk::There(path.clone())),
            Content::Bytes(_) => {
                let mut file = tempfile::NamedTempFile::new()?;
                file.write_all(bytes)?;
                Ok(OnDisk::Made(file))
            }
        }
    }

    /// Where the original is, for a file that is not one of EDGAR's.
    pub(super) fn path(&self) -> Option<String> {
        match (&self.content, &self.link) {
            (Content::File(path), None) => {
                let path = fs::canonicalize(path).unwrap_or_else(|_| path.clone());
                Some(path.display().to_string())
            }
            _ => None,
        }
    }
}

pub(super) enum OnDisk {
    There(PathBuf),
    Made(tempfile::NamedTempFile),
}

impl OnDisk {
    pub(super) fn path(&self) -> &Path {
        match self {
            OnDisk::There(path) => path,
            OnDisk::Made(file) => file.path(),
        }
    }
}

/// What a file holds, of what can be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Pdf,
    /// HTML or plain text, which its reader tells apart.
    Text,
}

/// Files that tenleaf does not read, by their first bytes, and what to do with them.
const UNREAD: [(&[u8], &str, &str); 10] = [
    (b"PK\x03\x04", "a zip archive", UNPACK),
    (b"\x1f\x8b", "a gzip file", UNPACK),
    (b"\x28\xb5\x2f\xfd", "a zstd file", UNPACK),
    (b"\xd0\xcf\x11\xe0", "an old Office file", SAVE_AS),
    (b"{\\rtf", "an RTF file", SAVE_AS),
    (b"\x89PNG", "a picture", NO_PICTURES),
    (b"\xff\xd8\xff", "a picture", NO_PICTURES),
    (b"GIF8", "a picture", NO_PICTURES),
    (b"II*\0", "a picture", NO_PICTURES),
    (b"MM\0*", "a picture", NO_PICTURES),
];
const UNPACK: &str = "unpack it first";
const SAVE_AS: &str = "save it as PDF, HTML or text and add that";
const NO_PICTURES: &str = "tenleaf reads the text of a file, not pictures of it";

/// Office files are zip archives inside.
const OFFICE: [&str; 7] = ["docx", "docm", "xlsx", "xlsm", "pptx", "odt", "ods"];

/// What a file is: by its first bytes, and where they leave it open by the extension of its name.
pub(super) fn kind(bytes: &[u8], extension: Option<&str>) -> Result<Kind> {
    let head = &bytes[..bytes.len().min(1024)];
    if head.windows(5).any(|window| window == b"%PDF-") {
        return Ok(Kind::Pdf);
    }
    if head.is_empty() {
        bail!("it is empty");
    }
    if let Some((_, what, todo)) = UNREAD.iter().find(|(magic, ..)| head.starts_with(magic)) {
        match extension.filter(|extension| OFFICE.contains(extension)) {
            Some(office) => bail!("unsupported type .{office}: {SAVE_AS}"),
            None => bail!("it is {what}: {todo}"),
        }
    }
    if extension == Some("pdf") {
        let what = match has_tags(&String::from_utf8_lossy(head)) {
            true => "; it holds HTML",
            false => "",
        };
        bail!("it is not a PDF, though its name ends in .pdf{what}");
    }
    Ok(Kind::Text)
}

/// What is behind the paths of a command line.
#[derive(Debug, Default)]
pub struct Found {
    /// Files that can be read.
    pub sources: Vec<Source>,
    /// Files in folders that are of no kind that is read.
    pub skipped: Vec<PathBuf>,
    /// What is not there or cannot be looked into, and why.
    pub failed: Vec<Failure>,
}

/// The files behind the paths of a command line: files as they are, folders with every PDF, HTML and text file
/// in them, `-` what comes through the pipe; of a pipe that is waited for when `cancel` is raised nothing is.
pub fn gather(paths: &[PathBuf], cancel: &Cancel) -> Found {
    let mut found = Found::default();
    for path in paths {
        if let Err(error) = found.take(path, cancel) {
            found.fail(path, &error);
        }
    }
    found
}

impl Found {
    fn take(&mut self, path: &Path, cancel: &Cancel) -> Result<()> {
        if path.as_os_str() == "-" {
            let bytes = piped(std::io::stdin(), cancel)?;
            self.sources.extend(bytes.map(Source::of_bytes));
        } else if path.is_dir() {
            let before = (self.sources.len(), self.failed.len());
            self.walk(path, 0)?;
            if before == (self.sources.len(), self.failed.len()) {
                bail!("no PDF, HTML or text file in this folder");
            }
        } else if path.is_file() {
            self.sources.push(Source::of_file(path));
        } else if path.exists() {
            bail!(no_file(path));
        } else {
            bail!(NOTHING_THERE);
        }
        Ok(())
    }

    /// Takes the files of a folder and of those in it; one of these that cannot be looked into is named, and the
    /// rest goes on.
    fn walk(&mut self, folder: &Path, depth: usize) -> Result<()> {
        let mut entries: Vec<fs::DirEntry> = fs::read_dir(folder)?.collect::<Result<_, _>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            // Links to folders may lead in a circle.
            let folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if folder && depth < MAX_DEPTH {
                if let Err(error) = self.walk(&path, depth + 1) {
                    self.fail(&path, &error);
                }
            } else if path.is_file() {
                let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
                match extension(&path).as_deref() {
                    Some("pdf" | "htm" | "html" | "xhtml" | "txt") => {
                        self.sources.push(Source::of_file(&path));
                    }
                    _ if hidden => {}
                    _ => self.skipped.push(path),
                }
            } else if !folder {
                self.fail(&path, &anyhow!(no_file(&path)));
            }
        }
        Ok(())
    }

    fn fail(&mut self, path: &Path, error: &anyhow::Error) {
        self.failed.push(Failure::new(path.display(), error));
    }
}

/// What to say of what is neither a file nor a folder to look into. To open a pipe is to wait for who writes it, and a
/// device may have no end.
fn no_file(path: &Path) -> &'static str {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => "it is a link to a folder, which is not followed",
        Ok(_) => "it is a device or a pipe: only files and folders are taken",
        Err(_) => "it is a link that leads nowhere",
    }
}

/// What to say of files left out: `left out 4 files (.docx, .xlsx): PDF, HTML and text are read`. Nothing of none.
pub fn left_out(skipped: &[PathBuf]) -> Option<String> {
    if skipped.is_empty() {
        return None;
    }
    let kind = |path: &PathBuf| match extension(path) {
        Some(extension) => format!(".{extension}"),
        None => "without extension".to_string(),
    };
    let kinds: BTreeSet<String> = skipped.iter().map(kind).collect();
    let kinds: Vec<String> = kinds.into_iter().collect();
    Some(format!(
        "left out {} ({}): PDF, HTML and text are read",
        count(skipped.len(), "file"),
        kinds.join(", ")
    ))
}

/// All that comes through a pipe; `None` when stopped before its end. Who writes it may never do so, and a thread that
/// waits for it cannot be woken: it is left behind.
fn piped(pipe: impl Read + Send + 'static, cancel: &Cancel) -> Result<Option<Vec<u8>>> {
    let (done, read) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let all = pipe.take(MAX_PDF + 1).read_to_end(&mut bytes);
        // Nobody is left to hear it when stopped.
        let _ = done.send(all.map(|_| bytes));
    });
    loop {
        match read.recv_timeout(LOOK) {
            Ok(bytes) => {
                let bytes = bytes.context("standard input cannot be read")?;
                if bytes.len() as u64 > MAX_PDF {
                    bail!("more than {} MB came through the pipe", MAX_PDF >> 20);
                }
                return Ok(Some(bytes));
            }
            Err(RecvTimeoutError::Timeout) if cancel.is_cancelled() => return Ok(None),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => bail!("standard input cannot be read"),
        }
    }
}

/// The extension of a file's name, lower case.
fn extension(path: &Path) -> Option<String> {
    let extension = path.extension()?;
    Some(extension.to_string_lossy().to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_and_folders_are_taken_and_no_pipe_is_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe.pdf");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let paths = [pipe, "/dev/zero".into(), dir.path().join("none")];
        let found = gather(&paths, &Cancel::new());
        assert!(found.sources.is_empty());
        let errors: Vec<&str> = found.failed.iter().map(|f| f.error.as_str()).collect();
        let special = "it is a device or a pipe: only files and folders are taken";
        assert_eq!(errors, [special, special, "there is no such file"]);
    }

    #[test]
    fn of_a_folder_what_is_read_is_taken_and_what_is_left_out_told() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str| fs::write(dir.path().join(name), "x").unwrap();
        fs::create_dir(dir.path().join("2024")).unwrap();
        for name in ["a.pdf", "b.HTM", "2024/c.txt", "d.docx", "2024/e.xlsx", "f"] {
            file(name);
        }
        file(".DS_Store");
        std::os::unix::fs::symlink("nowhere", dir.path().join("gone.pdf")).unwrap();
        let found = gather(&[dir.path().to_path_buf()], &Cancel::new());
        let names: Vec<String> = found.sources.iter().map(|s| s.stem.clone()).collect();
        assert_eq!(names, ["c", "a", "b"]);
        assert_eq!(
            left_out(&found.skipped).as_deref(),
            Some("left out 3 files (.docx, .xlsx, without extension): PDF, HTML and text are read")
        );
        assert_eq!(left_out(&[]), None);
        fs::create_dir(dir.path().join("none")).unwrap();
        let found = gather(&[dir.path().join("none")], &Cancel::new());
        assert_eq!(
            found.failed[0].error,
            "no PDF, HTML or text file in this folder"
        );
    }

    #[test]
    fn a_folder_that_cannot_be_looked_into_is_named_and_the_rest_goes_on() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let shut = dir.path().join("b");
        fs::create_dir(&shut).unwrap();
        for name in ["a.htm", "c.htm"] {
            fs::write(dir.path().join(name), "x").unwrap();
        }
        fs::set_permissions(&shut, fs::Permissions::from_mode(0o000)).unwrap();
        if fs::read_dir(&shut).is_ok() {
            crate::common::skipped("root reads every folder");
            return;
        }
        let found = gather(&[dir.path().to_path_buf()], &Cancel::new());
        let names: Vec<String> = found.sources.iter().map(|s| s.stem.clone()).collect();
        assert_eq!(names, ["a", "c"]);
        assert_eq!(found.failed.len(), 1);
        assert_eq!(found.failed[0].what, shut.display().to_string());
    }

    #[test]
    fn a_pipe_nobody_writes_into_is_waited_for_until_stopped() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        let cancel = Cancel::new();
        cancel.cancel();
        assert_eq!(piped(reader.try_clone().unwrap(), &cancel).unwrap(), None);
        drop(reader);
        let (reader, mut other) = std::io::pipe().unwrap();
        other.write_all(b"text").unwrap();
        drop(other);
        let bytes = piped(reader, &Cancel::new()).unwrap();
        assert_eq!(bytes.as_deref(), Some(&b"text"[..]));
        // The reader left behind ends with its pipe.
        let _ = writer.write_all(b"late");
    }

    #[test]
    fn a_file_is_told_by_what_it_holds_and_by_its_name() {
        let told = |bytes: &[u8], extension: &str| {
            kind(bytes, (!extension.is_empty()).then_some(extension)).map_err(|e| e.to_string())
        };
        for (bytes, extension, is) in [
            (&b"%PDF-1.7\n"[..], "pdf", Kind::Pdf),
            (b"junk before %PDF-1.4", "", Kind::Pdf),
            (b"<!DOCTYPE html><p>x", "htm", Kind::Text),
            (b"hello", "txt", Kind::Text),
        ] {
            assert_eq!(told(bytes, extension), Ok(is), "{extension}");
        }
        for (bytes, extension, says) in [
            (
                &b"hello"[..],
                "pdf",
                "it is not a PDF, though its name ends in .pdf",
            ),
            (
                b"<html>Not found",
                "pdf",
                "it is not a PDF, though its name ends in .pdf; it holds HTML",
            ),
            (
                b"PK\x03\x04...",
                "docx",
                "unsupported type .docx: save it as PDF, HTML or text and add that",
            ),
            (
                b"PK\x03\x04...",
                "zip",
                "it is a zip archive: unpack it first",
            ),
            (
                b"\x89PNG\r\n",
                "png",
                "it is a picture: tenleaf reads the text of a file, not pictures of it",
            ),
            (
                b"{\\rtf1",
                "rtf",
                "it is an RTF file: save it as PDF, HTML or text and add that",
            ),
            (b"", "txt", "it is empty"),
        ] {
            assert_eq!(told(bytes, extension), Err(says.to_string()), "{extension}");
        }
    }
}
