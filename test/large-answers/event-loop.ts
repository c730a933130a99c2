/** How often this work, which waits for nothing else, comes back to the event loop. */
export async function countReturns(work: () => Promise<unknown>): Promise<number> {
  let [returns, isOver] = [0, false]
  const next = (): void => {
    returns += 1
    if (!isOver) setImmediate(next)
  }
  setImmediate(next)
  await work()
  isOver = true
  return returns
}
