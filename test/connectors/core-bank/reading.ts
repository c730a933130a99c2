import type { Connector, ConnectorDescription, Kit, Session } from '../../../src/connectors/contract/contract.ts'
import { createKit } from '../../../src/connectors/toolkit/http/kit.ts'
import { createEgress } from '../../../src/egress/egress.ts'
import type { Json } from '../../../src/model/values/json.ts'
import { type FetchedPage, normalize, type Outcome, runPull } from '../../conformance/run.ts'

/** A connector with its description, as the engine's normalization expects them. */
export interface Bank {
  description: ConnectorDescription
  connector: Connector
}

/** All pages of one pull. */
export async function pagesOf({ connector }: Bank, session: Session, name: string, from: Json | null = null): Promise<FetchedPage[]> {
  const pull = connector.pulls.find((each) => each.name === name)
  if (!pull) throw new Error(`unknown pull ${name}`)
  return await runPull(session, pull, from)
}

/** Records that readers would see from one pull. */
export async function readPull(bank: Bank, session: Session, name: string): Promise<Outcome> {
  return normalize(bank, await pagesOf(bank, session, name))
}

/** Documents as the API returns them, by origId. */
export function docsOf(outcome: Outcome): Record<string, Record<string, unknown>> {
  return Object.fromEntries([...outcome.delivered.values()].map(({ origId, doc }) => [origId, doc]))
}

/** A kit with the production HTTP client: private addresses are refused, whoever names them. */
export async function openStrictKit(): Promise<{ kit: Kit; close(): Promise<void> }> {
  const egress = createEgress({ allowPrivate: false })
  return {
    kit: createKit({ egress, app: {}, hosts: {}, now: () => new Date(0), allowPrivate: false }),
    close: async () => await egress.close(),
  }
}
