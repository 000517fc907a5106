//! BM25 as Lucene and tantivy write it (Robertson and Zaragoza 2009), with exact lengths and in f64.
//!
//! `idf = ln(1 + (N - df + 0.5) / (df + 0.5))`,
//! `score = sum over terms of idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / average))`.

/// Term frequency saturation.
pub const K1: f64 = 1.2;
/// Length normalisation.
pub const B: f64 = 0.75;

/// Inverse document frequency of a term that `df` of `pages` pages hold.
pub fn idf(pages: u64, df: u64) -> f64 {
    let (pages, df) = (pages as f64, df as f64);
    (1.0 + (pages - df + 0.5) / (df + 0.5)).ln()
}

/// The part of the score that does not depend on the term, for a page of `length` tokens.
pub fn norm(length: u32, average: f64) -> f64 {
    K1 * (1.0 - B + B * length as f64 / average)
}

/// A term's contribution.
pub fn contribution(idf: f64, tf: u32, norm: f64) -> f64 {
    let tf = tf as f64;
    idf * (tf * (K1 + 1.0) / (tf + norm))
}
