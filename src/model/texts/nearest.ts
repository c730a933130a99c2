/** The known name nearest to a misspelt one, or that it begins; null when none is near. */
export function findNearest(name: string, known: readonly string[]): string | null {
  const wanted = name.toLowerCase()
  const begun = wanted.length < 3 ? [] : known.filter((one) => one.startsWith(wanted))
  if (begun.length === 1) return begun[0] ?? null
  const [nearest] = known
    .map((one) => ({ one, distance: editDistance(wanted, one) }))
    .filter(({ one, distance }) => distance <= Math.min(3, Math.floor((one.length + 1) / 3)))
    .sort((a, b) => a.distance - b.distance)
  return nearest?.one ?? null
}

/** Levenshtein distance. */
export function editDistance(a: string, b: string): number {
  let before = Array.from({ length: b.length + 1 }, (_one, index) => index)
  for (const [row, letter] of [...a].entries()) {
    const now = [row + 1]
    for (let at = 1; at <= b.length; at += 1) {
      const [left = 0, above = 0, diagonal = 0] = [now[at - 1], before[at], before[at - 1]]
      now.push(Math.min(left + 1, above + 1, diagonal + (letter === b[at - 1] ? 0 : 1)))
    }
    before = now
  }
  return before[b.length] ?? 0
}
