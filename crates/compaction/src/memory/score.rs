//! The scores of memories (Generative Agents, arXiv 2304.03442): recency, importance and relevance,
//! each scaled to 0..1 over all candidates, weighted and added up.

/// What a memory is scored by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Memory {
    /// How long ago it was last looked at, by the rule for recency.
    pub age: f64,
    /// How much it matters by itself, 1 to 10.
    pub importance: f64,
    /// How much it is about what is asked, 0 to 1.
    pub relevance: f64,
}

/// The score of each memory. Recency is `decay` to the power of the age; `weights` are those of
/// recency, importance and relevance.
pub(crate) fn scores(memories: &[Memory], decay: f64, weights: [f64; 3]) -> Vec<f64> {
    let scaled = |value: &dyn Fn(&Memory) -> f64| {
        let values: Vec<f64> = memories.iter().map(value).collect();
        scaled(&values)
    };
    let parts = [
        // The paper scales the decayed value, not the age.
        scaled(&|own| decay.powf(own.age)),
        scaled(&|own| own.importance),
        scaled(&|own| own.relevance),
    ];
    (0..memories.len())
        .map(|at| {
            let weighted = parts.iter().zip(weights);
            weighted.map(|(part, weight)| part[at] * weight).sum()
        })
        .collect()
}

/// Positions of those that are chosen, in order: the best by `scores` while they fit into `budget`
/// tokens, of which `most` are looked at; those in `stays` are skipped. Of equal scores the
/// newest comes first.
pub(crate) fn choose(
    scores: &[f64],
    sizes: &[u64],
    stays: &[bool],
    most: usize,
    budget: u64,
) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).filter(|&at| !stays[at]).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(b.cmp(&a)));
    let mut left = budget;
    let mut chosen: Vec<usize> = Vec::new();
    // One that does not fit is skipped; a smaller one behind it may.
    for at in order.into_iter().take(most) {
        if sizes[at] <= left {
            left -= sizes[at];
            chosen.push(at);
        }
    }
    // The next request needs them in the order of the session.
    chosen.sort_unstable();
    chosen
}

/// The values between 0, the least, and 1, the largest; 0.5 where all are the same (the reference
/// code; the paper says nothing of it).
fn scaled(values: &[f64]) -> Vec<f64> {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let one = |value: &f64| match most - least {
        range if range > 0.0 => (value - least) / range,
        _ => 0.5,
    };
    values.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-6
    }

    #[test]
    fn three_memories_come_out_as_computed_by_hand() {
        let memory = |age, importance, relevance| Memory {
            age,
            importance,
            relevance,
        };
        let three = [
            memory(0.0, 2.0, 0.2),
            memory(1.0, 9.0, 0.1),
            memory(10.0, 5.0, 0.9),
        ];
        let sums = scores(&three, 0.99, [1.0, 1.0, 1.0]);
        // Recency 1, 0.895417, 0; importance 0, 1, 3/7; relevance 0.125, 0, 1.
        assert!(near(sums[0], 1.125), "{sums:?}");
        assert!(near(sums[1], 1.895_417), "{sums:?}");
        assert!(near(sums[2], 1.428_571), "{sums:?}");
        // The second comes first, then the third; one after the other while they fit.
        let best = |most| choose(&sums, &[1; 3], &[false; 3], most, 9);
        assert_eq!(
            (best(1), best(2), best(3)),
            (vec![1], vec![1, 2], vec![0, 1, 2])
        );
        let recency = scores(&three, 0.99, [1.0, 0.0, 0.0]);
        assert!(near(
            recency[1],
            (0.99 - 0.904_382_075) / (1.0 - 0.904_382_075)
        ));
    }

    #[test]
    fn the_best_that_fit_are_chosen_beside_what_stays() {
        let choose = |most, budget| {
            let scores = [0.5, 3.0, 2.0, 2.0, 1.0];
            choose(
                &scores,
                &[4, 9, 5, 5, 1],
                &[false, true, false, false, false],
                most,
                budget,
            )
        };
        // The second stays anyway; of equal ones the newer comes first; what is too large is
        // skipped for what is smaller.
        assert_eq!(choose(9, 5), [3]);
        assert_eq!(choose(9, 6), [3, 4]);
        assert_eq!(choose(9, 100), [0, 2, 3, 4]);
        assert_eq!(choose(2, 100), [2, 3]);
        assert!(choose(9, 0).is_empty());
    }

    #[test]
    fn what_is_the_same_for_all_counts_half() {
        assert_eq!(scaled(&[3.0, 3.0]), [0.5, 0.5]);
        assert_eq!(scaled(&[]), [0.0; 0]);
    }
}
