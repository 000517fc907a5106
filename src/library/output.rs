//! Files whose place a user names on the command line: `--out`, `--write`. What is there already is replaced
//! whole or not at all, and only where it is a file: a link is written through, a device written into.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::store::{folder_of, persist, write_beside};

/// Links followed before they are taken for a circle, as the system does.
const MAX_LINKS: usize = 40;

/// Writes `bytes` to `path`. A file there keeps its mode, a new one gets what the umask leaves; a
/// reader sees the old file or the new one, never a part.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if is_stream(path) {
        // To append is right for `/dev/stdout` of a shell that appends.
        let mut stream = OpenOptions::new().append(true).open(path)?;
        return stream.write_all(bytes);
    }
    let real = behind_links(path)?;
    let mode = match fs::metadata(&real) {
        Ok(there) if there.is_dir() => {
            return Err(io::Error::new(
                io::ErrorKind::IsADirectory,
                "it is a folder: name a file",
            ));
        }
        Ok(there) => {
            // A file that may not be written is not to be replaced either.
            OpenOptions::new().write(true).open(&real)?;
            Some(there.permissions())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let file = write_beside(&real, bytes)?;
    if let Some(mode) = mode {
        file.as_file().set_permissions(mode)?;
    }
    persist(file, &real)
}

/// Where a file is until it is whole.
pub fn part_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(".part");
    name.into()
}

/// True for what is there and is neither file nor folder (a device, a pipe), under whatever name.
pub fn is_stream(path: &Path) -> bool {
    let by_name = path.starts_with("/dev") || path.starts_with("/proc");
    fs::metadata(path).is_ok_and(|there| !there.is_dir() && (by_name || !there.is_file()))
}

/// True when both names lead to one file.
pub fn same_file(a: &Path, b: &Path) -> bool {
    match (fs::metadata(a), fs::metadata(b)) {
        (Ok(a), Ok(b)) => a.is_file() && (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}

/// The file a name stands for, though it may not be there yet.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&path) {
            Ok(to) => path = folder_of(&path).join(to),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("its links lead in a circle"))
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_file_keeps_its_mode_and_a_new_one_gets_the_usual() {
        let dir = tempfile::tempdir().unwrap();
        let (old, new, usual) = (
            dir.path().join("old"),
            dir.path().join("new"),
            dir.path().join("usual"),
        );
        fs::write(&old, "before").unwrap();
        fs::set_permissions(&old, Permissions::from_mode(0o664)).unwrap();
        write(&old, b"after").unwrap();
        assert_eq!(fs::read(&old).unwrap(), b"after");
        assert_eq!(mode(&old), 0o664);
        fs::write(&usual, "").unwrap();
        write(&new, b"x").unwrap();
        assert_eq!(mode(&new), mode(&usual));
    }

    #[test]
    fn links_are_written_through() {
        let dir = tempfile::tempdir().unwrap();
        let inner = dir.path().join("inner");
        fs::create_dir(&inner).unwrap();
        for there in [true, false] {
            let real = inner.join(format!("real-{there}"));
            let (first, second) = (
                dir.path().join(format!("first-{there}")),
                inner.join(format!("second-{there}")),
            );
            if there {
                fs::write(&real, "before").unwrap();
            }
            symlink(real.file_name().unwrap(), &second).unwrap();
            symlink(&second, &first).unwrap();
            write(&first, b"after").unwrap();
            assert!(first.is_symlink() && second.is_symlink());
            assert_eq!(fs::read(&real).unwrap(), b"after");
        }
        let circle = dir.path().join("circle");
        symlink(&circle, &circle).unwrap();
        assert!(write(&circle, b"x").is_err());
        assert!(circle.is_symlink());
    }

    #[test]
    fn devices_and_folders_stay_what_they_are() {
        let dir = tempfile::tempdir().unwrap();
        assert!(write(dir.path(), b"x").is_err());
        let null = dir.path().join("null");
        symlink("/dev/null", &null).unwrap();
        write(&null, b"x").unwrap();
        write(Path::new("/dev/null"), b"x").unwrap();
        assert!(is_stream(Path::new("/dev/null")) && is_stream(&null));
        #[cfg(target_os = "linux")]
        assert!(write(Path::new("/dev/full"), b"x").is_err());
    }

    #[test]
    fn one_file_under_two_names_is_found_out() {
        let dir = tempfile::tempdir().unwrap();
        let [file, hard, soft, other] =
            ["file", "hard", "soft", "other"].map(|n| dir.path().join(n));
        fs::write(&file, "x").unwrap();
        fs::write(&other, "x").unwrap();
        fs::hard_link(&file, &hard).unwrap();
        symlink(&file, &soft).unwrap();
        assert!(same_file(&file, &dir.path().join("./file")));
        assert!(same_file(&file, &hard) && same_file(&soft, &file));
        assert!(!same_file(&file, &other) && !same_file(&file, Path::new("/no")));
        assert!(!same_file(Path::new("/dev/null"), Path::new("/dev/null")));
    }
}
