//! Vectors of bytes, and how near a question's vector is to them.

use multiversion::multiversion;

/// The longest vector whose sum of products fits 32 bits: 512 * 32,767 * 127 < 2^31. MiniLM's has 384.
pub const MAX_DIMS: usize = 512;

/// A vector of bytes: `components[i] * scale` is component `i`.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantised {
    /// Size of one step.
    pub scale: f32,
    /// Steps, -127 to 127.
    pub components: Vec<i8>,
}

impl Quantised {
    /// Rounds each component to a 127th of the largest.
    pub fn of(vector: &[f32]) -> Quantised {
        let largest = vector.iter().fold(0f32, |most, v| most.max(v.abs()));
        let scale = largest / 127.0;
        let step = if scale > 0.0 { 1.0 / scale } else { 0.0 };
        Quantised {
            scale,
            components: vector.iter().map(|v| (v * step).round() as i8).collect(),
        }
    }
}

/// A question's vector, ready to be compared.
///
/// Whole numbers: the sum of products is exact whatever the order of additions, so the same question and page
/// give the same score bits on every machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    steps: Vec<i16>,
    scale: f64,
}

impl Query {
    /// Rounds each component to a 32,767th of the largest.
    pub fn of(vector: &[f32]) -> Query {
        let largest = vector.iter().fold(0f32, |most, v| most.max(v.abs()));
        let scale = f64::from(largest) / 32_767.0;
        let step = if scale > 0.0 { 1.0 / scale } else { 0.0 };
        Query {
            steps: vector
                .iter()
                .map(|&v| (f64::from(v) * step).round() as i16)
                .collect(),
            scale,
        }
    }

    pub(super) fn dot(&self, components: &[i8], scale: f32) -> f32 {
        (f64::from(dot(&self.steps, components)) * self.scale * f64::from(scale)) as f32
    }
}

/// The sum of products. Written so that the compiler turns it into 16-bit multiply-add instructions, as wide as
/// the processor has them.
#[multiversion(targets("x86_64+avx2", "x86_64+sse4.1"))]
fn dot(a: &[i16], b: &[i8]) -> i32 {
    a.iter()
        .zip(b)
        .map(|(&a, &b)| i32::from(a) * i32::from(i16::from(b)))
        .sum()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub fn unit(seed: u64, dims: usize) -> Vec<f32> {
        // A fixed sequence: any spread of values will do.
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut vector: Vec<f32> = (0..dims)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
            })
            .collect();
        let norm = vector.iter().map(|v| v * v).sum::<f32>().sqrt();
        vector.iter_mut().for_each(|v| *v /= norm);
        vector
    }

    #[test]
    fn a_rounded_dot_product_is_close_to_the_exact_one() {
        for seed in 0..200 {
            let (a, b) = (unit(seed, 384), unit(seed + 1000, 384));
            let exact: f32 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
            let b = Quantised::of(&b);
            let rounded = Query::of(&a).dot(&b.components, b.scale);
            assert!((exact - rounded).abs() < 2e-3, "{exact} {rounded}");
        }
        let page = Quantised::of(&[0.0; 8]);
        assert_eq!(Query::of(&[0.0; 8]).dot(&page.components, page.scale), 0.0);
    }

    #[test]
    fn the_largest_sums_fit() {
        // Unit vectors with all components alike have the largest sums.
        let dims = MAX_DIMS;
        let alike = vec![1.0 / (dims as f32).sqrt(); dims];
        let page = Quantised::of(&alike);
        let similarity = Query::of(&alike).dot(&page.components, page.scale);
        assert!((similarity - 1.0).abs() < 1e-5, "{similarity}");
    }
}
