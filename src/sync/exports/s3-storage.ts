import type { Egress } from '../../egress/egress.ts'
import { EgressError } from '../../egress/egress-error.ts'
import type { Destination } from '../../store/exports/destinations.ts'
import { type S3Request, signS3 } from './s3-signature.ts'

const TIMEOUT_MS = 120_000
const MAX_BYTES = 64 * 1024

/** Thrown when the storage did not do what it was asked for; the message is our own text with its code. */
export class StorageRefused extends Error {
  /** Error code of S3; empty when it cannot be reached. */
  readonly code: string
  /** 0 when it cannot be reached. */
  readonly status: number
  /** Whether nothing was done for certain; otherwise an answer may have been lost. */
  readonly isCertain: boolean

  constructor(message: string, status: number, code: string, isCertain = status >= 400 && status < 500) {
    super(message)
    this.status = status
    this.code = code
    this.isCertain = isCertain
  }
}

/** Thrown when the object is deleted, but a version of it stays; another try would hide it once more. */
export class VersionKept extends StorageRefused {
  constructor() {
    super('The bucket keeps versions: the object is hidden, not deleted.', 0, '')
  }
}

/** One object of a destination. */
export interface StoredObject {
  put(body: Uint8Array): Promise<void>
  /** Begins an upload in parts; returns its id. */
  begin(): Promise<string>
  /** Returns the ETag. `number` from 1; a part that is there already is replaced. */
  putPart(uploadId: string, number: number, body: Uint8Array): Promise<string>
  finish(uploadId: string, etags: readonly string[]): Promise<void>
  /** Drops the parts of an unfinished upload, if there is one. */
  abort(uploadId: string): Promise<void>
  /** Throws `VersionKept`. */
  remove(): Promise<void>
}

type Asked = Omit<S3Request, 'url'> & { query?: Record<string, string> }

/** Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html */
export function openObject(egress: Egress, destination: Destination, secretAccessKey: string, objectKey: string): StoredObject {
  const { endpoint, bucket, region, accessKeyId } = destination
  const path = [bucket, ...objectKey.split('/')].map(encodeURIComponent).join('/')
  const ask = async ({ query = {}, ...request }: Asked) => {
    const url = new URL(`${endpoint}/${path}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const headers = signS3({ ...request, url }, { region, accessKeyId, secretAccessKey }, new Date())
    const { method, body } = request
    const answer = await egress
      .request({ method, url: url.href, headers, ...(body ? { body } : {}), timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES })
      .catch((error: unknown) => {
        if (!(error instanceof EgressError)) throw error
        const isCertain = error.failure === 'unreachable' || error.failure === 'closed'
        throw new StorageRefused('The storage cannot be reached.', 0, '', isCertain)
      })
    const text = Buffer.from(answer.body).toString()
    // NOTE the completion of an upload may fail with status 200.
    if (answer.status >= 300 || /<Error>/.test(text)) throw toRefusal(answer.status, text)
    return { text, headers: answer.headers }
  }
  return {
    put: async (body) => {
      await ask({ method: 'PUT', body })
    },
    begin: async () => tagOf((await ask({ method: 'POST', query: { uploads: '' } })).text, 'UploadId'),
    putPart: async (uploadId, number, body) => {
      const { headers } = await ask({ method: 'PUT', query: { partNumber: String(number), uploadId }, body })
      return headers.etag ?? ''
    },
    finish: async (uploadId, etags) => {
      const parts = etags.map((etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escapeXml(etag)}</ETag></Part>`)
      const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`)
      await ask({ method: 'POST', query: { uploadId }, body })
    },
    abort: async (uploadId) => {
      await ask({ method: 'DELETE', query: { uploadId } }).catch((error: unknown) => {
        if (!(error instanceof StorageRefused) || error.status !== 404) throw error
      })
    },
    remove: async () => {
      const { headers } = await ask({ method: 'DELETE' })
      if (headers['x-amz-delete-marker'] === 'true') throw new VersionKept()
    },
  }
}

function toRefusal(status: number, text: string): StorageRefused {
  const code = /^[A-Za-z]{1,60}$/.exec(tagOf(text, 'Code'))?.[0] ?? ''
  return new StorageRefused(`The storage answered ${status}${code === '' ? '' : ` (${code})`}.`, status, code)
}

function tagOf(xml: string, name: string): string {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? ''
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
