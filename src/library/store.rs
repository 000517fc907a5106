//! The page file: all pages of one filing, each compressed on its own, so that one page
//! can be read without the others.
//!
//! ```text
//! magic  "TLPAGES1"                              8 bytes
//! u32    length of the record, JSON              little-endian, as all below
//!        record: the `Filing`
//! u32    number of pages n
//! u64    n + 1 offsets of the pages, from the file's start
//! u8     n page qualities
//!        n zstd frames
//!        SHA-256 of everything before            32 bytes
//! ```

use std::fs::{self, Permissions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, SyncSender};
use std::thread::JoinHandle;
use std::time::Duration;

use memmap2::Mmap;
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;
use thiserror::Error;
use zstd::bulk::Decompressor;

use super::{Filing, PageQuality, PageText};

const MAGIC: &[u8; 8] = b"TLPAGES1";
const HASH_LEN: usize = 32;
/// Level 6 costs 1 s for the whole corpus over level 3 and saves a tenth of the space.
const ZSTD_LEVEL: i32 = 6;
/// A page is never larger than this; a frame that claims more is damage (or an attack).
const MAX_PAGE_BYTES: usize = 64 << 20;

/// What can be wrong with a page file.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The operating system said no.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// Not a page file, or cut, or changed.
    #[error("{path}: damaged page file ({what}); `tenleaf data verify` says how to get it again")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: &'static str,
    },
    /// No such page.
    #[error("{path}: no page {page} (0-based; the filing has {pages})")]
    NoPage {
        /// The file.
        path: PathBuf,
        /// 0-based page.
        page: u32,
        /// How many there are.
        pages: u32,
    },
}

/// SHA-256 over the pages, in hex: each page's quality, byte length (u64, little-endian) and text.
pub fn text_hash(pages: &[PageText]) -> String {
    let mut hash = Sha256::new();
    for page in pages {
        hash.update([page.quality as u8]);
        hash.update((page.text.len() as u64).to_le_bytes());
        hash.update(page.text.as_bytes());
    }
    hex(&hash.finalize())
}

/// Lower-case hex.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// The 32 bytes of a SHA-256 in hex; what is no digit counts 0.
pub fn unhex(hex: &str) -> [u8; 32] {
    let mut out = [0; 32];
    for (byte, pair) in out.iter_mut().zip(hex.as_bytes().chunks_exact(2)) {
        let digit = |c: u8| (c as char).to_digit(16).unwrap_or(0) as u8;
        *byte = digit(pair[0]) << 4 | digit(pair[1]);
    }
    out
}

/// Writes a page file atomically: a temporary file beside it, then a rename.
/// `filing.pages` and `filing.text_sha256` must agree with `pages`.
pub fn write(path: &Path, filing: &Filing, pages: &[PageText]) -> Result<(), StoreError> {
    let record = serde_json::to_vec(filing).expect("a filing always serialises");
    let mut packer = zstd::bulk::Compressor::new(ZSTD_LEVEL).map_err(|source| io(path, source))?;
    let frames: Vec<Vec<u8>> = pages
        .iter()
        .map(|page| packer.compress(page.text.as_bytes()))
        .collect::<Result<_, _>>()
        .map_err(|source| io(path, source))?;
    let mut out = Vec::with_capacity(frames.iter().map(Vec::len).sum::<usize>() + 4096);
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&(record.len() as u32).to_le_bytes());
    out.extend_from_slice(&record);
    out.extend_from_slice(&(pages.len() as u32).to_le_bytes());
    let mut offset = (out.len() + (pages.len() + 1) * 8 + pages.len()) as u64;
    out.extend_from_slice(&offset.to_le_bytes());
    for frame in &frames {
        offset += frame.len() as u64;
        out.extend_from_slice(&offset.to_le_bytes());
    }
    out.extend(pages.iter().map(|page| page.quality as u8));
    for frame in &frames {
        out.extend_from_slice(frame);
    }
    let hash = Sha256::digest(&out);
    out.extend_from_slice(&hash);
    write_atomic(path, &out).map_err(|source| io(path, source))
}

/// What is said of a folder, a pipe or a device where a file should be.
pub const NOT_REGULAR: &str = "it is no regular file";

/// Opens a file for reading. What is no regular file is an error of the kind `InvalidInput`: to open
/// a pipe would be to wait for its writer.
pub fn open_file(path: &Path) -> std::io::Result<fs::File> {
    match fs::metadata(path)?.is_file() {
        true => fs::File::open(path),
        false => Err(std::io::Error::new(ErrorKind::InvalidInput, NOT_REGULAR)),
    }
}

