import { type RequestWindow, RequestWindows } from '../../model/request-windows.ts'
import { Problem } from './problem.ts'
import { UploadLimiter, type UploadLimits } from './upload-limiter.ts'

/** Window of the limits, shown to owners as waiting time. */
const WINDOW_MS = 600_000

/** Requests per ten minutes. */
interface RequestLimits {
  /**
   * Forms sent with one link and its hand-offs, or from one owner page: far more than an owner needs, too few for
   * guessing passwords through us.
   */
  changes: number
  /** Requests from one network for links and owner pages that do not exist, or that its browser does not have. */
  unknownLinks: number
}

const MOST: RequestLimits = { changes: 60, unknownLinks: 300 }

/** Rate limits per link and per network, in this process. What one link may create is limited in the database. */
export class OwnerRateLimits {
  readonly uploads: UploadLimiter
  readonly #most: RequestLimits
  readonly #changes = new RequestWindows(WINDOW_MS)
  /** Separate counters, because an attacker may have any number of networks. */
  readonly #unknownLinks = new RequestWindows(WINDOW_MS)

  constructor({ uploads, ...most }: Partial<RequestLimits> & { uploads?: Partial<UploadLimits> } = {}) {
    this.#most = { ...MOST, ...most }
    this.uploads = new UploadLimiter(uploads)
  }

  /** Throws the problem `often` above the limit. `key` is what was found, never what was sent. */
  countChange(key: string, now: Date): void {
    const problem = count(this.#changes.at(key, now.getTime()), this.#most.changes, now)
    if (problem) throw problem
  }

  /** The problem `often` above the limit, otherwise null. */
  countUnknownLink(network: string, now: Date): Problem | null {
    return count(this.#unknownLinks.at(network, now.getTime()), this.#most.unknownLinks, now)
  }
}

function count(window: RequestWindow, most: number, now: Date): Problem | null {
  window.count += 1
  if (window.count <= most) return null
  return new Problem('often', { details: { retryAfterSeconds: Math.max(1, Math.ceil((window.endsAtMs - now.getTime()) / 1000)) } })
}
