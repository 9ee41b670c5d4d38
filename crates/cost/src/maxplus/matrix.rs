/// A square max-plus matrix: `-inf` is the absence of a connection, `max` adds, `+` multiplies.
///
/// `A[i][j]` is how much later `i` is at the end of an iteration than `j` at its head. Dense: meant
/// for small systems and as a second method beside [`super::Recurrence`].
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    size: usize,
    entries: Vec<f64>,
}

impl Matrix {
    /// The matrix without any connection.
    #[must_use]
    pub fn zero(size: usize) -> Self {
        Self { size, entries: vec![f64::NEG_INFINITY; size * size] }
    }

    /// The neutral element of multiplication: 0 on the diagonal.
    #[must_use]
    pub fn identity(size: usize) -> Self {
        let mut matrix = Self::zero(size);
        for i in 0..size {
            matrix.set(i, i, 0.0);
        }
        matrix
    }

    /// Rows of equal length, as many as columns.
    ///
    /// # Panics
    /// If the rows do not form a square.
    #[must_use]
    pub fn from_rows(rows: &[Vec<f64>]) -> Self {
        assert!(rows.iter().all(|row| row.len() == rows.len()), "a max-plus matrix is square");
        Self { size: rows.len(), entries: rows.concat() }
    }

    /// Number of rows.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// The entry in row `i`, column `j`.
    #[must_use]
    pub fn get(&self, i: usize, j: usize) -> f64 {
        self.entries[i * self.size + j]
    }

    /// Sets the entry in row `i`, column `j`.
    pub fn set(&mut self, i: usize, j: usize, value: f64) {
        self.entries[i * self.size + j] = value;
    }

    /// Entrywise maximum: the worse of two branches at every step.
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        let entries = self.entries.iter().zip(&other.entries).map(|(a, b)| a.max(*b)).collect();
        Self { size: self.size, entries }
    }

    /// `self` after `other`.
    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        let mut product = Self::zero(self.size);
        for i in 0..self.size {
            for k in 0..self.size {
                let through = self.get(i, k);
                if through == f64::NEG_INFINITY {
                    continue;
                }
                for j in 0..self.size {
                    let value = product.get(i, j).max(through + other.get(k, j));
                    product.set(i, j, value);
                }
            }
        }
        product
    }

    /// `self` repeated `exponent` times, by squaring.
    #[must_use]
    pub fn power(&self, mut exponent: u64) -> Self {
        let mut result = Self::identity(self.size);
        let mut square = self.clone();
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = square.times(&result);
            }
            exponent >>= 1;
            if exponent > 0 {
                square = square.times(&square);
            }
        }
        result
    }

    /// The times after one iteration.
    #[must_use]
    pub fn apply(&self, state: &[f64]) -> Vec<f64> {
        (0..self.size)
            .map(|i| (0..self.size).map(|j| self.get(i, j) + state[j]).fold(f64::NEG_INFINITY, f64::max))
            .collect()
    }

    /// The largest cycle mean by Karp's theorem (1978), `None` if there is no cycle.
    ///
    /// `O(n^3)`; a check on Howard's algorithm.
    #[must_use]
    pub fn karp(&self) -> Option<f64> {
        let n = self.size;
        // walks[k][v]: the heaviest walk of exactly k edges that ends in v, from anywhere.
        let mut walks = vec![vec![0.0; n]];
        for k in 0..n {
            let next = self.apply(&walks[k]);
            walks.push(next);
        }
        let mean_at = |v: usize| {
            let heaviest = walks[n][v];
            (0..n)
                .filter(|k| walks[*k][v] > f64::NEG_INFINITY)
                .map(|k| (heaviest - walks[k][v]) / (n - k) as f64)
                .fold(f64::INFINITY, f64::min)
        };
        (0..n).filter(|v| walks[n][*v] > f64::NEG_INFINITY).map(mean_at).reduce(f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn power_is_repetition() {
        let none = f64::NEG_INFINITY;
        let a = Matrix::from_rows(&[vec![1.0, none, 3.0], vec![2.0, 0.0, none], vec![none, 4.0, none]]);
        let mut product = Matrix::identity(3);
        for exponent in 0..12 {
            assert_eq!(a.power(exponent), product);
            product = a.times(&product);
        }
    }

    #[test]
    fn karp_finds_the_heaviest_mean() {
        let none = f64::NEG_INFINITY;
        let a = Matrix::from_rows(&[vec![1.0, 5.0], vec![3.0, none]]);
        assert_eq!(a.karp(), Some(4.0));
        assert_eq!(Matrix::from_rows(&[vec![none, 5.0], vec![none, none]]).karp(), None);
    }
}
