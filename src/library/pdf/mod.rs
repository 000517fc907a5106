//! PDF to page text, in pure Rust: `hayro-interpret` runs the page's instructions, we keep the
//! glyphs and lay them out in rows.
//!
//! A PDF is a program someone else wrote. [`extract`] runs it in this process and survives a panic;
//! [`worker::extract_file`] runs it in a process of its own, with a limit on memory and time,
//! and survives everything.

pub mod ligature;
mod quality;
mod rows;
pub mod worker;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use hayro_interpret::font::{Glyph as DrawnGlyph, GlyphRun};
use hayro_interpret::hayro_cmap::BfString;
use hayro_interpret::hayro_syntax::page::Page;
use hayro_interpret::hayro_syntax::{LoadPdfError, Pdf};
use hayro_interpret::kurbo::{Affine, BezPath, Point, Rect};
use hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps,
    InterpreterCache, InterpreterSettings, SoftMask, interpret_page,
};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{PageQuality, PageText};
use crate::caught::{message, quietly};
pub use quality::judge;
use rows::{Glyph, GlyphText};

/// The reader's own recursion is bounded, but deep: it gets a stack to match.
const STACK_BYTES: usize = 64 << 20;
/// More glyphs than any page holds; a page that draws more is an attack.
const MAX_GLYPHS: usize = 2_000_000;

/// Why a PDF gave no text.
#[derive(Clone, Debug, Error, PartialEq, Eq, Serialize, Deserialize)]
pub enum PdfError {
    /// No bytes.
    #[error("the file is empty")]
    Empty,
    /// Another kind of file.
    #[error("not a PDF (it starts like {0})")]
    NotPdf(String),
    /// A password is needed, or an encryption nobody knows.
    #[error("encrypted: save a copy without a password and add that")]
    Encrypted,
    /// Cut or broken beyond what can be mended.
    #[error("damaged: no pages can be found in it (cut off, perhaps: get it again)")]
    Damaged,
    /// The reader failed on it; `page` is 1-based, 0 for the opening of the file.
    #[error("{}: {what}", place(.page))]
    Failed {
        /// 1-based page; 0 for the opening.
        page: u32,
        /// What happened.
        what: String,
    },
}

fn place(page: &u32) -> String {
    match page {
        0 => "opening it".to_string(),
        page => format!("page {page}"),
    }
}

/// Text and quality of every page, in order.
///
/// The text has a line a row and two spaces between columns; it is not yet normalised
/// ([`crate::text::normalise`]), and a glyph without a character is a NUL ([`ligature::mend`]). A page the reader panics on is kept, without text, as
/// [`PageQuality::Garbage`]; if that is every page, it is an error.
pub fn extract(bytes: &[u8]) -> Result<Vec<PageText>, PdfError> {
    let mut pages = Vec::new();
    let mut failed = None;
    read_pages(bytes, 0, |step| {
        let Step::Page { page, text } = step else {
            return;
        };
        pages.push(text.unwrap_or_else(|what| {
            let page = page + 1;
            failed.get_or_insert(PdfError::Failed { page, what });
            unreadable()
        }));
    })?;
    match failed {
        Some(error) if pages.iter().all(|page| page.text.is_empty()) => Err(error),
        _ => Ok(pages),
    }
}

/// What stands for a page that could not be read.
fn unreadable() -> PageText {
    PageText {
        text: String::new(),
        quality: PageQuality::Garbage,
    }
}

/// What reading comes to, step by step.
enum Step {
    /// The file is open and has so many pages.
    Opened { count: u32 },
    /// A 0-based page's text, or why it has none.
    Page {
        page: u32,
        text: Result<PageText, String>,
    },
}

/// Opens a PDF and reads its pages from the 0-based `first` on, on a thread of its own with a deep
/// stack.
fn read_pages(bytes: &[u8], first: u32, mut each: impl FnMut(Step) + Send) -> Result<(), PdfError> {
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .name("pdf".to_string())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, || {
                quietly(|| {
                    let pdf = open(bytes)?;
                    let cache = InterpreterCache::new();
                    let pages = pdf.pages();
                    each(Step::Opened {
                        count: pages.len() as u32,
                    });
                    for (ix, page) in pages.iter().enumerate().skip(first as usize) {
                        let text = catch_unwind(AssertUnwindSafe(|| read_page(page, &pdf, &cache)));
                        each(Step::Page {
                            page: ix as u32,
                            text: text.map_err(panic_text),
                        });
                    }
                    Ok(())
                })
            })
            .map_err(|error| failed_opening(error.to_string()))?
            .join()
            .unwrap_or_else(|panic| Err(failed_opening(panic_text(panic))))
    })
}

fn failed_opening(what: String) -> PdfError {
    PdfError::Failed { page: 0, what }
}

