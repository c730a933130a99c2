import { setImmediate } from 'node:timers/promises'

/** Items of a slice: a few milliseconds, where each takes some microseconds. */
const AT_ONCE = 500

/** These items in slices, with a return to the event loop after each whole one. */
export async function* slicesOf<T>(items: Iterable<T>, atOnce = AT_ONCE): AsyncGenerator<T[], void> {
  let slice: T[] = []
  for (const item of items) {
    slice.push(item)
    if (slice.length < atOnce) continue
    yield slice
    slice = []
    await setImmediate()
  }
  if (slice.length > 0) yield slice
}

/** `flatMap` in slices. */
export async function flatMapInSlices<T, U>(items: Iterable<T>, toItems: (item: T) => U | readonly U[]): Promise<U[]> {
  const found: U[] = []
  for await (const slice of slicesOf(items)) for (const each of slice.flatMap(toItems)) found.push(each)
  return found
}

/** Different results of `flatMap`, in slices. */
export async function distinctInSlices<T, U>(items: Iterable<T>, toItems: (item: T) => U | readonly U[]): Promise<Set<U>> {
  const found = new Set<U>()
  for await (const slice of slicesOf(items)) for (const each of slice.flatMap(toItems)) found.add(each)
  return found
}

/** Merge sort in slices. Stable, like the one of lists. */
export async function sortInSlices<T>(items: Iterable<T>, compare: (a: T, b: T) => number): Promise<T[]> {
  let runs: T[][] = []
  for await (const slice of slicesOf(items)) runs.push(slice.sort(compare))
  while (runs.length > 1) {
    const merged: T[][] = []
    for (let at = 0; at < runs.length; at += 2) merged.push(await mergeInSlices(runs[at] ?? [], runs[at + 1] ?? [], compare))
    runs = merged
  }
  return runs[0] ?? []
}

async function mergeInSlices<T>(left: readonly T[], right: readonly T[], compare: (a: T, b: T) => number): Promise<T[]> {
  const merged: T[] = []
  for await (const slice of slicesOf(merge(left, right, compare))) merged.push(...slice)
  return merged
}

function* merge<T>(left: readonly T[], right: readonly T[], compare: (a: T, b: T) => number): Generator<T, void> {
  const others = right.values()
  let other = others.next()
  for (const item of left) {
    for (; !other.done && compare(item, other.value) > 0; other = others.next()) yield other.value
    yield item
  }
  for (; !other.done; other = others.next()) yield other.value
}
