/** Signal without a value, to which components subscribe (`useSyncExternalStore`). */
interface Signal {
  /** Returns the function that unsubscribes. */
  subscribe(this: void, listener: () => void): () => void
  notify(this: void): void
}

export function createSignal(): Signal {
  const listeners = new Set<() => void>()
  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    notify() {
      for (const listener of listeners) listener()
    },
  }
}
