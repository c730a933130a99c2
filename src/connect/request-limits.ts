import { type RequestWindow, RequestWindows } from '../model/request-windows.ts'
import { Problem } from './problem.ts'
import { type UploadBounds, UploadPlaces } from './upload-places.ts'

/** What the page about too many requests tells owners to wait. */
const WINDOW_MS = 600_000

/** Requests in ten minutes. */
interface Most {
  /** Forms sent with one link and those handed on from it, or from one owner's page: no owner comes near, whoever guesses passwords through us does. */
  changes: number
  /** From one network, about links and owner's pages that there are none of, or that its browser does not have. */
  strangers: number
}

const MOST: Most = { changes: 60, strangers: 300 }

/** What one link and one network may ask of these pages, counted in this process. What a link may leave behind is bounded in the database. */
export class OwnerLimits {
  readonly uploads: UploadPlaces
  readonly #most: Most
  readonly #changes = new RequestWindows(WINDOW_MS)
  /** Apart, because an attacker may have any number of networks. */
  readonly #strangers = new RequestWindows(WINDOW_MS)

  constructor({ uploads, ...most }: Partial<Most> & { uploads?: Partial<UploadBounds> } = {}) {
    this.#most = { ...MOST, ...most }
    this.uploads = new UploadPlaces(uploads)
  }

  /** Throws the problem `often` beyond the limit. `key` is what was found, never what was sent. */
  countChange(key: string, now: Date): void {
    const problem = count(this.#changes.at(key, now.getTime()), this.#most.changes, now)
    if (problem) throw problem
  }

  /** The problem `often` beyond the limit, else null. */
  countStranger(network: string, now: Date): Problem | null {
    return count(this.#strangers.at(network, now.getTime()), this.#most.strangers, now)
  }
}

function count(window: RequestWindow, most: number, now: Date): Problem | null {
  window.count += 1
  if (window.count <= most) return null
  return new Problem('often', { details: { retryAfterSeconds: Math.max(1, Math.ceil((window.endsAtMs - now.getTime()) / 1000)) } })
}
