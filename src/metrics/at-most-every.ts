/** Makes `read` run once at a time and `ms` after its last success at the earliest: scrapes in between find what it left. A failure is read again. */
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
