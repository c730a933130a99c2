/** Median; for an even number of values, the mean of the middle two. Throws if there are none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]]
  if (low === undefined || high === undefined) throw new Error('the median of an empty list is undefined')
  return (low + high) / 2
}

/** Formats median and range, as in `0.61 (0.58 to 0.66)`. */
export function spread(values: readonly number[], digits = 2): string {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  return `${low.toFixed(digits)} to ${high.toFixed(digits)}`
}

/** Quantile: the value below which the share `at` (0 to 1) of all values lies. Throws if there are none. */
export function quantile(values: readonly number[], at: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const found = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))]
  if (found === undefined) throw new Error('the quantile of an empty list is undefined')
  return found
}
