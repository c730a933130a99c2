import { beforeEach, describe, expect, it } from 'vitest'
import { SourceError } from '../../src/connectors/contract/contract.ts'
import { reidentifyAccounts } from '../../src/sync/runs/reidentify.ts'
import { databaseForTests, openForTests } from '../harness/for-tests.ts'
import { testKeys } from '../harness/keys.ts'
import { ReadRun, toAccount, toMovement } from './read-run.ts'

const test = databaseForTests()
const keys = openForTests(testKeys)
let run: ReadRun
beforeEach(async () => {
  run = await new ReadRun(test.database, keys).open()
})

const idIn = (account: string) => account.split(' ')[0] ?? ''
/** Accounts as published, each with one transaction; some of them had ended. */
async function publish(active: string[], ended: string[] = []): Promise<void> {
  await run.publish({ accounts: active })
  await run.publish({ accounts: ended }, { deleted: true })
  await run.publish({ movements: [...active, ...ended].map(idIn).map((id) => toMovement(`${id}'s`, id)) })
}
/** The accounts as the new login lists them, with another balance, so that each is staged. */
async function list(...accounts: string[]): Promise<void> {
  await run.list({ accounts: accounts.map((account) => toAccount(account, '11.00')) })
}
const reidentify = () => run.within((db) => reidentifyAccounts(db, run.reading, 0))
const rows = (...listed: string[]) => listed.map((one) => (one.endsWith(' ends') ? one : one.replace(' at ', ' of accounts 0, row ')))

interface Case {
  what: string
  active: string[]
  ended?: string[]
  now: string[]
  aliases?: string[]
  staged: string[]
  counts?: { reidentified: number; unclear: number }
}

const KEPT: Case[] = [
  {
    what: 'an account under another id, beside one under its own',
    active: ['old-1 1111', 'old-2 2222'],
    now: ['old-2 2222', 'new-1 1111'],
    aliases: ['new-1 is old-1'],
    staged: ['old-1 as new-1 at 1', 'old-2 as old-2 at 0'],
  },
  {
    what: 'all accounts under other ids',
    active: ['old-1 1111', 'old-2 2222'],
    now: ['new-2 2222', 'new-1 1111'],
    aliases: ['new-1 is old-1', 'new-2 is old-2'],
    staged: ['old-1 as new-1 at 1', 'old-2 as new-2 at 0'],
  },
  {
    what: 'an account under another id and with another name',
    active: ['old-1 1111/Operations', 'old-2 2222'],
    now: ['new-1 1111/Payroll', 'old-2 2222'],
    aliases: ['new-1 is old-1'],
    staged: ['old-1 as new-1 at 0', 'old-2 as old-2 at 1'],
  },
  {
    what: 'an account that had ended, back under another id',
    active: ['old-1 1111'],
    ended: ['gone-2 2222'],
    now: ['old-1 1111', 'new-2 2222'],
    aliases: ['new-2 is gone-2'],
    staged: ['gone-2 as new-2 at 1', 'old-1 as old-1 at 0'],
  },
  {
    what: 'an account that had ended, where no other one was left',
    active: [],
    ended: ['gone-1 1111'],
    now: ['new-1 1111'],
    aliases: ['new-1 is gone-1'],
    staged: ['gone-1 as new-1 at 0'],
  },
]