fn open(bytes: &[u8]) -> Result<Pdf, PdfError> {
    if bytes.is_empty() {
        return Err(PdfError::Empty);
    }
    if let Some(kind) = other_kind(bytes) {
        return Err(PdfError::NotPdf(kind.to_string()));
    }
    let pdf = catch_unwind(|| Pdf::new(bytes.to_vec()))
        .map_err(|panic| failed_opening(panic_text(panic)))?
        .map_err(|error| match error {
            LoadPdfError::Decryption(_) => PdfError::Encrypted,
            LoadPdfError::Invalid => PdfError::Damaged,
        })?;
    if pdf.pages().is_empty() {
        return Err(PdfError::Damaged);
    }
    Ok(pdf)
}

/// What a file without a PDF header is; readers accept one within the first KiB.
fn other_kind(bytes: &[u8]) -> Option<&'static str> {
    let head = &bytes[..bytes.len().min(1024)];
    if head.windows(5).any(|w| w == b"%PDF-") {
        return None;
    }
    let start = head.trim_ascii_start();
    let starts =
        |tag: &[u8]| start.len() >= tag.len() && start[..tag.len()].eq_ignore_ascii_case(tag);
    Some(match () {
        () if starts(b"\x89PNG") => "a PNG picture",
        () if starts(b"\xff\xd8\xff") => "a JPEG picture",
        () if starts(b"PK\x03\x04") => "a ZIP archive or an Office document",
        () if starts(b"<") => "HTML or XML",
        () if starts(b"version https://git-lfs") => "a Git LFS pointer",
        () if start.iter().all(|b| b.is_ascii()) => "plain text",
        () => "some other kind of file",
    })
}

fn read_page<'a>(page: &Page<'a>, pdf: &'a Pdf, cache: &InterpreterCache<'a>) -> PageText {
    let (width, height) = page.render_dimensions();
    let transform = page.initial_transform(false);
    let mut context = Context::new(
        Affine::new(transform.as_coeffs()),
        Rect::new(0.0, 0.0, width.into(), height.into()),
        cache,
        pdf.xref(),
        InterpreterSettings::default(),
    );
    let mut glyphs = Glyphs::default();
    interpret_page(page, &mut context, &mut glyphs);
    glyphs.text()
}

/// The device that keeps glyphs and draws nothing. Glyphs are kept apart by the direction their
/// text runs in, in whole degrees counter-clockwise from left-to-right.
#[derive(Default)]
struct Glyphs {
    by_angle: BTreeMap<i32, Vec<Glyph>>,
    count: usize,
}

impl Glyphs {
    fn text(self) -> PageText {
        let mut parts: Vec<(usize, String)> = self
            .by_angle
            .into_values()
            .map(|glyphs| (glyphs.len(), rows::layout(glyphs)))
            .filter(|(_, text)| !text.is_empty())
            .collect();
        // The direction most of the page runs in comes first.
        parts.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        let parts: Vec<String> = parts.into_iter().map(|(_, text)| text).collect();
        let text = parts.join("\n");
        PageText {
            quality: quality::judge(&text),
            text,
        }
    }
}

impl<'a> Device<'a> for Glyphs {
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, _: &DrawMode) {
        for glyph in run.glyphs() {
            self.count += 1;
            assert!(
                self.count <= MAX_GLYPHS,
                "draws more than {MAX_GLYPHS} glyphs"
            );
            let text = match glyph.as_unicode() {
                // No character is known: `ligature` may find one.
                None => GlyphText::Char('\0'),
                Some(BfString::Char(c)) => GlyphText::Char(c),
                Some(BfString::String(s)) => GlyphText::Str(s.as_str().into()),
            };
            let to_page = props.transform * glyph.transform();
            let origin = to_page * Point::ZERO;
            let up = to_page * Point::new(0.0, 1000.0) - origin;
            let advance = to_page * Point::new(advance_of(glyph), 0.0) - origin;
            let along = to_page * Point::new(1000.0, 0.0) - origin;
            let angle = along.y.atan2(along.x).to_degrees().round() as i32 % 360;
            let (sin, cos) = f64::from(-angle).to_radians().sin_cos();
            self.by_angle.entry(angle).or_default().push(Glyph {
                x: (origin.x * cos - origin.y * sin) as f32,
                y: (origin.x * sin + origin.y * cos) as f32,
                advance: advance.hypot() as f32,
                em: up.hypot() as f32,
                text,
            });
        }
    }

    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'a>, _: &DrawMode) {}
    fn draw_rect(&mut self, _: &Rect, _: DrawProps<'a>, _: &DrawMode) {}
    fn push_clip_path(&mut self, _: &ClipPath) {}
    fn push_clip_rect(&mut self, _: &Rect) {}
    fn pop_clip(&mut self) {}
    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {}
    fn pop_transparency_group(&mut self) {}
    fn draw_image(&mut self, _: Image<'a, '_>, _: ImageDrawProps<'a>) {}
}

/// Width of a glyph in thousandths of an em.
fn advance_of(glyph: &DrawnGlyph<'_>) -> f64 {
    let width = match glyph {
        DrawnGlyph::Outline(glyph) => glyph.advance_width(),
        DrawnGlyph::Type3(glyph) => glyph.advance_width(),
    };
    width.unwrap_or(500.0).into()
}

fn panic_text(panic: Box<dyn std::any::Any + Send>) -> String {
    format!("the reader failed ({})", message(panic))
}
