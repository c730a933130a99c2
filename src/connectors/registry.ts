import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { bankApiOf, exampleBanks, withOwnBanks } from './bank-api/index.ts'
import { bankFiles } from './bank-files/index.ts'
import { banno } from './banno/index.ts'
import { businessCentral } from './business-central/index.ts'
import type { ConnectorDescription } from './contract/contract.ts'
import { erpnext } from './erpnext/index.ts'
import { fdxBankOf, fdxBanks, fdxExamples, withOwnProfiles } from './fdx/index.ts'
import { fineract } from './fineract/index.ts'
import { finicity } from './finicity/index.ts'
import { flinks } from './flinks/index.ts'
import { freeagent } from './freeagent/index.ts'
import { freshbooks } from './freshbooks/index.ts'
import { helix } from './helix/index.ts'
import { hledger } from './hledger/index.ts'
import { mambu } from './mambu/index.ts'
import { mx } from './mx/index.ts'
import { myob } from './myob/index.ts'
import { netsuite } from './netsuite/index.ts'
import { odoo } from './odoo/index.ts'
import { plaid } from './plaid/index.ts'
import { quickbooks } from './quickbooks/index.ts'
import { sage } from './sage/index.ts'
import { simplefin } from './simplefin/index.ts'
import { stripe } from './stripe/index.ts'
import { teller } from './teller/index.ts'
import { tryton } from './tryton/index.ts'
import { wave } from './wave/index.ts'
import { xero } from './xero/index.ts'
import { yodlee } from './yodlee/index.ts'
import { zoho } from './zoho/index.ts'

/**
 * Connector registry: all sources, in the order of the catalogue. A description is light; its connector is loaded on
 * first use.
 */
export const connectors: readonly ConnectorDescription[] = [
  ...[quickbooks, xero, freshbooks, sage, zoho, wave, freeagent, myob, businessCentral, netsuite],
  ...[odoo, erpnext, tryton, hledger],
  ...[banno],
  ...[fineract, mambu, helix],
  ...[mx, yodlee],
  ...fdxBanks,
  ...[plaid, finicity, flinks, teller, stripe, simplefin, bankFiles],
]

/** Fictional banks of the example profiles of bank APIs and of FDX: only in the sandbox. */
export const exampleConnectors: readonly ConnectorDescription[] = [...exampleBanks, ...fdxExamples]

/**
 * Registry with the operator's own bank profiles, from the folders `fdx` and `bank-api` of `profilesDir` if present,
 * and with the fictional ones if `examples` is set. Throws with all faults of all profiles.
 */
export function connectorsWith(profilesDir: string | null, examples = false): readonly ConnectorDescription[] {
  const all = [...connectors, ...(examples ? exampleConnectors : [])]
  if (profilesDir === null) return all
  const fdx = join(profilesDir, 'fdx')
  return withOwnBanks(existsSync(fdx) ? withOwnProfiles(all, fdx) : all, join(profilesDir, 'bank-api'))
}

/** Name of a connector for another thread. */
export interface ConnectorName {
  key: string
  folder: string | undefined
  profile: object | undefined
}

const ofProfile: Readonly<Record<string, (profile: object) => ConnectorDescription>> = { fdx: fdxBankOf, 'bank-api': bankApiOf }

/** The connector with this name, in any thread: made of its profile, or one of ours. Undefined for others. */
export function findConnector({ key, folder = '', profile }: ConnectorName): ConnectorDescription | undefined {
  return profile === undefined ? connectors.find((each) => each.key === key) : ofProfile[folder]?.(profile)
}
