import type { ConnectorDescription } from '../../src/connectors/contract/contract.ts'
import { freshbooks } from '../../src/connectors/freshbooks/index.ts'
import { createSources, type Sources } from '../../src/connectors/sources.ts'
import { createKit } from '../../src/connectors/toolkit/http/kit.ts'
import { xero } from '../../src/connectors/xero/index.ts'
import type { Egress } from '../../src/egress/egress.ts'
import { glewlwyd } from './glewlwyd-connector.ts'

const DESCRIPTIONS: readonly ConnectorDescription[] = [xero, freshbooks, glewlwyd]

/** Addresses and keys of providers, by connector key. */
export type Providers = Record<string, { app: Record<string, string>; hosts: Record<string, string> }>

/** Sources as created by the service, for connectors whose provider is on loopback. */
export function toSources(settings: Providers, egress: Egress, now: () => Date, simulators: Providers = {}): Sources {
  return createSources(DESCRIPTIONS, {
    settings,
    simulators,
    createKit: (app, hosts) => createKit({ egress, app, hosts, now, allowPrivate: true }),
  })
}