const ENDING: Case[] = [
  {
    what: 'an account that a new login no longer lists ends, and its transactions stay',
    active: ['old-1 1111', 'old-2 2222'],
    now: ['new-1 1111', 'new-3 3333'],
    aliases: ['new-1 is old-1'],
    staged: ['old-1 as new-1 at 0', 'new-3 as new-3 at 1', 'old-2 ends'],
  },
  {
    what: 'beside accounts under their own ids one that is not listed is left to the listing',
    active: ['old-1 1111', 'old-2 2222', 'old-4 4444'],
    now: ['old-1 1111', 'new-3 3333', 'old-4 4444'],
    staged: ['new-3 as new-3 at 1', 'old-1 as old-1 at 0', 'old-4 as old-4 at 2'],
  },
  {
    what: 'so is one that nothing distinguishes, also from a new one, where a single account is listed under its own id',
    active: ['old-1 1111', 'old-2'],
    now: ['old-1 1111', 'new-3'],
    staged: ['new-3 as new-3 at 1', 'old-1 as old-1 at 0'],
  },
  {
    what: 'accounts that cannot be told apart are replaced, with their transactions',
    active: ['old-1 1111', 'old-2 1111', 'old-3 3333'],
    now: ['new-1 1111', 'new-2 1111', 'new-3 3333'],
    aliases: ['new-3 is old-3'],
    staged: [
      'new-1 as new-1 at 0',
      'new-2 as new-2 at 1',
      'old-3 as new-3 at 2',
      'old-1 ends',
      'old-2 ends',
      "old-1's ends",
      "old-2's ends",
    ],
    counts: { reidentified: 1, unclear: 2 },
  },
  {
    what: 'so are they beside an account under its own id; one that is merely not listed is not',
    active: ['old-1 1111', 'old-2 1111', 'old-3 3333', 'old-4 4444'],
    now: ['new-1 1111', 'new-2 1111', 'old-3 3333'],
    staged: [
      ...['new-1 as new-1 at 0', 'new-2 as new-2 at 1', 'old-3 as old-3 at 2'],
      ...['old-1 ends', 'old-2 ends', "old-1's ends", "old-2's ends"],
    ],
    counts: { reidentified: 0, unclear: 2 },
  },
  {
    what: 'an account that nothing distinguishes may be any of the new login: it is replaced',
    active: ['old-1 1111', 'old-2'],
    now: ['new-1 1111', 'new-3 3333'],
    aliases: ['new-1 is old-1'],
    staged: ['old-1 as new-1 at 0', 'new-3 as new-3 at 1', 'old-2 ends', "old-2's ends"],
    counts: { reidentified: 1, unclear: 1 },
  },
  {
    what: 'a new account that nothing distinguishes may be any that is not recognized: they are replaced',
    active: ['old-1 1111', 'old-2 2222'],
    now: ['new-1 1111', 'new-3'],
    aliases: ['new-1 is old-1'],
    staged: ['old-1 as new-1 at 0', 'new-3 as new-3 at 1', 'old-2 ends', "old-2's ends"],
    counts: { reidentified: 1, unclear: 1 },
  },
  {
    what: 'an account that is replaced for two reasons is counted once',
    active: ['old-1 1111', 'old-2 1111'],
    now: ['new-1 1111', 'new-2 1111', 'new-3'],
    staged: [
      ...['new-1 as new-1 at 0', 'new-2 as new-2 at 1', 'new-3 as new-3 at 2'],
      ...['old-1 ends', 'old-2 ends', "old-1's ends", "old-2's ends"],
    ],
    counts: { reidentified: 0, unclear: 2 },
  },
  {
    what: 'transactions of an account that had ended end where a new one may be it',
    active: ['old-1 1111'],
    ended: ['gone-1 2222', 'gone-2 2222', 'gone-3 3333'],
    now: ['old-1 1111', 'new-2 2222'],
    staged: ['new-2 as new-2 at 1', 'old-1 as old-1 at 0', "gone-1's ends", "gone-2's ends"],
  },
  {
    what: 'an account that had ended is not another one while an account under its own id looks the same',
    active: ['old-1 1111'],
    ended: ['gone-1 1111'],
    now: ['old-1 1111', 'new-2 1111'],
    staged: ['new-2 as new-2 at 1', 'old-1 as old-1 at 0', "gone-1's ends"],
  },
  {
    what: 'an account that had ended and is listed under its own id is not also another one',
    active: ['old-1 1111'],
    ended: ['gone-2 2222'],
    now: ['old-1 1111', 'gone-2 2222', 'new-2 2222'],
    staged: ['gone-2 as gone-2 at 1', 'new-2 as new-2 at 2', 'old-1 as old-1 at 0'],
  },
]

