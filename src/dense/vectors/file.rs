//! A filing's vectors on disk.
//!
//! ```text
//! magic  "TLVECS01"                             8 bytes
//! [32]   model id                               what made the vectors
//! [32]   SHA-256 of the filing's page text      `Filing::text_sha256`, in binary
//! u32    dimensions d                           little-endian, as all below
//! u32    windows a page, at most
//! u32    pages n
//! u32    vectors v
//! u64    n page hashes                          first 8 bytes of the SHA-256 of the text; 0: not embedded yet
//! u32    n + 1 first vectors                    page p has vectors first[p]..first[p + 1]
//! f32    v scales
//! i8     v * d components                       component * scale is the unit vector's
//! [32]   SHA-256 of everything before
//! ```
//!
//! A page hash lets an embedding that was stopped, or whose filing's text changed, keep the pages it has.
//! A page without tokens has no vectors.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use memmap2::Mmap;
use sha2::{Digest, Sha256};

use super::compare::{MAX_DIMS, Quantised, Query};
use super::{VectorsError, folder};
use crate::dense::ModelId;
use crate::library::Filing;
use crate::library::store::{NOT_REGULAR, open_file, unhex, write_atomic};

const MAGIC: &[u8; 8] = b"TLVECS01";
const HEADER: usize = 8 + 32 + 32 + 4 * 4;
const HASH_LEN: usize = 32;

/// Where a filing's vectors are.
pub fn vectors_path(root: &Path, doc_name: &str) -> PathBuf {
    folder(root).join(format!("{doc_name}.vectors"))
}

/// What a page's vectors were made from. Never 0.
pub fn page_hash(text: &str) -> u64 {
    let hash = Sha256::digest(text.as_bytes());
    u64::from_le_bytes(hash[..8].try_into().expect("eight bytes")).max(1)
}

/// The vectors of one page.
#[derive(Clone, Debug, PartialEq)]
pub struct PageVectors {
    /// Of the text they were made from: [`page_hash`].
    pub hash: u64,
    /// One a window.
    pub windows: Vec<Quantised>,
}

/// What all pages of a file have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// By what.
    pub model: ModelId,
    /// From which page text: `Filing::text_sha256`.
    pub text_sha256: String,
    /// Windows a page, at most.
    pub windows: usize,
    /// Length of a vector.
    pub dims: usize,
}

/// Writes a filing's vectors atomically; `None` stands for a page not embedded yet.
pub fn write(path: &Path, made: &Made, pages: &[Option<&PageVectors>]) -> Result<(), VectorsError> {
    let windows = || {
        pages
            .iter()
            .copied()
            .flatten()
            .flat_map(|page| &page.windows)
    };
    let mut out = Vec::with_capacity(HEADER + pages.len() * (20 + made.dims));
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&made.model.0);
    out.extend_from_slice(&unhex(&made.text_sha256));
    for number in [made.dims, made.windows, pages.len(), windows().count()] {
        out.extend_from_slice(&(number as u32).to_le_bytes());
    }
    for page in pages {
        out.extend_from_slice(&page.map_or(0, |page| page.hash).to_le_bytes());
    }
    let mut first = 0u32;
    out.extend_from_slice(&first.to_le_bytes());
    for page in pages {
        first += page.map_or(0, |page| page.windows.len()) as u32;
        out.extend_from_slice(&first.to_le_bytes());
    }
    for window in windows() {
        out.extend_from_slice(&window.scale.to_le_bytes());
    }
    for window in windows() {
        debug_assert_eq!(window.components.len(), made.dims);
        out.extend(window.components.iter().map(|&step| step as u8));
    }
    let hash = Sha256::digest(&out);
    out.extend_from_slice(&hash);
    write_atomic(path, &out).map_err(|source| VectorsError::Io {
        path: path.to_path_buf(),
        source,
    })
}

/// One filing's vectors, memory-mapped.
#[derive(Debug)]
pub struct VectorFile {
    map: Mmap,
    dims: usize,
    windows: usize,
    pages: usize,
    vectors: usize,
}

impl VectorFile {
    /// Maps the file and checks its length, its tables and its hash.
    pub fn open(path: &Path) -> Result<VectorFile, VectorsError> {
        let io = |source| VectorsError::Io {
            path: path.to_path_buf(),
            source,
        };
        let damaged = |what| VectorsError::Damaged {
            path: path.to_path_buf(),
            what,
        };
        let file = match open_file(path) {
            Err(error) if error.kind() == ErrorKind::InvalidInput => {
                return Err(damaged(NOT_REGULAR));
            }
            file => file.map_err(io)?,
        };
        // SAFETY: vector files are replaced by rename and never written in place, so the mapped bytes do not
        // change under us.
        let map = unsafe { Mmap::map(&file) }.map_err(io)?;
        if map.len() < HEADER + HASH_LEN || &map[..8] != MAGIC {
            return Err(damaged("it does not start as a vector file"));
        }
        let number = |ix: usize| u32_at(&map, 72 + ix * 4) as usize;
        let file = VectorFile {
            dims: number(0),
            windows: number(1),
            pages: number(2),
            vectors: number(3),
            map,
        };
        if file.dims == 0 || file.dims > MAX_DIMS || file.end() != Some(file.map.len()) {
            return Err(damaged("it is cut, or longer than it says"));
        }
        let (body, hash) = file.map.split_at(file.map.len() - HASH_LEN);
        if Sha256::digest(body).as_slice() != hash {
            return Err(damaged("its hash does not match"));
        }
        let ordered = (0..file.pages).all(|page| file.first(page) <= file.first(page + 1));
        if !ordered || file.first(0) != 0 || file.first(file.pages) != file.vectors {
            return Err(damaged("its pages are out of order"));
        }
        Ok(file)
    }

