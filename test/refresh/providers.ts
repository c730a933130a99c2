import type { ConnectorDescription } from '../../src/connectors/contract/contract.ts'
import { freshbooks } from '../../src/connectors/freshbooks/index.ts'
import { createSources, type Sources } from '../../src/connectors/sources.ts'
import { createKit } from '../../src/connectors/toolkit/kit.ts'
import { xero } from '../../src/connectors/xero/index.ts'
import type { Egress } from '../../src/egress/egress.ts'
import { glewlwyd } from './glewlwyd-connector.ts'

const DESCRIPTIONS: readonly ConnectorDescription[] = [xero, freshbooks, glewlwyd]

/** Where a provider is reached and with which keys, by connector key. */
export type Providers = Record<string, { app: Record<string, string>; hosts: Record<string, string> }>

/** Sources as the service makes them, for connectors whose provider stands on loopback. */
export function toSources(providers: Providers, egress: Egress, now: () => Date): Sources {
  return createSources(DESCRIPTIONS, {
    settings: providers,
    simulators: {},
    createKit: (app, hosts) => createKit({ egress, app, hosts, now, allowPrivate: true }),
  })
}
