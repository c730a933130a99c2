import pg from 'pg'

/** Age from which a password is asked for again, before the next connection. */
const FRESH_MS = 30_000
/** Refused logins. Source: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const REFUSED: readonly unknown[] = ['28000', '28P01']

interface Password {
  text: Promise<string>
  askedMs: number
}

/**
 * Password that lives for minutes, such as a token of a cloud: asked for by new connections, shared by those of the next
 * 30 s, and forgotten when a server refuses it.
 */
export class ShortLivedPassword {
  readonly #ask: () => Promise<string>
  readonly #elapsedMs: () => number
  #last: Password | null = null

  /** `elapsedMs`: monotonic clock. */
  constructor(ask: () => Promise<string>, elapsedMs: () => number = () => performance.now()) {
    this.#ask = ask
    this.#elapsedMs = elapsedMs
  }

  async get(): Promise<string> {
    const nowMs = this.#elapsedMs()
    if (this.#last === null || nowMs - this.#last.askedMs >= FRESH_MS) {
      const text = this.#ask()
      this.#last = { text, askedMs: nowMs }
      text.catch(() => this.forget())
    }
    return await this.#last.text
  }

  forget(): void {
    this.#last = null
  }
}

let password: ShortLivedPassword | null = null

/**
 * Sets the password of all connections of this process to the deployment’s own database and its replicas; null: what
 * their addresses say. NOTE for the process, so that no connection can leave it out. Called before any is opened.
 */
export function logInWith(ask: (() => Promise<string>) | null): void {
  password = ask && new ShortLivedPassword(ask)
}

/**
 * Client of PostgreSQL that logs in with the password of `logInWith`. Files of a client certificate (`sslcert`,
 * `sslkey`) are read for each connection, so that renewed ones are used.
 */
export class LoginClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config)
    const own = password
    if (own === null) return
    // NOTE not as an option: the address has an empty password, which would override it.
    Object.assign(this, { password: () => own.get() })
    this.connection.on('errorMessage', ({ code }: { code?: unknown }) => {
      if (REFUSED.includes(code)) own.forget()
    })
  }
}
