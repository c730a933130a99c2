import { createSignal } from './signal.ts'

/** Availability of the service, taken from the page's own requests, and from the readiness probe while they fail or hang. */
const READY = '/readyz'
/** A request that takes longer triggers a readiness probe. */
const SLOW_MS = 400
/** Timeout of the readiness probe. */
const TIMEOUT_MS = 600
const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 3_000
/** Statuses of a proxy whose service is down, and of the service while it starts. */
const UNREACHABLE_CODES: readonly number[] = [502, 503, 504]

let isUnreachable = false
const availability = createSignal()

export function isServiceUnreachable(): boolean {
  return isUnreachable
}

/** Subscribes to changes of the availability. */
export const onAvailability = availability.subscribe

/**
 * `fetch` that also updates the availability. The browser stores no answer, whatever the answer allows: it is data of
 * customers, and a browser without Fetch Metadata gets what programs get.
 */
export async function fetchWatched(address: string, request: RequestInit): Promise<Response> {
  const slow = setTimeout(() => void probe(), SLOW_MS)
  try {
    const response = await fetch(address, { ...request, cache: 'no-store' })
    if (UNREACHABLE_CODES.includes(response.status)) void probe()
    else setUnreachable(false)
    return response
  } catch (error) {
    setUnreachable(true)
    throw error
  } finally {
    clearTimeout(slow)
  }
}

async function probe(): Promise<void> {
  if (!isUnreachable && !(await isReady())) setUnreachable(true)
}

let probing: Promise<boolean> | null = null

/** Requests that are slow at the same time share one probe. */
function isReady(): Promise<boolean> {
  probing ??= askReady().finally(() => {
    probing = null
  })
  return probing
}

async function askReady(): Promise<boolean> {
  try {
    return (await fetch(READY, { cache: 'no-store', signal: AbortSignal.timeout(TIMEOUT_MS) })).ok
  } catch {
    // No response in time: the kind of failure does not matter.
    return false
  }
}

function setUnreachable(wanted: boolean): void {
  if (wanted === isUnreachable) return
  isUnreachable = wanted
  availability.notify()
  if (isUnreachable) retry(FIRST_PAUSE_MS)
}

function retry(pauseMs: number): void {
  setTimeout(async () => {
    if (!isUnreachable) return
    if (await isReady()) setUnreachable(false)
    else retry(Math.min(MAX_PAUSE_MS, pauseMs * 1.5))
  }, pauseMs)
}

// NOTE there is no such event outside a browser.
globalThis.addEventListener?.('offline', () => setUnreachable(true))
