//! Which of several has the best figure. Pure.

export interface Figure<T> {
  key: string;
  name: string;
  hint?: string;
  value: (of: T) => number | null;
  show: (value: number) => string;
  /** The exact value, where `show` rounds. */
  exact?: (value: number) => string;
  /** More is better; otherwise less is. */
  more?: boolean;
  /** Neither is better. */
  neutral?: boolean;
}

/**
 * Those with the best value as it is shown: what a reader sees as equal is equal. Nobody where all
 * are equal or only one has a value.
 */
export function best<T>(figure: Figure<T>, all: readonly T[]): ReadonlySet<T> {
  const known = all.flatMap((one) => {
    const value = figure.value(one);
    return value === null ? [] : [[one, value] as const];
  });
  if (figure.neutral === true || known.length < 2) return new Set();
  const values = known.map(([, value]) => value);
  const top = figure.more === true ? Math.max(...values) : Math.min(...values);
  const shown = figure.show(top);
  const first = known.filter(([, value]) => figure.show(value) === shown).map(([one]) => one);
  return first.length === known.length ? new Set() : new Set(first);
}
