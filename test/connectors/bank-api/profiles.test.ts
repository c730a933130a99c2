import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listFaults } from '../../../src/connectors/bank-api/profile-faults.ts'
import { connectorsWith } from '../../../src/connectors/registry.ts'
import { toServiceId } from '../../../src/model/catalogue.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test damages any part of it
type Draft = { [part: string]: any }

function example(): Draft {
  const file = new URL('../../../src/connectors/bank-api/examples/harbourline.json', import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8')) as Draft
}

function faultsOf(spoil: (draft: Draft) => void): string[] {
  const draft = example()
  spoil(draft)
  return listFaults('harbourline', draft)
}

describe('a profile', () => {
  it('without errors is accepted', () => {
    expect(faultsOf(() => undefined)).toEqual([])
  })

  it('reports all of its errors at once, each with its path', () => {
    const faults = faultsOf((draft) => {
      draft.extra = 1
      draft.authentication.send = 'post'
      draft.hosts.api = 'http://bank.example/'
      delete draft.accounts[1].rows
      draft.accounts[0].map.kind.words['DEPOSITS/*'] = 'Cash/Deposit'
      draft.accounts[0].map.actualBalance = { from: 'workingBalance', units: 'cents' }
      draft.transactions[0].paging = { by: 'page', parameter: 'page' }
      draft.transactions[0].history.overlapDays = 1
    })
    expect(faults.map((fault) => fault.split(' ')[0])).toEqual([
      '/extra',
      '/hosts/api',
      '/authentication/send',
      '/accounts/0/map/kind/words/DEPOSITS~1*',
      '/accounts/0/map/actualBalance/from',
      '/accounts/0/map/actualBalance/units',
      '/accounts/1',
      '/transactions/0/paging',
      '/transactions/0/paging',
      '/transactions/0/history/overlapDays',
    ])
    expect(faults.find((fault) => fault.startsWith('/accounts/0/map/kind'))).toContain('Cash/OtherCash')
  })

  it.each<[string, (draft: Draft) => void, RegExp]>([
    ['another key than its file', (d) => (d.key = 'other'), /^\/key is "other", but the file is named harbourline.json$/],
    ['a name that nothing stands for', (d) => (d.headers = { 'x-a': '{apiKey}' }), /^\/headers\/x-a: nothing stands for \{apiKey\}$/],
    ['a key that is used nowhere', (d) => d.keys.push('spare'), /^"spare" is asked for and used nowhere$/],
    ['no host for tokens', (d) => delete d.hosts.token, /^\/hosts has no "token"/],
    ['no proof', (d) => delete d.connect.customer.proof, /^\/connect\/customer\/proof is missing: .*another customer$/],
    ['proof by a field that is not there', (d) => (d.connect.customer.proof[0].field = 'zip'), /there is no field "zip"/],
    ['one connection for all', (d) => (d.connect.id = 'all'), /all connections would be one/],
    ['a pattern that is none', (d) => (d.connect.fields[0].pattern = '[0-9'), /pattern is no regular expression/],
    ['transactions of a list that is not there', (d) => (d.transactions[0].of = ['cards']), /no list of accounts "cards"/],
    ['transactions of no account', (d) => (d.transactions[0].path = '/all'), /neither path nor query holds \{accountId\}/],
    ['details of no row', (d) => (d.accounts[0].details[0].path = '/balances'), /does not hold \{id\}/],
    ['two lists of one name', (d) => (d.accounts[1].name = 'deposits'), /has "deposits" twice/],
  ])('with %s is refused', (_what, spoil, message) => {
    expect(
      faultsOf(spoil).some((fault) => message.test(fault)),
      faultsOf(spoil).join('\n'),
    ).toBe(true)
  })

  it('in which the customer types part of the authentication needs no proof', () => {
    const faults = faultsOf((draft) => {
      draft.keys = []
      draft.authentication = { kind: 'basic', user: '{customerId}', password: '{registration}' }
      draft.connect.fields.splice(1, 1)
      delete draft.connect.customer.proof
    })
    expect(faults).toEqual([])
  })
})

describe('a folder of profiles', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'countinghouse-profiles-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const put = (name: string, text: string) => {
    const own = join(folder, 'bank-api')
    mkdirSync(own, { recursive: true })
    writeFileSync(join(own, name), text)
  }

  it('adds a service for each, with key and id from the profile’s key', () => {
    put('prairie.json', JSON.stringify({ ...example(), key: 'prairie', name: 'Prairie Bank' }))
    const bank = connectorsWith(folder).find(({ key }) => key === 'bank-api-prairie')
    expect(bank).toMatchObject({
      name: 'Prairie Bank',
      link: 'form',
      category: 'Banking',
      route: 'core',
      appKeys: ['clientId', 'clientSecret'],
    })
    expect(toServiceId(bank?.key ?? '')).toBe(toServiceId('bank-api-prairie'))
  })

  it('replaces an example, and is missing if no examples were requested', () => {
    put('harbourline.json', JSON.stringify({ ...example(), name: 'Our Harbour' }))
    const names = (examples: boolean) =>
      connectorsWith(folder, examples)
        .filter(({ key }) => key.startsWith('bank-api-'))
        .map(({ name }) => name)
    expect(names(false)).toEqual(['Our Harbour'])
    expect(names(true).sort()).toEqual(['Granite Core Bank', 'Our Harbour', 'Peakfield Community Credit Union'])
  })

  it('reports the errors of all files, and for invalid JSON the line', () => {
    put('a.json', '{\n  "format": 1,\n  "key": }')
    put('b.json', JSON.stringify({ ...example(), key: 'c' }))
    const told = (() => {
      try {
        connectorsWith(folder)
        return ''
      } catch (error) {
        return String(error)
      }
    })()
    expect(told).toMatch(/a\.json: line 3, column 10: is not JSON/)
    expect(told).toMatch(/b\.json: \/key is "c"/)
  })

  it('that does not exist adds nothing', () => {
    expect(connectorsWith(join(folder, 'nowhere'))).toEqual(connectorsWith(null))
  })
})