/// [`fs::read`] of a regular file: see [`open_file`].
pub fn read_file(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_file(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What is in a folder, in no order; nothing where there is no such folder.
pub fn files(dir: &Path) -> std::io::Result<Vec<PathBuf>> {
    match fs::read_dir(dir) {
        Ok(entries) => entries.map(|entry| Ok(entry?.path())).collect(),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// Removes whatever is at `path`, a folder with all that is in it; nothing there is no error.
pub fn remove_all(path: &Path) -> std::io::Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Whether this is the temporary file of a write that has not ended, or was killed.
pub fn is_temporary(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with(".tmp"))
}

/// Removes temporary files in `dir` that no one writes any more: those older than a day.
pub fn sweep(dir: &Path) {
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let old = |found: fs::Metadata| {
            let age = found.modified().ok().and_then(|at| at.elapsed().ok());
            found.is_file() && age.is_some_and(|age| age > DAY)
        };
        if is_temporary(&entry.path()) && entry.metadata().is_ok_and(old) {
            match fs::remove_file(entry.path()) {
                Ok(()) => tracing::info!("removed {}", entry.path().display()),
                Err(error) => tracing::warn!("{}: {error}", entry.path().display()),
            }
        }
    }
}

/// Writes `bytes` to `path` so that a reader sees the old file or the new one, never a part.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    persist(write_beside(path, bytes)?, path)
}

/// The folder a file is in, also where its name says none.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// The first half of [`write_atomic`]: the bytes in a temporary file beside `path`.
pub fn write_beside(path: &Path, bytes: &[u8]) -> std::io::Result<NamedTempFile> {
    let dir = folder_of(path);
    // As any new file: what the umask leaves.
    let mut file = tempfile::Builder::new()
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(dir)?;
    file.write_all(bytes)?;
    Ok(file)
}

/// The second half of [`write_atomic`]: the file takes its place.
pub(super) fn persist(file: NamedTempFile, path: &Path) -> std::io::Result<()> {
    file.as_file().sync_data()?;
    file.persist(path).map_err(|e| e.error)?;
    Ok(())
}

/// Does the second half of [`write_atomic`] for many files on a thread of its own: who writes them
/// need not wait for the disk.
pub struct Persister {
    files: SyncSender<(NamedTempFile, PathBuf)>,
    thread: JoinHandle<Result<(), StoreError>>,
}

impl Persister {
    /// Starts the thread.
    pub fn start() -> Persister {
        let (files, waiting) = mpsc::sync_channel::<(NamedTempFile, PathBuf)>(64);
        let thread = std::thread::spawn(move || {
            for (file, path) in waiting {
                persist(file, &path).map_err(|source| io(&path, source))?;
            }
            Ok(())
        });
        Persister { files, thread }
    }

    /// Hands over a file from [`write_beside`]; it will be found at `path`.
    pub fn persist(&self, file: NamedTempFile, path: PathBuf) {
        // A thread that has ended has an error to tell: `finish` tells it.
        let _ = self.files.send((file, path));
    }

    /// Waits until every file is in its place, or one could not be put there.
    pub fn finish(self) -> Result<(), StoreError> {
        drop(self.files);
        self.thread.join().expect("the thread does not panic")
    }
}

fn io(path: &Path, source: std::io::Error) -> StoreError {
    StoreError::Io {
        path: path.to_path_buf(),
        source,
    }
}

/// An open page file.
#[derive(Debug)]
pub struct PageFile {
    path: PathBuf,
    map: Mmap,
    record: std::ops::Range<usize>,
    offsets_at: usize,
    pages: u32,
}

impl PageFile {
    /// Opens by mmap and checks the layout (not the hash: see [`PageFile::verify`]).
    pub fn open(path: &Path) -> Result<PageFile, StoreError> {
        let damaged = |what| StoreError::Damaged {
            path: path.to_path_buf(),
            what,
        };
        let file = match open_file(path) {
            Err(error) if error.kind() == ErrorKind::InvalidInput => {
                return Err(damaged(NOT_REGULAR));
            }
            file => file.map_err(|source| io(path, source))?,
        };
        // SAFETY: page files are replaced by rename and never written in place, so the mapped
        // bytes do not change under us.
        let map = unsafe { Mmap::map(&file) }.map_err(|source| io(path, source))?;
        if map.len() < 8 + 4 || &map[..8] != MAGIC {
            return Err(damaged("it does not start as one"));
        }
        let record_len = read_u32(&map, 8).ok_or_else(|| damaged("cut"))? as usize;
        let record = 12..12usize.saturating_add(record_len);
        let pages = read_u32(&map, record.end).ok_or_else(|| damaged("cut"))?;
        let offsets_at = record.end + 4;
        let body = offsets_at + (pages as usize + 1) * 8 + pages as usize;
        let file = PageFile {
            path: path.to_path_buf(),
            record,
            offsets_at,
            pages,
            map,
        };
        if file.map.len() < body + HASH_LEN
            || file.offset(0) != Some(body)
            || file.offset(pages) != Some(file.map.len() - HASH_LEN)
        {
            return Err(damaged("cut"));
        }
        Ok(file)
    }

    /// The filing's record, as it was written.
    pub fn filing(&self) -> Result<Filing, StoreError> {
        serde_json::from_slice(&self.map[self.record.clone()])
            .map_err(|_| self.damaged("its record does not parse"))
    }

    /// The filing's record, if the file is that filing's by its name too: two files of one filing
    /// would be two filings of one name.
    pub fn own_filing(&self) -> Result<Filing, StoreError> {
        let filing = self.filing()?;
        let named = self.path.file_stem().and_then(|stem| stem.to_str());
        if named != Some(&filing.doc_name) {
            return Err(self.damaged("it holds another filing than its name says"));
        }
        if filing.pages != self.pages {
            return Err(self.damaged("its record has another number of pages"));
        }
        Ok(filing)
    }

    /// Number of pages.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// One page's quality, without its text.
    pub fn quality(&self, page: u32) -> PageQuality {
        let at = self.offsets_at + (self.pages as usize + 1) * 8 + page as usize;
        match self.map.get(at) {
            Some(1) => PageQuality::Empty,
            Some(2) => PageQuality::Garbage,
            _ => PageQuality::Ok,
        }
    }

    /// One page; 0-based.
    pub fn page(&self, page: u32) -> Result<PageText, StoreError> {
        self.unpack(page, &mut self.unpacker()?)
    }

    /// Every page in order.
    pub fn all(&self) -> Result<Vec<PageText>, StoreError> {
        let mut unpacker = self.unpacker()?;
        (0..self.pages)
            .map(|page| self.unpack(page, &mut unpacker))
            .collect()
    }

    fn unpacker(&self) -> Result<Decompressor<'static>, StoreError> {
        Decompressor::new().map_err(|source| io(&self.path, source))
    }

    fn unpack(&self, page: u32, unpacker: &mut Decompressor<'_>) -> Result<PageText, StoreError> {
        if page >= self.pages {
            return Err(StoreError::NoPage {
                path: self.path.clone(),
                page,
                pages: self.pages,
            });
        }
        let (Some(from), Some(to)) = (self.offset(page), self.offset(page + 1)) else {
            return Err(self.damaged("cut"));
        };
        let frame = self
            .map
            .get(from..to)
            .ok_or_else(|| self.damaged("offsets out of order"))?;
        let len = zstd::zstd_safe::get_frame_content_size(frame)
            .ok()
            .flatten()
            .filter(|&n| n <= MAX_PAGE_BYTES as u64)
            .ok_or_else(|| self.damaged("a page's frame is no frame"))?;
        let bytes = unpacker
            .decompress(frame, len as usize)
            .map_err(|_| self.damaged("a page does not decompress"))?;
        let text = String::from_utf8(bytes).map_err(|_| self.damaged("a page is not UTF-8"))?;
        Ok(PageText {
            text,
            quality: self.quality(page),
        })
    }

    /// Recomputes the hash over the whole file.
    pub fn verify(&self) -> Result<(), StoreError> {
        let (body, hash) = self.map.split_at(self.map.len() - HASH_LEN);
        if Sha256::digest(body).as_slice() == hash {
            Ok(())
        } else {
            Err(self.damaged("its hash does not match"))
        }
    }

    fn damaged(&self, what: &'static str) -> StoreError {
        StoreError::Damaged {
            path: self.path.clone(),
            what,
        }
    }

    fn offset(&self, page: u32) -> Option<usize> {
        let at = self.offsets_at + page as usize * 8;
        let bytes = self.map.get(at..at + 8)?;
        usize::try_from(u64::from_le_bytes(bytes.try_into().ok()?)).ok()
    }
}

fn read_u32(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}
