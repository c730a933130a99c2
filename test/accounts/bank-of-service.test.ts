import { beforeEach, describe, expect, it } from 'vitest'
import type { Connector } from '../../src/connectors/contract/contract.ts'
import { matchAccounts } from '../../src/sync/accounts/match-accounts.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { openForTests } from '../harness/for-tests.ts'
import { companyActions, openSyncHarness } from '../sync/harness.ts'
import { type Statement, StatementSource } from './statement-source.ts'

/** A source of many banks, whose owner has chosen one. */
class AggregatorSource extends StatementSource {
  institution = { id: 'b-1', name: '' }

  constructor(key: string) {
    super(key)
    Object.assign(this.description, { hasInstitutions: true })
  }

  override get connector(): Connector {
    const submit = async () => ({ credentials: this.credentials(), entity: { id: 'e', name: 'E' }, institution: this.institution })
    return { ...super.connector, authorize: { step: 'form', fields: [], submit } }
  }
}

const [one, other] = [new AggregatorSource('one'), new AggregatorSource('other')]
const harness = openForTests(() => openSyncHarness([one, other]))

/** Balance and ending say that it is one account only where the bank is the same. */
const SHOWN: Statement = { id: 'a', bank: '', ending: '4410', balance: '1200.55', balanceAt: '2026-11-20T08:00:00Z' }

let companyId: string
beforeEach(async () => {
  companyId = await addCompany(harness.deps.database, harness.instanceId)
})

async function show(source: AggregatorSource, bank: string, statements: Statement[]): Promise<void> {
  Object.assign(source, { statements, institution: { id: bank, name: bank } })
  const actions = companyActions(harness.deps, harness.instanceId, companyId)
  await actions.sync(await actions.connect(source), { reason: 'first' })
}
async function matched(): Promise<unknown[]> {
  await matchAccounts(harness.deps, { instanceId: harness.instanceId, companyId })
  const { rows } = await harness.deps.database.query('select reasons from account_matches where company_id = $1', [companyId])
  return rows.map(({ reasons }) => reasons.map(({ code }: { code: string }) => code))
}

describe('the bank of an account', () => {
  it('is the one that the owner chose at the source, where its records name none', async () => {
    await show(one, 'Maple Trust Bank', [SHOWN])
    await show(other, 'The Maple Trust Bank', [{ ...SHOWN, id: 'b' }])
    expect(await matched()).toEqual([['sameBalance', 'sameEnding', 'sameBank']])
  })

  it('is another one where the owner chose another', async () => {
    await show(one, 'Maple Trust Bank', [SHOWN])
    await show(other, 'Cedar Bank', [{ ...SHOWN, id: 'b' }])
    expect(await matched()).toEqual([])
  })

  it('does not make a pair of two accounts of one service, nor of one and either of two', async () => {
    await show(one, 'Maple Trust Bank', [SHOWN, { ...SHOWN, id: 'b' }])
    expect(await matched()).toEqual([])
    await show(other, 'Maple Trust Bank', [{ ...SHOWN, id: 'c' }])
    expect(await matched()).toEqual([])
  })

  it('makes a pair until the accounts differ', async () => {
    await show(one, 'Maple Trust Bank', [SHOWN])
    await show(other, 'Maple Trust Bank', [{ ...SHOWN, id: 'b' }])
    expect(await matched()).toHaveLength(1)
    expect(await matched(), 'not twice').toHaveLength(1)
    await show(other, 'Maple Trust Bank', [{ ...SHOWN, id: 'b', ending: '9999' }])
    expect(await matched()).toEqual([])
  })
})
