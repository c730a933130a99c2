import type { MultipartFile } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { rootLinkId } from '../../store/connections/links.ts'
import { Problem } from '../http/problem.ts'
import type { UploadLimiter } from '../http/upload-limiter.ts'
import type { Visit } from '../visit/visitor.ts'
import { SpooledFile } from './spooled-file.ts'

/** Maximum files per upload; the owner can continue with a new link. */
export const MAX_FILES = 20

/** Interval of the idle check. */
const LOOK_MS = 1_000

/** `begin` counts the upload for its instance and returns how it ends, which does not fail. */
type Admit = (form: string) => Promise<{ visit: Visit; maxBytes: number; begin(): Promise<() => Promise<void>> }>

type UploadRefusal = 'tooLarge' | 'tooMany' | 'tooSlow' | 'underWay' | 'full'

export interface Upload {
  visit: Visit
  /** Empty when it is refused. */
  files: readonly SpooledFile[]
  refusal: UploadRefusal | null
}

/**
 * Reads an upload to its end, so that the browser shows the response, and passes it to `use`; its files are deleted
 * afterwards. The form token must precede the first file, so that nothing from unknown senders is stored; `maxBytes`,
 * called once the link is known, limits all files together.
 */
export async function withUpload<T>(
  request: FastifyRequest,
  places: UploadLimiter,
  admit: Admit,
  use: (upload: Upload) => Promise<T>,
): Promise<T> {
  const reading = new UploadReader(request, places, admit)
  try {
    return await use(await reading.read())
  } finally {
    await reading.close()
  }
}

class UploadReader {
  readonly #request: FastifyRequest
  readonly #limiter: UploadLimiter
  readonly #admit: Admit
  readonly #files: SpooledFile[] = []
  #admitted: Awaited<ReturnType<Admit>> | null = null
  #giveBack: (() => void) | null = null
  #end: (() => Promise<void>) | null = null

  constructor(request: FastifyRequest, places: UploadLimiter, admit: Admit) {
    this.#request = request
    this.#limiter = places
    this.#admit = admit
  }

  async read(): Promise<Upload> {
    const { raw } = this.#request
    const watch = new StallTimer(raw, this.#limiter.bounds)
    try {
      const refusal = await Promise.race([this.#readParts(), watch.stalled])
      const visit = this.#admitted?.visit
      if (!visit) throw new Problem(refusal === 'tooSlow' ? 'unreadable' : 'forged')
      return { visit, files: refusal === null ? this.#files : [], refusal }
    } catch (error) {
      // The client has disconnected: there is nobody to answer, and no fault of ours to report.
      if (raw.destroyed && !raw.complete) throw new Problem('unreadable', { cause: error })
      throw isMultipartFault(error) ? new Problem('unreadable', { cause: error }) : error
    } finally {
      watch.end()
      // NOTE: unread data would block the connection, and a browser that cannot finish sending shows no response.
      raw.unpipe()
      raw.resume()
    }
  }

  async close(): Promise<void> {
    this.#giveBack?.()
    this.#giveBack = null
    try {
      await Promise.all(this.#files.map((file) => file.discard()))
    } finally {
      await this.#end?.()
    }
  }

  async #readParts(): Promise<UploadRefusal | null> {
    let total = 0
    for await (const part of this.#request.parts()) {
      if (part.type === 'field') {
        const refusal = part.fieldname === 'form' && typeof part.value === 'string' ? await this.#enter(part.value) : null
        if (refusal !== null) return refusal
        continue
      }
      if (!this.#admitted) throw new Problem('forged')
      const file = await this.#readFile(part, this.#admitted.maxBytes - total)
      if (file === 'tooLarge') return 'tooLarge'
      total += file.size
      if (this.#files.length > MAX_FILES) return 'tooMany'
    }
    return null
  }

  async #enter(form: string): Promise<'underWay' | 'full' | null> {
    this.#admitted = await this.#admit(form)
    if (this.#giveBack !== null) return null
    const place = this.#limiter.tryAcquire(rootLinkId(this.#admitted.visit.open.link))
    if (typeof place === 'string') return place
    this.#giveBack = place
    this.#end = await this.#admitted.begin()
    this.#limiter.bounds.onAdmitted(this.#request.raw)
    return null
  }

  async #readFile(part: MultipartFile, maxBytes: number): Promise<SpooledFile | 'tooLarge'> {
    const file = new SpooledFile(part.filename)
    let isListed = false
    for await (const chunk of part.file) {
      if (file.size + chunk.length > maxBytes) return 'tooLarge'
      if (!isListed) this.#files.push(file)
      isListed = true
      await file.write(chunk)
    }
    if (!isListed && part.filename !== '') this.#files.push(file)
    return part.file.truncated ? 'tooLarge' : file
  }
}

/** Detects an upload that exceeds its deadline or has stalled. */
class StallTimer {
  readonly stalled: Promise<'tooSlow'>
  readonly #timer: NodeJS.Timeout

  constructor({ socket }: FastifyRequest['raw'], { totalMs, silentMs }: { totalMs: number; silentMs: number }) {
    const startedMs = performance.now()
    let [bytes, heardMs] = [socket.bytesRead, startedMs]
    let stall: (reason: 'tooSlow') => void = () => undefined
    this.stalled = new Promise((resolve) => {
      stall = resolve
    })
    this.#timer = setInterval(
      () => {
        const nowMs = performance.now()
        if (socket.bytesRead !== bytes) [bytes, heardMs] = [socket.bytesRead, nowMs]
        if (nowMs - startedMs > totalMs || nowMs - heardMs > silentMs) stall('tooSlow')
      },
      Math.min(LOOK_MS, silentMs),
    )
  }

  end(): void {
    clearInterval(this.#timer)
  }
}

/** Parser errors of a truncated body or one without boundaries; they have no code. */
function isMultipartFault(error: unknown): boolean {
  return error instanceof Error && /^Multipart: |unexpected end of multipart data$/i.test(error.message)
}
