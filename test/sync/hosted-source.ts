import type { Connector, Grant } from '../../src/connectors/contract/contract.ts'
import { ScriptedSource } from './scripted-source.ts'

/** A source whose owner finishes on its own page, reported by a webhook. */
export class HostedSource extends ScriptedSource {
  /** Number of requests for the owner's grant. */
  asked = 0
  /** Thrown by the next of these, in order. */
  refusals: Error[] = []
  /** What the owner shared; null: one set of books. */
  grants: Grant[] | null = null
  whileAsked: (() => Promise<void>) | null = null
  /** State of the last started authorization. */
  state = ''

  override get connector(): Connector {
    return {
      ...super.connector,
      authorize: {
        step: 'redirect',
        start: async (_kit, { companyId, state }) => {
          this.state = state
          return { url: 'https://source.example/', memo: { session: companyId }, match: matchOf(companyId) }
        },
        complete: async () => {
          this.asked += 1
          await this.whileAsked?.()
          const refusal = this.refusals.shift()
          if (refusal) throw refusal
          return this.grants ?? [{ credentials: this.credentials(), entity: { id: 'books-1', name: 'The Books' } }]
        },
      },
      readWebhook: async (_kit, { body }) => [{ kind: 'linked', memoMatch: Buffer.from(body).toString('utf8') }],
    }
  }
}

export function matchOf(companyId: string): string {
  return `session of ${companyId}`
}
