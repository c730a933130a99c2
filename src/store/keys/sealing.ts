import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { piecesOf } from '../../model/steps/large-bytes.ts'
import type { KeyRing } from './key-ring.ts'
import type { SealingKey } from './keys.ts'

/** Seal context (associated data): the row and column a sealed value is bound to; it cannot be opened in any other. */
export interface SealContext {
  instanceId: string
  table: string
  rowId: string
  column: string
  /** Orders the versions of one value, so that an old one cannot be restored. */
  generation?: number
}

/**
 * Envelope encryption, format v1: AES-256-GCM under a random data key per value, which the newest sealing key wraps the
 * same way. Both are bound to the context; the wrap also to the sealing key's id.
 */
export interface Sealer {
  seal(context: SealContext, plaintext: Uint8Array): Uint8Array
  /** Like `seal`, for a whole file: in pieces, yielding to other work in between. */
  sealLarge(context: SealContext, plaintext: Uint8Array): Promise<Uint8Array>
  /** Like `open`, for a whole file. */
  openLarge(context: SealContext, sealed: Uint8Array): Promise<Uint8Array>
  /** Throws `SealError` when a bit differs, the context differs, or the sealing key is unknown. */
  open(context: SealContext, sealed: Uint8Array): Uint8Array
  /**
   * Re-wraps a value under the newest sealing key; returned unchanged if that is its key. The value itself is not
   * decrypted, so its first `SEALED_MIN_BYTES` suffice: then only the first `SEALED_HEAD_BYTES` of the result are
   * valid.
   */
  reEncrypt(context: SealContext, sealed: Uint8Array): Uint8Array
  isCurrent(sealed: Uint8Array): boolean
  /** Key id as it appears in values sealed now. */
  newestKeyId(): string
}

/** Thrown when a value cannot be opened: names the column, never its content. */
export class SealError extends Error {
  override readonly name = 'SealError'
}

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
/**
 * Tag length, always explicit: without it Node accepts tags truncated to 4 bytes.
 * Source: https://nodejs.org/api/crypto.html#cryptocreatedecipherivalgorithm-key-iv-options
 */
const TAG_BYTES = 16
const VERSION = 1
const ID_BYTES = 8
const HEADER_BYTES = 1 + ID_BYTES
const WRAP_BYTES = NONCE_BYTES + KEY_BYTES + TAG_BYTES
/** Length of the part that re-encryption replaces, and the minimum length of a sealed value. */
export const SEALED_HEAD_BYTES = HEADER_BYTES + WRAP_BYTES
export const SEALED_MIN_BYTES = SEALED_HEAD_BYTES + NONCE_BYTES + TAG_BYTES

/** Layout: version (1), sealing key's id (8), then wrapped data key (60) and value, each as nonce (12), ciphertext, tag (16). */
export function createSealer(keys: { sealing: KeyRing<SealingKey> }): Sealer {
  function wrap(context: SealContext, dataKey: Uint8Array): Buffer {
    const { newest } = keys.sealing
    return Buffer.concat([
      Buffer.of(VERSION),
      Buffer.from(newest.id, 'hex'),
      encrypt(newest.bytes, bindingOf('key', context, newest.id), dataKey),
    ])
  }

  function unwrap(context: SealContext, sealed: Uint8Array): Buffer {
    if (sealed.length < SEALED_MIN_BYTES) throw refusal(context, 'too short')
    if (sealed[0] !== VERSION) throw refusal(context, 'unknown version')
    const id = keyIdOf(sealed)
    const key = keys.sealing.find(id)
    if (key === undefined) throw refusal(context, `sealing key ${id} is not among the keys`)
    return decrypt(key.bytes, bindingOf('key', context, id), sealed.subarray(HEADER_BYTES, HEADER_BYTES + WRAP_BYTES), context)
  }

  return {
    seal(context, plaintext) {
      const dataKey = randomBytes(KEY_BYTES)
      return Buffer.concat([wrap(context, dataKey), encrypt(dataKey, bindingOf('value', context), plaintext)])
    },
    open(context, sealed) {
      return decrypt(unwrap(context, sealed), bindingOf('value', context), sealed.subarray(HEADER_BYTES + WRAP_BYTES), context)
    },
    async sealLarge(context, plaintext) {
      const dataKey = randomBytes(KEY_BYTES)
      return await encryptLarge(dataKey, bindingOf('value', context), wrap(context, dataKey), plaintext)
    },
    async openLarge(context, sealed) {
      return await decryptLarge(unwrap(context, sealed), bindingOf('value', context), sealed.subarray(HEADER_BYTES + WRAP_BYTES), context)
    },
    reEncrypt(context, sealed) {
      const dataKey = unwrap(context, sealed)
      if (keyIdOf(sealed) === keys.sealing.newest.id) return sealed
      return Buffer.concat([wrap(context, dataKey), sealed.subarray(HEADER_BYTES + WRAP_BYTES)])
    },
    isCurrent: (sealed) => sealed[0] === VERSION && keyIdOf(sealed) === keys.sealing.newest.id,
    newestKeyId: () => keys.sealing.newest.id,
  }
}

