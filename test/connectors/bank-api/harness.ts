import { SANDBOX_KEYS } from '../../../simulators/bank-api/data/keys.ts'
import { type BankApiSimulator, createBankApiSimulator, type FlavourName } from '../../../simulators/bank-api/index.ts'
import { type RunningSimulator, serveSimulator } from '../../../simulators/simulator.ts'
import { exampleBanks } from '../../../src/connectors/bank-api/index.ts'
import type { Connector, Grant, HttpRequest, HttpResponse, Kit } from '../../../src/connectors/contract/contract.ts'
import { createKit } from '../../../src/connectors/toolkit/kit.ts'
import { createEgress } from '../../../src/egress/egress.ts'

const API_PATHS: Readonly<Record<FlavourName, string>> = {
  harbourline: '/irf-provider-container/api/v2.0.0',
  peakfield: '/acc/v1',
  granite: '/core',
}

/** What is typed into the form of each bank for one customer. */
export const FORMS: Readonly<Record<FlavourName, (who: 'good' | 'load' | 'empty') => Record<string, string>>> = {
  harbourline: (who) =>
    ({
      good: { customerId: '100245', postalCode: 'g1r2b5', registration: '1147 220 981' },
      load: { customerId: '900000', postalCode: 'H2X1Y4', registration: '0000000000' },
      empty: { customerId: '100999', postalCode: 'T2P1J9', registration: '2020111222' },
    })[who],
  peakfield: (who) =>
    ({
      good: { memberNumber: '100245', passcode: 'Érable 42' },
      load: { memberNumber: '900000', passcode: 'load 00' },
      empty: { memberNumber: '100999', passcode: 'empty 00' },
    })[who],
  granite: (who) =>
    ({
      good: { partyId: '100245', accessCode: 'erable42' },
      load: { partyId: '900000', accessCode: 'load 00' },
      empty: { partyId: '100999', accessCode: 'empty 00' },
    })[who],
}

/** The connector of one example profile, its kit, and the simulator of that bank. Time stands still unless it is moved. */
export interface Harness {
  flavour: FlavourName
  connector: Connector
  simulator: BankApiSimulator
  url: string
  kit: Kit
  exchanges: { request: HttpRequest; response: HttpResponse }[]
  moveTime(ms: number): void
  close(): Promise<void>
}

export async function openHarness(flavour: FlavourName): Promise<Harness> {
  let time = Date.UTC(2026, 6, 1, 12)
  const now = () => new Date(time)
  const description = exampleBanks.find(({ key }) => key === `bank-api-${flavour}`)
  if (!description) throw new Error(`no profile ${flavour}`)
  const running: RunningSimulator<BankApiSimulator> = await serveSimulator((given) => createBankApiSimulator(flavour, { ...given, now }))
  const egress = createEgress({ allowPrivate: true })
  const { url, simulator } = running
  const hosts = { token: url, api: `${url}${API_PATHS[flavour]}` }
  const kit = createKit({ egress, app: SANDBOX_KEYS[flavour], hosts, now, allowPrivate: true })
  const exchanges: Harness['exchanges'] = []
  return {
    flavour,
    connector: await description.load(),
    simulator,
    url,
    kit: {
      ...kit,
      http: async (call) => {
        const response = await kit.http(call)
        exchanges.push({ request: call, response })
        return response
      },
    },
    exchanges,
    moveTime: (ms) => {
      time += ms
    },
    close: async () => {
      await running.close()
      await egress.close()
    },
  }
}

export async function submit(harness: Harness, values: Record<string, string>): Promise<Grant> {
  const { authorize } = harness.connector
  if (authorize.step !== 'form') throw new Error('a bank API connects by form')
  return await authorize.submit(harness.kit, values)
}

export function connect(harness: Harness, who: 'good' | 'load' | 'empty' = 'good'): Promise<Grant> {
  return submit(harness, FORMS[harness.flavour](who))
}
