//! The folder of the inverted index, for reading: one that may only be read is read without a lock.

use std::io;
use std::path::Path;
use std::sync::Arc;

use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    Directory, DirectoryLock, FileHandle, Lock, MmapDirectory, WatchCallback, WatchHandle, WritePtr,
};

/// A folder read by mmap. tantivy takes a lock, a file it writes, so that nobody removes what is being
/// opened; where it may not write, nobody does.
#[derive(Clone, Debug)]
pub(super) struct ReadFolder(MmapDirectory);

impl ReadFolder {
    pub(super) fn open(dir: &Path) -> tantivy::Result<ReadFolder> {
        Ok(ReadFolder(MmapDirectory::open(dir)?))
    }
}

fn unlocked_if_read_only(
    locked: Result<DirectoryLock, LockError>,
) -> Result<DirectoryLock, LockError> {
    use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    match locked {
        Err(LockError::IoError(error))
            if matches!(error.kind(), PermissionDenied | ReadOnlyFilesystem) =>
        {
            Ok(DirectoryLock::from(Box::new(())))
        }
        locked => locked,
    }
}

impl Directory for ReadFolder {
    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        unlocked_if_read_only(self.0.acquire_lock(lock))
    }

    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.0.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.0.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.0.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        self.0.open_write(path)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.0.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        self.0.atomic_write(path, data)
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.0.sync_directory()
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.0.watch(callback)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::index::words::{WordIndex, WordIndexWriter};

    #[test]
    fn only_where_it_may_not_be_written_no_lock_is_taken() {
        let of = |kind: io::ErrorKind| Err(LockError::IoError(Arc::new(io::Error::from(kind))));
        for kind in [
            io::ErrorKind::PermissionDenied,
            io::ErrorKind::ReadOnlyFilesystem,
        ] {
            assert!(unlocked_if_read_only(of(kind)).is_ok(), "{kind}");
        }
        for failed in [of(io::ErrorKind::StorageFull), Err(LockError::LockBusy)] {
            assert!(unlocked_if_read_only(failed).is_err());
        }
    }

    #[test]
    fn an_index_that_may_only_be_read_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let words = dir.path().join("words");
        WordIndexWriter::open(&words, 1, 15 << 20)
            .unwrap()
            .commit()
            .unwrap();
        let allow = |mode| {
            for entry in fs::read_dir(&words).unwrap() {
                fs::set_permissions(entry.unwrap().path(), Permissions::from_mode(mode)).unwrap();
            }
            fs::set_permissions(&words, Permissions::from_mode(mode | 0o111)).unwrap();
        };
        allow(0o444);
        let writable = fs::write(words.join("probe"), "").is_ok();
        let opened = WordIndex::open(&words, &[], &[0]);
        allow(0o644);
        if writable {
            crate::common::skipped("this user may write everywhere");
        }
        assert!(matches!(opened, Ok(Some(_))), "{opened:?}");
    }
}
