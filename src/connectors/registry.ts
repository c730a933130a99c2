import { bankFiles } from './bank-files/index.ts'
import { businessCentral } from './business-central/index.ts'
import type { ConnectorDescription } from './contract.ts'
import { erpnext } from './erpnext/index.ts'
import { freeagent } from './freeagent/index.ts'
import { freshbooks } from './freshbooks/index.ts'
import { hledger } from './hledger/index.ts'
import { myob } from './myob/index.ts'
import { netsuite } from './netsuite/index.ts'
import { odoo } from './odoo/index.ts'
import { plaid } from './plaid/index.ts'
import { quickbooks } from './quickbooks/index.ts'
import { sage } from './sage/index.ts'
import { tryton } from './tryton/index.ts'
import { wave } from './wave/index.ts'
import { xero } from './xero/index.ts'
import { zoho } from './zoho/index.ts'

/** Every source there is, in the order of the catalogue. A description is light; the connector behind it is loaded when it is used. */
export const connectors: readonly ConnectorDescription[] = [
  ...[quickbooks, xero, freshbooks, sage, zoho, wave, freeagent, myob, businessCentral, netsuite],
  ...[odoo, erpnext, tryton, hledger],
  ...[plaid, bankFiles],
]
