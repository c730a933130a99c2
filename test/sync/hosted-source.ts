import type { Connector } from '../../src/connectors/contract/contract.ts'
import { ScriptedSource } from './scripted-source.ts'

/** A source whose owner finishes on its own page, of which a webhook tells. */
export class HostedSource extends ScriptedSource {
  /** How often the source was asked what the owner has given. */
  asked = 0
  /** Thrown by the next of these, first come first served. */
  refusals: Error[] = []
  whileAsked: (() => Promise<void>) | null = null
  /** Of the authorization that was begun last. */
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
          return [{ credentials: this.credentials(), entity: { id: 'books-1', name: 'The Books' } }]
        },
      },
      readWebhook: async (_kit, { body }) => [{ kind: 'linked', memoMatch: Buffer.from(body).toString('utf8') }],
    }
  }
}

export function matchOf(companyId: string): string {
  return `session of ${companyId}`
}
