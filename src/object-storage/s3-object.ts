import type { Egress } from '../egress/egress.ts'
import { EgressError } from '../egress/egress-error.ts'
import { hashLarge } from '../model/steps/large-bytes.ts'
import { type S3Request, signS3 } from './s3-signature.ts'

const TIMEOUT_MS = 120_000
/** Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity-upload.html */
const CHECKSUM = 'x-amz-checksum-sha256'
/** Of an answer that is no object. */
const MAX_BYTES = 64 * 1024

/** Bucket of an object storage that speaks S3. */
export interface Bucket {
  /** Origin of the storage; the bucket is the first part of the path. */
  endpoint: string
  region: string
  bucket: string
  accessKeyId: string
  secretAccessKey: string
}

export interface ReachOptions {
  /** Of one request; default two minutes. */
  timeoutMs?: number
  /** Whether the storage may be on loopback and private addresses: its address was named by the operator. */
  allowPrivate?: boolean
}

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

/** One object of a bucket. */
export interface StoredObject {
  put(body: Uint8Array): Promise<void>
  /** Like `put`; whether the storage names the SHA-256 of the bytes as what it has taken. Many do, not all. */
  putChecked(body: Uint8Array): Promise<boolean>
  /** The whole object; null when the storage says that there is none. `bytes` is its expected length, which bounds what is read. */
  get(bytes: number): Promise<Uint8Array | null>
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

type Asked = Omit<S3Request, 'url' | 'bodyHash'> & { body?: Uint8Array; query?: Record<string, string> }

/** Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html */
export function openObject(egress: Egress, bucket: Bucket, objectKey: string, reach: ReachOptions = {}): StoredObject {
  const send = toSender(egress, bucket, objectKey, reach)
  const ask = async (asked: Asked) => {
    const answer = await send(asked, MAX_BYTES)
    const text = Buffer.from(answer.body).toString()
    // NOTE the completion of an upload may fail with status 200.
    if (answer.status >= 300 || /<Error>/.test(text)) throw toRefusal(answer.status, text)
    return { text, headers: answer.headers }
  }
  return {
    put: async (body) => {
      await ask({ method: 'PUT', body })
    },
    putChecked: async (body) => {
      const checksum = (await hashLarge(body)).toString('base64')
      const { headers } = await ask({ method: 'PUT', body, headers: { [CHECKSUM]: checksum } })
      return headers[CHECKSUM] === checksum
    },
    get: async (bytes) => {
      const { status, body } = await send({ method: 'GET' }, bytes + MAX_BYTES)
      if (status < 300) return body
      const refusal = toRefusal(status, Buffer.from(body).toString())
      // NOTE only the storage itself says this: a proxy before one that is away answers 404 too, and so does a missing bucket.
      if (status === 404 && refusal.code === 'NoSuchKey') return null
      throw refusal
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

type Answer = Awaited<ReturnType<Egress['request']>>

/** Sends signed requests about one object; throws `StorageRefused` when the storage cannot be reached. */
function toSender(egress: Egress, bucket: Bucket, objectKey: string, { timeoutMs = TIMEOUT_MS, allowPrivate = false }: ReachOptions) {
  const path = [bucket.bucket, ...objectKey.split('/')].map(encodeURIComponent).join('/')
  return async ({ query = {}, body, ...request }: Asked, maxBytes: number): Promise<Answer> => {
    const url = new URL(`${bucket.endpoint}/${path}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const bodyHash = (await hashLarge(body ?? new Uint8Array())).toString('hex')
    const headers = signS3({ ...request, url, bodyHash }, bucket, new Date())
    const { method } = request
    return await egress
      .request({ method, url: url.href, headers, ...(body ? { body } : {}), timeoutMs, maxBytes, allowPrivate })
      .catch((error: unknown) => {
        if (!(error instanceof EgressError)) throw error
        const isCertain = ['unreachable', 'closed', 'notListed', 'notEncrypted'].includes(error.failure)
        throw new StorageRefused('The storage cannot be reached.', 0, '', isCertain)
      })
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
