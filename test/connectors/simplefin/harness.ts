import { createSimplefinSimulator, type SimplefinSimulatorOptions } from '../../../simulators/simplefin/index.ts'
import type { Credentials, Grant } from '../../../src/connectors/contract/contract.ts'
import { connectorHarness, type Settings } from '../../harness/connector.ts'
import { submit } from '../../harness/form.ts'

/** Secrets that no error may contain. */
export const CANARY = /sandbox-(claim|access)/

export const openHarness = connectorHarness('simplefin', {
  create: (settings: Settings<SimplefinSimulatorOptions>, given) =>
    createSimplefinSimulator({ giantMovements: 900, ...settings, ...given }),
})

export type Harness = Awaited<ReturnType<typeof openHarness>>

/** Creates a token as this login and pastes it. */
export async function connect(harness: Harness, user = 'cafe', reconnect?: Credentials): Promise<Grant> {
  return await submit(harness, { token: harness.simulator.createToken(user) }, reconnect)
}