    fn end(&self) -> Option<usize> {
        let tables = self.pages.checked_mul(12)?.checked_add(4)?;
        let vectors = self.vectors.checked_mul(4 + self.dims)?;
        HEADER
            .checked_add(tables)?
            .checked_add(vectors)?
            .checked_add(HASH_LEN)
    }

    fn hashes_at(&self) -> usize {
        HEADER
    }

    fn first_at(&self) -> usize {
        HEADER + self.pages * 8
    }

    fn scales_at(&self) -> usize {
        self.first_at() + (self.pages + 1) * 4
    }

    fn components_at(&self) -> usize {
        self.scales_at() + self.vectors * 4
    }

    fn first(&self, page: usize) -> usize {
        u32_at(&self.map, self.first_at() + page * 4) as usize
    }

    /// The model that made them.
    pub fn model(&self) -> ModelId {
        ModelId(self.map[8..40].try_into().expect("32 bytes"))
    }

    /// True when made from this text of the filing.
    pub fn is_of(&self, filing: &Filing) -> bool {
        self.pages == filing.pages as usize && self.map[40..72] == unhex(&filing.text_sha256)
    }

    /// Windows a page, at most.
    pub fn windows(&self) -> usize {
        self.windows
    }

    /// Length of a vector.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// Pages, embedded or not.
    pub fn pages(&self) -> usize {
        self.pages
    }

    /// Pages embedded.
    pub fn embedded(&self) -> usize {
        (0..self.pages)
            .filter(|&page| self.hash_of(page) != 0)
            .count()
    }

    fn hash_of(&self, page: usize) -> u64 {
        let at = self.hashes_at() + page * 8;
        u64::from_le_bytes(self.map[at..at + 8].try_into().expect("eight bytes"))
    }

    /// The vectors of one page, `None` where it is not embedded.
    pub fn page(&self, page: usize) -> Option<PageVectors> {
        let hash = self.hash_of(page);
        (hash != 0).then(|| PageVectors {
            hash,
            windows: (self.first(page)..self.first(page + 1))
                .map(|vector| Quantised {
                    scale: self.scale(vector),
                    components: self.components(vector).to_vec(),
                })
                .collect(),
        })
    }

    fn scale(&self, vector: usize) -> f32 {
        f32::from_bits(u32_at(&self.map, self.scales_at() + vector * 4))
    }

    fn components(&self, vector: usize) -> &[i8] {
        let at = self.components_at() + vector * self.dims;
        as_signed(&self.map[at..at + self.dims])
    }

    /// The similarity of a page's best window, -1 to 1; `None` for a page without vectors.
    pub fn similarity(&self, query: &Query, page: usize) -> Option<f32> {
        (self.first(page)..self.first(page + 1))
            .map(|vector| query.dot(self.components(vector), self.scale(vector)))
            .reduce(f32::max)
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn as_signed(bytes: &[u8]) -> &[i8] {
    // SAFETY: u8 and i8 have the same size, alignment and no invalid values.
    unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast::<i8>(), bytes.len()) }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::compare::tests::unit;
    use super::*;

    fn made(dims: usize) -> Made {
        Made {
            model: ModelId([7; 32]),
            text_sha256: "ab".repeat(32),
            windows: 2,
            dims,
        }
    }

    fn pages(dims: usize) -> Vec<Option<PageVectors>> {
        let page = |hash, windows: u64| {
            Some(PageVectors {
                hash,
                windows: (0..windows)
                    .map(|w| Quantised::of(&unit(hash * 10 + w, dims)))
                    .collect(),
            })
        };
        vec![page(1, 2), None, page(3, 0), page(4, 1)]
    }

    fn write_pages(path: &Path) {
        let pages = pages(24);
        let pages: Vec<_> = pages.iter().map(Option::as_ref).collect();
        write(path, &made(24), &pages).unwrap();
    }

    #[test]
    fn written_and_read_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("A.vectors");
        write_pages(&path);
        let file = VectorFile::open(&path).unwrap();
        assert_eq!(file.model(), ModelId([7; 32]));
        assert_eq!(
            (file.dims(), file.windows(), file.pages(), file.embedded()),
            (24, 2, 4, 3)
        );
        let back: Vec<_> = (0..4).map(|page| file.page(page)).collect();
        assert_eq!(back, pages(24));
        // The best window wins; a page without vectors has no similarity.
        let second = unit(11, 24);
        assert!(file.similarity(&Query::of(&second), 0).unwrap() > 0.999);
        assert_eq!(file.similarity(&Query::of(&second), 1), None);
        assert_eq!(file.similarity(&Query::of(&second), 2), None);
    }

    #[test]
    fn any_damage_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("A.vectors");
        write_pages(&path);
        let whole = fs::read(&path).unwrap();
        for cut in 0..whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            let error = VectorFile::open(&path).expect_err(&format!("cut at {cut}"));
            assert!(error.to_string().contains("tenleaf embed"), "{error}");
        }
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x40;
            fs::write(&path, &bytes).unwrap();
            assert!(VectorFile::open(&path).is_err(), "flipped at {at}");
        }
    }
}
