/** Whether the service answers: as the requests of this page tell, and while they fail or hang the service itself. */
const READY = '/readyz'
/** A request that takes longer makes us ask whether the service is there. */
const SLOW_MS = 400
/** So long it may take to say so. */
const PATIENCE_MS = 600
const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 3_000
/** What stands before the service says them where it is away, and the service itself while it starts. */
const AWAY_CODES: readonly number[] = [502, 503, 504]

let isAway = false
const listeners = new Set<() => void>()

export function isServiceAway(): boolean {
  return isAway
}

/** Called whenever the service goes, and when it is back. */
export function onReach(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** One request, watched. */
export async function reach(address: string, request: RequestInit): Promise<Response> {
  const slow = setTimeout(() => void look(), SLOW_MS)
  try {
    const response = await fetch(address, request)
    if (AWAY_CODES.includes(response.status)) void look()
    else turn(false)
    return response
  } catch (error) {
    turn(true)
    throw error
  } finally {
    clearTimeout(slow)
  }
}

async function look(): Promise<void> {
  if (!isAway && !(await isReady())) turn(true)
}

async function isReady(): Promise<boolean> {
  try {
    return (await fetch(READY, { cache: 'no-store', signal: AbortSignal.timeout(PATIENCE_MS) })).ok
  } catch {
    // Nobody answers, or not in time: what it looks like matters to nobody.
    return false
  }
}

function turn(wanted: boolean): void {
  if (wanted === isAway) return
  isAway = wanted
  for (const listener of listeners) listener()
  if (isAway) retry(FIRST_PAUSE_MS)
}

function retry(pauseMs: number): void {
  setTimeout(async () => {
    if (!isAway) return
    if (await isReady()) turn(false)
    else retry(Math.min(MAX_PAUSE_MS, pauseMs * 1.5))
  }, pauseMs)
}

// NOTE outside of a browser there is nobody to tell.
globalThis.addEventListener?.('offline', () => turn(true))
