import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LOG_START, type Position } from '../../store/db/replicas/positions.ts'
import type { Keys } from '../../store/keys/keys.ts'
import { tokenHasher } from '../../store/keys/token-hash.ts'
import { type Caller, grantIdOf } from '../access/caller.ts'

const READ_POSITION = 'x-read-position'

const ALGORITHM = 'aes-256-gcm'
const IV_BYTES = 12
const POSITION_BYTES = 8
const TAG_BYTES = 16

/**
 * Read position of a caller: how far the database was when it was read, so that the next read, by another process or from
 * another replica, is no older. Sealed for this caller: positions tell how much others write. In a header, and for users
 * in a cookie, too.
 */
export class ReadPositions {
  readonly #hash: ReturnType<typeof tokenHasher>
  readonly #isSecure: boolean
  readonly #lifeSeconds: number

  constructor(keys: Pick<Keys, 'tokenHash'>, options: { publicUrl: string; lifeMs: number }) {
    this.#hash = tokenHasher(keys, 'read-position\n')
    this.#isSecure = options.publicUrl.startsWith('https:')
    this.#lifeSeconds = Math.ceil(options.lifeMs / 1_000)
  }

  /** The beginning where the request has none, or one of another caller. */
  read({ headers, caller }: FastifyRequest): Position {
    const header = headers[READ_POSITION]
    const token = typeof header === 'string' ? header : findCookie(headers.cookie, this.#cookieName)
    return token === undefined ? LOG_START : this.#open(token, caller)
  }

  write(reply: FastifyReply, position: Position): void {
    const { caller } = reply.request
    const token = this.#seal(position, caller)
    reply.header(READ_POSITION, token)
    if (caller.keyId !== null) return
    const secure = this.#isSecure ? '; Secure' : ''
    reply.header(
      'set-cookie',
      `${this.#cookieName}=${token}; Path=/admin/api/v1; HttpOnly; SameSite=Strict; Max-Age=${this.#lifeSeconds}${secure}`,
    )
  }

  get #cookieName(): string {
    return this.#isSecure ? '__Secure-read-position' : 'read-position'
  }

  #seal(position: Position, caller: Caller): string {
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv(ALGORITHM, this.#hash(''), iv).setAAD(Buffer.from(grantIdOf(caller)))
    const plain = Buffer.alloc(POSITION_BYTES)
    plain.writeBigUInt64BE(position)
    return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString('base64url')
  }

  #open(token: string, caller: Caller): Position {
    const bytes = Buffer.from(token, 'base64url')
    if (bytes.length !== IV_BYTES + POSITION_BYTES + TAG_BYTES) return LOG_START
    for (const key of this.#hash.all('')) {
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES))
      decipher.setAAD(Buffer.from(grantIdOf(caller))).setAuthTag(bytes.subarray(-TAG_BYTES))
      const plain = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES))
      try {
        decipher.final()
        return plain.readBigUInt64BE()
      } catch {
        // Sealed with another key, or for somebody else.
      }
    }
    return LOG_START
  }
}

function findCookie(header: string | undefined, name: string): string | undefined {
  return header
    ?.split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1)
}
