/** Number of concurrent syncs, as in a worker. */
export const AT_ONCE = 8

/** Runs `work` for the numbers 0 to `count` - 1, eight at once. */
export async function inParallel(count: number, work: (number: number) => Promise<void>): Promise<void> {
  let next = 0
  const lane = async (): Promise<void> => {
    for (let number = next++; number < count; number = next++) await work(number)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
}
