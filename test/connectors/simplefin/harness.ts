import { createSimplefinSimulator, type SimplefinSimulator, type SimplefinSimulatorOptions } from '../../../simulators/simplefin/index.ts'
import { serveSimulator } from '../../../simulators/simulator.ts'
import type { Credentials, Grant, Kit } from '../../../src/connectors/contract/contract.ts'
import { simplefinConnector } from '../../../src/connectors/simplefin/client.ts'
import { createKit } from '../../../src/connectors/toolkit/kit.ts'
import { createEgress } from '../../../src/egress/egress.ts'

/** What no error may show. */
export const CANARY = /sandbox-(claim|access)/

/** The connector's kit and its simulator, by one clock that stands still unless it is moved. */
export interface Harness {
  simulator: SimplefinSimulator
  url: string
  kit: Kit
  moveTime(ms: number): void
  close(): Promise<void>
}

export async function openHarness(options: Omit<SimplefinSimulatorOptions, 'baseUrl'> = {}): Promise<Harness> {
  const { stateFile, ...rest } = options
  let at = Date.UTC(2026, 6, 1, 12)
  const now = () => new Date(at)
  const { url, simulator, close } = await serveSimulator(
    (given) => createSimplefinSimulator({ giantMovements: 900, ...rest, ...given, now }),
    stateFile === undefined ? {} : { stateFile },
  )
  const egress = createEgress({ allowPrivate: true })
  return {
    simulator,
    url,
    kit: createKit({ egress, app: {}, hosts: { bridge: url }, now, allowPrivate: true }),
    moveTime: (ms) => {
      at += ms
    },
    close: async () => {
      await close()
      await egress.close()
    },
  }
}

export async function submit(harness: Pick<Harness, 'kit'>, token: string, reconnect?: Credentials): Promise<Grant> {
  if (simplefinConnector.authorize.step !== 'form') throw new Error('SimpleFIN connects by form')
  return await simplefinConnector.authorize.submit(harness.kit, { token }, reconnect)
}

/** Makes a token as this login and pastes it. */
export async function connect(harness: Harness, user = 'cafe', reconnect?: Credentials): Promise<Grant> {
  return await submit(harness, harness.simulator.createToken(user), reconnect)
}
