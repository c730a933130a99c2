import { type RequestWindow, RequestWindows } from '../../model/request-windows.ts'
import { Problem } from './problem.ts'
import { UploadLimiter, type UploadLimits } from './upload-limiter.ts'

/** What the page about too many requests tells owners to wait. */
const WINDOW_MS = 600_000

/** Requests in ten minutes. */
interface RequestLimits {
  /** Forms sent with one link and those handed on from it, or from one owner's page: no owner comes near, whoever guesses passwords through us does. */
  changes: number
  /** From one network, about links and owner's pages that there are none of, or that its browser does not have. */
  unknownLinks: number
}

const MOST: RequestLimits = { changes: 60, unknownLinks: 300 }

/** What one link and one network may ask of these pages, counted in this process. What a link may leave behind is bounded in the database. */
export class OwnerRateLimits {
  readonly uploads: UploadLimiter
  readonly #most: RequestLimits
  readonly #changes = new RequestWindows(WINDOW_MS)
  /** Apart, because an attacker may have any number of networks. */
  readonly #unknownLinks = new RequestWindows(WINDOW_MS)

  constructor({ uploads, ...most }: Partial<RequestLimits> & { uploads?: Partial<UploadLimits> } = {}) {
    this.#most = { ...MOST, ...most }
    this.uploads = new UploadLimiter(uploads)
  }

  /** Throws the problem `often` beyond the limit. `key` is what was found, never what was sent. */
  countChange(key: string, now: Date): void {
    const problem = count(this.#changes.at(key, now.getTime()), this.#most.changes, now)
    if (problem) throw problem
  }

  /** The problem `often` beyond the limit, else null. */
  countUnknownLink(network: string, now: Date): Problem | null {
    return count(this.#unknownLinks.at(network, now.getTime()), this.#most.unknownLinks, now)
  }
}

function count(window: RequestWindow, most: number, now: Date): Problem | null {
  window.count += 1
  if (window.count <= most) return null
  return new Problem('often', { details: { retryAfterSeconds: Math.max(1, Math.ceil((window.endsAtMs - now.getTime()) / 1000)) } })
}
