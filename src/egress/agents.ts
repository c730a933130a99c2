import { createHash } from 'node:crypto'
import { Agent } from 'undici'
import { type ConnectRules, guardedConnector, type Identity } from './connector.ts'

/** Operators have one identity a source; the pool of one that was not used for long makes room. */
const MAX_IDENTITIES = 50

/**
 * The pools of sockets of one reach: a socket over which an identity was shown serves requests with this very identity and no others. Kept by
 * the hash of both texts, so that nothing here is a key of another thing.
 */
export class Agents {
  readonly #rules: ConnectRules
  readonly #anonymous: Agent
  /** The one used last at the end. */
  readonly #identified = new Map<string, Agent>()

  constructor(rules: ConnectRules) {
    this.#rules = rules
    this.#anonymous = createAgent(rules)
  }

  get(identity: Identity | undefined): Agent {
    if (!identity) return this.#anonymous
    const key = createHash('sha256')
      .update(JSON.stringify([identity.certificate, identity.privateKey]))
      .digest('base64')
    const agent = this.#identified.get(key) ?? createAgent({ ...this.#rules, identity })
    this.#identified.delete(key)
    this.#identified.set(key, agent)
    for (const [oldest, unused] of this.#identified) {
      if (this.#identified.size <= MAX_IDENTITIES) break
      this.#identified.delete(oldest)
      // Lets the requests end that are under way.
      void unused.close()
    }
    return agent
  }

  async destroy(): Promise<void> {
    await Promise.all([this.#anonymous, ...this.#identified.values()].map((agent) => agent.destroy()))
  }
}

function createAgent(rules: ConnectRules): Agent {
  return new Agent({
    connect: guardedConnector(rules),
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 30_000,
    // NOTE: these two count between chunks, so a dripping answer outlives them; the deadline of each request does not.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}