describe('after a reconnect', () => {
  it.each(KEPT)('keeps its records: $what', async ({ active, ended, now, aliases = [], staged }) => {
    await publish(active, ended)
    await list(...now)
    await reidentify()
    const shown = now.map(idIn).map((id) => aliases.find((alias) => alias.startsWith(`${id} is `))?.split(' is ')[1] ?? id)
    const counts = { reidentified: aliases.length, unclear: 0, changed: staged.length, records: now.length, setAside: 0 }
    const state = { aliases, seen: { 'accounts 0': shown }, counts, warnings: [] }
    expect(await run.state()).toMatchObject(state)
    expect((await run.staged()).toSorted()).toEqual(rows(...staged).toSorted())
  })

  it.each(ENDING)('$what', async ({ active, ended, now, aliases = [], staged, counts = { reidentified: aliases.length, unclear: 0 } }) => {
    await publish(active, ended)
    await list(...now)
    await reidentify()
    expect((await run.staged()).toSorted()).toEqual(rows(...staged).toSorted())
    expect(await run.state()).toMatchObject({ aliases, counts: { ...counts, changed: staged.length, records: now.length } })
    const fields = { connectionId: run.run.connectionId, runId: run.run.id, ...counts }
    expect(run.warnings).toEqual(counts.unclear === 0 ? [] : [[fields, 'accounts were ambiguous after a reconnect']])
  })

  it('an account that is renamed again keeps the id that readers know', async () => {
    await run.publish({ accounts: ['newer-1 1111'] }, { names: { 'newer-1': 'old-1' } })
    await list('newest-1 1111')
    await reidentify()
    expect(await run.state()).toMatchObject({
      aliases: ['newest-1 is old-1'],
      staged: rows('old-1 as newest-1 at 0'),
      seen: { 'accounts 0': ['old-1'] },
    })
  })

  it('transactions of an account that was renamed before end with it, by the id that readers know', async () => {
    await run.publish({ accounts: ['newer-1 1111', 'newer-2 1111'] }, { names: { 'newer-1': 'old-1', 'newer-2': 'old-2' } })
    await run.publish({ movements: [toMovement('m-1', 'old-1'), toMovement('m-2', 'newer-2')] })
    await list('new-1 1111')
    await reidentify()
    expect(await run.staged()).toEqual([...rows('new-1 as new-1 at 0'), 'old-1 ends', 'old-2 ends', 'm-1 ends'])
  })
})

describe('a login with new ids only', () => {
  const refused = new SourceError('reconnect', 'the login shows none of the accounts that were connected before')

  it('that shows none of the accounts is refused, and nothing is changed', async () => {
    await publish(['old-1 1111', 'old-2 2222'])
    await list('new-3 3333', 'new-4 4444')
    const before = await run.state()
    const error = await reidentify().catch((thrown: unknown) => thrown)
    expect(error).toEqual(refused)
    expect(error).toMatchObject({ kind: 'reconnect' })
    expect(await run.state()).toEqual(before)
  })

  it.each([
    ['lists an account under its own id', ['old-1 1111', 'old-2 2222'], [], ['old-2 2222', 'new-3 3333']],
    ['may list one of them', ['old-1 1111', 'old-2'], [], ['new-3 3333']],
    ['lists one that nothing distinguishes', ['old-1 1111'], [], ['new-3']],
    ['lists one that had ended', ['old-1 1111'], ['gone-2 2222'], ['new-2 2222']],
    ['may list one that had ended', ['old-1 1111'], ['gone-2 2222', 'gone-3 2222'], ['new-2 2222']],
    ['replaces none, because all had ended', [], ['gone-1 1111'], ['new-2 2222']],
  ])('is not refused that %s', async (_what, active, ended, now) => {
    await publish(active, ended)
    await list(...now)
    await expect(reidentify()).resolves.toBeUndefined()
  })

  it('is not refused either where one of its ids is known from a longer list', async () => {
    await publish(['old-1 1111'])
    await run.list({ accounts: ['new-3 3333'] })
    await run.list({ accounts: ['old-1 1111'] }, { page: 1 })
    await reidentify()
    expect(await run.state()).toMatchObject({ staged: rows('new-3 as new-3 at 0'), counts: { reidentified: 0, unclear: 0, changed: 1 } })
  })
})
