import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ConnectorDescription, Institution } from '../../src/connectors/contract/contract.ts'
import { createSources, type Source } from '../../src/connectors/sources.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { searchInstitutions } from '../../src/store/sources/institution-search.ts'
import { ensureDirectory, queueDirectories, syncDirectory } from '../../src/sync/sources/directory.ts'
import { openSyncHarness, type SyncHarness } from '../sync/harness.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'

const PAGE = 3
const KEY = 'directory'

let harness: SyncHarness
let listed: Institution[]
let fails: boolean

beforeEach(async () => {
  listed = [
    bank('ca-1', 'Banque Nationale du Canada', 'CA', ['000600011']),
    bank('ca-2', 'Caisse de la Rivière-du-Nord', 'CA', ['081500001']),
    bank('ca-3', 'Royal Bank of Canada', 'CA', ['000300002', '000300012']),
    bank('us-1', 'First National Bank of Ohio', 'US', ['044000037']),
    bank('us-2', '100% Credit Union', 'US', []),
    bank('us-3', 'Œuvre & Æther Savings', 'US', []),
    bank('xx-1', 'Bank in Both', 'US', [], ['US', 'CA']),
  ]
  fails = false
  harness = await openSyncHarness([], [description()])
})
afterEach(() => harness.close())

function bank(id: string, name: string, country: string, routingNumbers: string[], countries = [country]): Institution {
  return { id, name, countries, routingNumbers, url: null }
}

/** A directory written by the test, in place of an outside one. */
function description(): ConnectorDescription {
  const { connector, description } = new ScriptedSource(KEY, 'Banking')
  const listInstitutions = async (_kit: unknown, cursor: unknown) => {
    const from = Number(cursor ?? 0)
    if (fails && from > 0) throw new Error('the directory cannot be read any further')
    return { institutions: listed.slice(from, from + PAGE), next: from + PAGE < listed.length ? from + PAGE : null }
  }
  return { ...description, hasInstitutions: true, load: async () => ({ ...connector, listInstitutions }) }
}

async function sync(): Promise<number> {
  const source: Source | undefined = harness.deps.sources.get(KEY)
  if (!source) throw new Error('the source is not in the catalogue')
  return await syncDirectory(harness.deps, source)
}

async function search(text: string, country?: string): Promise<string[]> {
  const wanted = { text, ...(country === undefined ? {} : { country }) }
  const { institutions, total } = await searchInstitutions(harness.deps.database, KEY, wanted, { limit: 50, offset: 0 })
  expect(total).toBe(institutions.length)
  return institutions.map(({ id }) => id)
}

describe('a bank is found', () => {
  beforeEach(async () => {
    expect(await sync()).toBe(listed.length)
  })

  it.each([
    ['by its name', 'royal bank of canada', ['ca-3']],
    ['by words in any order', 'canada banque', ['ca-1', 'ca-3']],
    ['by the name that it has in the other language', 'National Bank of Canada', ['ca-1']],
    ['by a French name where its own is English', 'Banque Royale du Canada', ['ca-3']],
    ['without its accents', 'riviere du nord', ['ca-2']],
    ['with accents that it has not', 'Röyal', ['ca-3']],
    ['by the beginning of a word', 'riv', ['ca-2']],
    ['by ligatures written out', 'oeuvre aether', ['us-3']],
    ['by a routing number', '044000037', ['us-1']],
    ['by its second routing number', '000300012', ['ca-3']],
    ['by signs that mean something to the database', '100%', ['us-2']],
    ['not by signs only', '%%%', []],
    ['not by a word that it has not', 'royal ohio', []],
    ['by a part of a routing number: not at all', '04400003', []],
  ])('%s', async (_how, text, ids) => {
    expect(await search(text)).toEqual(ids)
  })

  it('first if its name starts with the query', async () => {
    expect((await search('bank')).at(0)).toBe('xx-1')
  })

  it('in each of its countries only', async () => {
    expect(await search('bank', 'CA')).toEqual(['xx-1', 'ca-1', 'ca-3'])
    expect(await search('', 'US')).toHaveLength(4)
  })
})

describe('the nightly update', () => {
  beforeEach(async () => {
    await sync()
  })

  it('adds, renames and closes banks, and reopens one that returns', async () => {
    const gone = listed.splice(0, 1)
    listed.push(bank('us-9', 'Brand New Bank', 'US', []))
    listed[1] = bank('ca-3', 'Renamed Bank', 'CA', [])
    await sync()
    expect([await search('nationale canada'), await search('brand'), await search('renamed'), await search('royal')]).toEqual([
      [],
      ['us-9'],
      ['ca-3'],
      [],
    ])
    listed.push(...gone)
    await sync()
    expect(await search('nationale canada')).toEqual(['ca-1'])
  })

  it('is used by searches of another process at once, which reload the directory only after a change', async () => {
    const other = openDatabase(harness.url, { max: 1 })
    try {
      const found = async () => {
        const { institutions } = await searchInstitutions(other, KEY, { text: 'bank' }, { limit: 1, offset: 0 })
        return institutions[0]?.id
      }
      expect(await found()).toBe('xx-1')
      listed.splice(6, 1, bank('xx-1', 'Savings in Both', 'US', []))
      await sync()
      expect(await found()).toBe('ca-1')
      const version = async () => (await other.query('select version from directories where connector_key = $1', [KEY])).rows
      const before = await version()
      await sync()
      expect(await version(), 'nothing has changed').toEqual(before)
    } finally {
      await other.end()
    }
  })

  it('closes nothing if it is interrupted', async () => {
    listed.splice(0, 1)
    fails = true
    await expect(sync()).rejects.toThrow('cannot be read any further')
    expect(await search('nationale canada')).toEqual(['ca-1'])
  })

  it.each([
    ['nothing', 0],
    ['less than half', 3],
  ])('closes nothing if it suddenly lists %s', async (_what, left) => {
    listed.splice(left)
    await sync()
    expect(await search('')).toHaveLength(7)
  })
})

describe('a sandbox directory', () => {
  const queued = async () => (await harness.deps.database.query(`select key from jobs where kind = 'directory'`)).rows

  it('is loaded on the first search, and each night from then on', async () => {
    const inSandbox = sandboxed()
    await queueDirectories(inSandbox)
    expect(await queued(), 'nobody has asked').toEqual([])
    const source = inSandbox.sources.get(KEY)
    if (!source) throw new Error('the source is not in the catalogue')
    await ensureDirectory(inSandbox, source)
    await ensureDirectory(inSandbox, source)
    expect(await queued()).toEqual([{ key: `directory/${KEY}` }])
    await harness.deps.database.query('delete from jobs')
    await sync()
    await ensureDirectory(inSandbox, source)
    expect(await queued(), 'it is there').toEqual([])
    await queueDirectories(inSandbox)
    expect(await queued()).toHaveLength(1)
  })

  it('of a real source is loaded without a search', async () => {
    await queueDirectories(harness.deps)
    expect(await queued()).toHaveLength(1)
  })

  /** The same source without keys, served by a simulator. */
  function sandboxed(): typeof harness.deps {
    const simulators = { [KEY]: { app: { key: 'sandbox' } } }
    const kit = { http: () => Promise.reject(new Error('no network')), app: {}, hosts: {}, now: () => new Date() }
    const sources = createSources([{ ...description(), appKeys: ['key'] }], { settings: {}, simulators, createKit: () => kit })
    return { ...harness.deps, sources }
  }
})
