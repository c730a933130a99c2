import type { Lane } from '../store/jobs/jobs.ts'

/** Round-robin cursor: the last lane served, in the order of the ring that begins behind `after`. */
export function nextLaneCursor(claimed: readonly Lane[], after: Lane | null): Lane | null {
  const lanes = claimed.toSorted(compareLanes)
  const wrapped = after === null ? [] : lanes.filter((lane) => compareLanes(lane, after) <= 0)
  return (wrapped.length > 0 ? wrapped : lanes).at(-1) ?? after
}

/** Byte order, as the database orders ids and provider keys. */
function compareLanes(a: Lane, b: Lane): number {
  if (a.instanceId !== b.instanceId) return a.instanceId < b.instanceId ? -1 : 1
  return a.provider === b.provider ? 0 : a.provider < b.provider ? -1 : 1
}
