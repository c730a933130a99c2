import { Secret } from '../../model/values/secret.ts'
import type { ReadSetting } from './limits.ts'
import { readSecret } from './secret-source.ts'
import { InvalidSetting, toOneOf } from './setting-values.ts'

/** Bucket in which raw pages can be stored. */
export interface PageBucketSettings {
  endpoint: string
  region: string
  bucket: string
  /** Empty, or with a trailing slash. */
  prefix: string
  accessKeyId: string
  secretAccessKey: Secret
  /** Whether new pages are stored there; otherwise existing ones are moved back. */
  isDestination: boolean
}

const PLACES = ['database', 'bucket'] as const

/** Null if no bucket is named: all raw pages are in the database. */
export function readPageBucket(read: ReadSetting): PageBucketSettings | null {
  const place = read('RAW_PAGE_STORAGE', (text) => toOneOf(text, PLACES), 'database')
  const at = read('RAW_PAGE_BUCKET', toBucket, null)
  const region = read('RAW_PAGE_BUCKET_REGION', toRegion, 'us-east-1')
  const key = readSecret(read, 'RAW_PAGE_BUCKET_KEY', toKeyPair)
  const isDestination = place === 'bucket'
  if (isDestination && at === null) read('RAW_PAGE_STORAGE', () => refuse('"database": RAW_PAGE_BUCKET does not name a bucket'), null)
  if (at !== null && key === null) read('RAW_PAGE_BUCKET', () => refuse('complete: RAW_PAGE_BUCKET_KEY is needed with it'), null)
  if (at === null || key === null) return null
  const [accessKeyId = '', ...secret] = key.reveal().split(':')
  return { ...at, region, accessKeyId, secretAccessKey: new Secret(secret.join(':')), isDestination }
}

function refuse(message: string): never {
  throw new InvalidSetting(message)
}

/** The bucket is the first path segment; the rest is the prefix of objects. */
function toBucket(text: string): { endpoint: string; bucket: string; prefix: string } {
  const wanted = 'an http or https address with a bucket, such as https://s3.eu-central-1.amazonaws.com/bucket/prefix'
  const url = URL.parse(text)
  if ((url?.protocol !== 'https:' && url?.protocol !== 'http:') || url.username !== '' || url.password !== '' || /[?#\s]/.test(text))
    throw new InvalidSetting(wanted)
  const [bucket = '', ...rest] = url.pathname.split('/').filter((part) => part !== '')
  // Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) || !rest.every((part) => /^[\w.-]{1,100}$/.test(part)))
    throw new InvalidSetting(wanted)
  return { endpoint: url.origin, bucket, prefix: rest.map((part) => `${part}/`).join('') }
}

function toRegion(text: string): string {
  if (!/^[a-z0-9-]{1,40}$/.test(text)) throw new InvalidSetting('a region, such as eu-central-1')
  return text
}

function toKeyPair(text: string): string {
  if (!/^[\x21-\x39\x3b-\x7e]{1,128}:[\x21-\x7e]{1,256}$/.test(text))
    throw new InvalidSetting('an access key’s id and its secret with a colon in between')
  return text
}
