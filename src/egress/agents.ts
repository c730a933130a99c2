import { createHash } from 'node:crypto'
import { Agent } from 'undici'
import { type ConnectRules, guardedConnector, type Identity } from './connector.ts'

/** Operators have one identity per source; the least recently used pool is evicted. */
const MAX_IDENTITIES = 50

/**
 * Socket pools of one reach: a socket over which an identity was presented serves only requests with that same
 * identity. Keyed by a hash of both texts, so that no private key is kept here as a map key.
 */
export class Agents {
  readonly #rules: ConnectRules
  readonly #anonymous: Agent
  /** Most recently used last. */
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
      // Lets requests in flight finish.
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
    // NOTE: these two timeouts restart with each chunk, so a slow drip evades them; the deadline of each request does
    // not.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}
