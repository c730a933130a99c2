import { SANDBOX_KEYS } from '../../../simulators/bank-api/data/keys.ts'
import { createBankApiSimulator, type FlavourName } from '../../../simulators/bank-api/index.ts'
import type { SimulatorOptions } from '../../../simulators/simulator.ts'
import type { Grant } from '../../../src/connectors/contract/contract.ts'
import { connectorHarness, type Settings } from '../../harness/connector.ts'
import { submit } from '../../harness/form.ts'

const API_PATHS: Readonly<Record<FlavourName, string>> = {
  harbourline: '/irf-provider-container/api/v2.0.0',
  peakfield: '/acc/v1',
  granite: '/core',
}

/** Form values of each bank for one customer. */
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

/** The connector of one example profile, its kit, and the simulator of that bank. */
export async function openHarness(flavour: FlavourName) {
  const open = connectorHarness(`bank-api-${flavour}`, {
    create: (_settings: Settings<SimulatorOptions>, given) => createBankApiSimulator(flavour, given),
    app: SANDBOX_KEYS[flavour],
    hosts: (url) => ({ token: url, api: `${url}${API_PATHS[flavour]}` }),
  })
  return { flavour, ...(await open()) }
}

export type Harness = Awaited<ReturnType<typeof openHarness>>

export function connect(harness: Harness, who: 'good' | 'load' | 'empty' = 'good'): Promise<Grant> {
  return submit(harness, FORMS[harness.flavour](who))
}
