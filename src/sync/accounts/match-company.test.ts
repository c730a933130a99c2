import { describe, expect, it } from 'vitest'
import { UNKNOWN_BANK } from './bank-identity.ts'
import { type CompanyAccount, groupAccounts, listCandidates, matchCompany } from './match-company.ts'

const HARBOR = { ...UNKNOWN_BANK, names: ['Harbor'] }
/** Accounts with one IBAN are the same. */
const account = (id: string, serviceId: string, known: Partial<CompanyAccount> = {}): CompanyAccount => ({
  ...{ id, serviceId, bank: HARBOR, ending: '', numbers: [], currency: 'CAD', type: 'Cash', subType: 'Checking' },
  ...{ balance: '1234.56', balanceAt: 0, movements: null },
  ...known,
})
const byBalance = (id: string, serviceId: string) => account(id, serviceId, { ending: '4410' })
const byNumber = (id: string, serviceId: string) => account(id, serviceId, { ending: '4410', numbers: ['12344410'] })
const matched = async (...accounts: CompanyAccount[]) => (await matchCompany(accounts)).map(({ one, other }) => `${one.id}${other.id}`)

describe('candidates', () => {
  const listed = (...accounts: CompanyAccount[]) => listCandidates(accounts).map(([one, other]) => `${one.id}${other.id}`)
  const ending = (id: string, serviceId: string, text: string) => account(id, serviceId, { ending: text })

  it('are of different services, each once', () => {
    expect(listed(ending('a', 's', '10'), ending('b', 's', '10'), ending('c', 't', '10'))).toEqual(['ac', 'bc'])
  })

  it('have the same last two characters, or one has none', () => {
    expect(listed(ending('a', 's', '4410'), ending('b', 't', '10'), ending('c', 't', '4411'), ending('d', 't', ''))).toEqual(['ab', 'ad'])
    expect(listed(ending('a', 's', '1x'), ending('b', 't', '1X'))).toEqual(['ab'])
    expect(listed(ending('a', 's', '4'), ending('b', 't', '11'))).toEqual(['ba'])
    expect(listed(ending('a', 's', ''), ending('b', 't', ''))).toEqual(['ab'])
  })
})

describe('accounts of a company', () => {
  it('that are the same are found, with the reasons', async () => {
    expect(await matchCompany([byBalance('a', 's'), byBalance('b', 't')])).toMatchObject([
      { one: { id: 'a' }, other: { id: 'b' }, reasons: [{ code: 'sameBalance' }, { code: 'sameEnding' }, { code: 'sameBank' }] },
    ])
  })

  it('of one service are never the same', async () => {
    expect(await matched(byBalance('a', 's'), byBalance('b', 's'))).toEqual([])
  })

  it('are matched with neither of two that they resemble at another service', async () => {
    expect(await matched(byBalance('a', 's'), byBalance('b', 't'), byBalance('c', 't'))).toEqual([])
    expect(await matched(byBalance('b', 's'), byBalance('c', 's'), byBalance('a', 't'))).toEqual([])
  })

  it('are matched by their full number although they resemble another one', async () => {
    expect(await matched(byNumber('a', 's'), byNumber('b', 't'), byBalance('c', 't'))).toEqual(['ab'])
    expect(await matched(byNumber('a', 's'), byNumber('b', 't'), byNumber('c', 't'))).toEqual([])
  })

  it('at three services are matched with each other', async () => {
    expect(await matched(byBalance('a', 's'), byBalance('b', 't'), byBalance('c', 'u'))).toEqual(['ab', 'ac', 'bc'])
  })

  it('are many, and all are compared', async () => {
    const many = Array.from({ length: 150 }, (_, index) =>
      account(`x${index}`, `s${index}`, { bank: { ...UNKNOWN_BANK, names: [`n${index}`] } }),
    )
    expect(await matched(...many, byBalance('a', 's'), byBalance('b', 't'))).toEqual(['ab'])
  })
})

it('other accounts join no two accounts of one service', async () => {
  const numbered = (id: string, serviceId: string, ...numbers: string[]) => account(id, serviceId, { ending: '4410', numbers })
  const [a, b] = [numbered('a', 's', '11114410'), numbered('b', 't', '11114410', '22224410')]
  const [c, d] = [numbered('c', 'u', '22224410', '33334410'), numbered('d', 's', '33334410')]
  expect(await matched(a, b, c)).toEqual(['ab', 'bc'])
  expect(await matched(b, c, d)).toEqual(['bc', 'cd'])
  expect(await matched(a, b, c, d)).toEqual([])
  expect(
    await matched(a, b, c, d, byBalance('e', 'v'), account('f', 'w', { ending: '9911' }), account('g', 'x', { ending: '9911' })),
  ).toEqual(['fg'])
})

it('groups are joined by pairs, directly and through others', () => {
  expect(
    groupAccounts([
      ['a', 'b'],
      ['c', 'd'],
      ['b', 'e'],
      ['f', 'g'],
      ['g', 'd'],
    ]).map((group) => [...group].sort().join('')),
  ).toEqual(['abe', 'cdfg'])
  expect(groupAccounts([])).toEqual([])
})
