/**
 * Throttle: runs `read` once at a time and at the earliest `ms` after its last success; scrapes in between get its last
 * result. A failure is retried at once.
 */
export function atMostEvery(ms: number, read: () => Promise<void>): () => Promise<void> {
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | null = null
  return async () => {
    if (!reading && performance.now() - readAt < ms) return
    reading ??= read()
      .then(() => {
        readAt = performance.now()
      })
      .finally(() => {
        reading = null
      })
    await reading
  }
}
