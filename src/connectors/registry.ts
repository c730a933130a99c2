import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { exampleBanks, withOwnBanks } from './bank-api/index.ts'
import { bankFiles } from './bank-files/index.ts'
import { banno } from './banno/index.ts'
import { businessCentral } from './business-central/index.ts'
import type { ConnectorDescription } from './contract/contract.ts'
import { erpnext } from './erpnext/index.ts'
import { fdxBanks, fdxExamples, withOwnProfiles } from './fdx/index.ts'
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

/** Every source there is, in the order of the catalogue. A description is light; the connector behind it is loaded when it is used. */
export const connectors: readonly ConnectorDescription[] = [
  ...[quickbooks, xero, freshbooks, sage, zoho, wave, freeagent, myob, businessCentral, netsuite],
  ...[odoo, erpnext, tryton, hledger],
  ...[banno],
  ...[fineract, mambu, helix],
  ...[mx, yodlee],
  ...fdxBanks,
  ...[plaid, finicity, flinks, teller, stripe, simplefin, bankFiles],
]

/** Invented banks behind the example profiles of bank APIs and of FDX: shown in the sandbox only. */
export const exampleConnectors: readonly ConnectorDescription[] = [...exampleBanks, ...fdxExamples]

/**
 * With the banks of the operator's own profile files, from the folders `fdx` and `bank-api` of `profilesDir` where there are such, and with
 * the invented ones where `examples` are wanted. Throws with every fault of any of them.
 */
export function connectorsWith(profilesDir: string | null, examples = false): readonly ConnectorDescription[] {
  const all = [...connectors, ...(examples ? exampleConnectors : [])]
  if (profilesDir === null) return all
  const fdx = join(profilesDir, 'fdx')
  return withOwnBanks(existsSync(fdx) ? withOwnProfiles(all, fdx) : all, join(profilesDir, 'bank-api'))
}