function keyIdOf(sealed: Uint8Array): string {
  return Buffer.from(sealed.subarray(1, HEADER_BYTES)).toString('hex')
}

/** Length-prefixed parts, so that no two contexts yield the same bytes. */
function bindingOf(layer: 'key' | 'value', context: SealContext, keyId = ''): Buffer {
  const { instanceId, table, rowId, column, generation } = context
  const parts = ['v1', layer, keyId, instanceId, table, rowId, column, generation === undefined ? '' : String(generation)]
  return Buffer.concat(
    parts.flatMap((part) => {
      const bytes = Buffer.from(part)
      const length = Buffer.alloc(4)
      length.writeUInt32BE(bytes.length)
      return [length, bytes]
    }),
  )
}

function encrypt(key: Uint8Array, binding: Uint8Array, plaintext: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(binding)
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
}

/** `head`, followed by the ciphertext as `encrypt` writes it. */
async function encryptLarge(key: Uint8Array, binding: Uint8Array, head: Uint8Array, plaintext: Uint8Array): Promise<Buffer> {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(binding)
  const sealed = Buffer.allocUnsafeSlow(head.length + NONCE_BYTES + plaintext.length + TAG_BYTES)
  sealed.set(head)
  sealed.set(nonce, head.length)
  let to = head.length + NONCE_BYTES
  for await (const piece of piecesOf([plaintext])) {
    sealed.set(cipher.update(piece), to)
    to += piece.length
  }
  cipher.final()
  sealed.set(cipher.getAuthTag(), to)
  return sealed
}

async function decryptLarge(key: Uint8Array, binding: Uint8Array, box: Uint8Array, context: SealContext): Promise<Buffer> {
  const end = box.length - TAG_BYTES
  const decipher = createDecipheriv(CIPHER, key, box.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAAD(binding).setAuthTag(box.subarray(end))
  const plaintext = Buffer.allocUnsafeSlow(end - NONCE_BYTES)
  let to = 0
  for await (const piece of piecesOf([box.subarray(NONCE_BYTES, end)])) {
    plaintext.set(decipher.update(piece), to)
    to += piece.length
  }
  try {
    decipher.final()
    return plaintext
  } catch (error) {
    throw refusal(context, 'changed, or of another place', error)
  }
}

function decrypt(key: Uint8Array, binding: Uint8Array, box: Uint8Array, context: SealContext): Buffer {
  const nonce = box.subarray(0, NONCE_BYTES)
  const tag = box.subarray(box.length - TAG_BYTES)
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(binding).setAuthTag(tag)
  try {
    return Buffer.concat([decipher.update(box.subarray(NONCE_BYTES, box.length - TAG_BYTES)), decipher.final()])
  } catch (error) {
    throw refusal(context, 'changed, or of another place', error)
  }
}

function refusal(context: SealContext, reason: string, cause?: unknown): SealError {
  return new SealError(`${context.table}.${context.column} cannot be opened: ${reason}`, { cause })
}
