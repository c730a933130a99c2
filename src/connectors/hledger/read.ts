import { createHash } from 'node:crypto'
import type { Static } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Json } from '../../model/values/json.ts'
import { parseDay } from '../../model/values/timestamps.ts'
import { type Answers, SourceError, type SourceItem } from '../contract/contract.ts'
import { answerJson } from '../toolkit/http/answers.ts'
import { settle } from './balance.ts'
import { toAccounts } from './chart.ts'
import { EntryWire, ListedAccount, Settings } from './wire.ts'

const isEntry = Compile(EntryWire)
const isListedAccount = Compile(ListedAccount)
const isSettings = Compile(Settings)

type Said = Partial<Static<typeof Settings>>

/**
 * Ids for entries, which have none of their own: an index in the file would shift with every line inserted above. The
 * id is derived from dates, code and description; equal ones are counted, so that a new amount is a change and not
 * another entry.
 */
class EntryKeys {
  readonly #seen = new Map<string, number>()

  next({ tdate, tdate2, tcode, tdescription }: EntryWire): string {
    const key = createHash('sha256')
      .update(JSON.stringify([tdate, tdate2, tcode, tdescription]))
      .digest('hex')
      .slice(0, 24)
    const count = (this.#seen.get(key) ?? 0) + 1
    this.#seen.set(key, count)
    return count === 1 ? key : `${key}-${count}`
  }
}

export function* readBooks(answers: Answers): Iterable<SourceItem> {
  const rows = readList(answers, 'transactions')
  const entries = rows.filter((row): row is Json & EntryWire => isEntry.Check(row))
  const said = readSettings(answers)
  const names = readList(answers, 'names').filter((name) => typeof name === 'string')
  for (const wire of toAccounts({ names, declared: readDeclared(answers), entries })) {
    yield { entity: 'Accounts', origId: wire.aname, wire: { ...wire, ...said } }
  }
  const keys = new EntryKeys()
  for (const entry of entries) yield* readLines(entry, keys.next(entry), said)
  for (let count = entries.length; count < rows.length; count++) {
    yield { entity: 'Transactions', origId: null, unreadable: 'an entry of unknown shape' }
  }
}

function readList(answers: Answers, name: string): Json[] {
  const list = answerJson(answers, name)
  if (!Array.isArray(list)) throw new SourceError('badData', `hledger-web: "${name}" is no list`)
  return list
}

/** Older pages, from before settings existed, have none. */
function readSettings(answers: Answers): Said {
  if (!answers.settings) return {}
  const settings = answerJson(answers, 'settings')
  if (!isSettings.Check(settings)) throw new SourceError('badData', 'hledger-web: the stored settings have an unknown shape')
  return settings
}

function readDeclared(answers: Answers): Map<string, string> {
  const declared = new Map<string, string>()
  for (const row of readList(answers, 'accounts')) {
    if (!isListedAccount.Check(row)) throw new SourceError('badData', 'hledger-web: an account has an unknown shape')
    const type = row.adeclarationinfo?.aditags?.find(([name]) => name === 'type')?.[1]
    if (type !== undefined) declared.set(row.aname, type)
  }
  return declared
}

/**
 * One item per amount. An unbalanced virtual posting (in parentheses) is no part of double entry: it is set aside
 * alone, and the rest of its entry is kept. An amount of zero moves no money.
 */
function* readLines({ tpostings, ...entry }: EntryWire, entryId: string, said: Said): Iterable<SourceItem> {
  const all = tpostings.flatMap(({ pamount, ...posting }, at) =>
    pamount.map((amount, index) => ({ posting, amount, origId: toLineId(entryId, at, index) })),
  )
  const parts = all.filter(({ posting }) => posting.ptype !== 'VirtualPosting')
  for (const { posting, origId } of all) {
    if (posting.ptype === 'VirtualPosting')
      yield { entity: 'Transactions', origId, unreadable: 'a posting in parentheses, which balances with nothing' }
  }
  const days = [entry.tdate, ...parts.map(({ posting }) => posting.pdate)]
  const values = days.every(isDay) ? settle(parts.map(({ amount }) => amount)) : { reason: 'its entry has an impossible day' }
  for (const [index, part] of parts.entries()) {
    if (!Array.isArray(values)) yield { entity: 'Transactions', origId: part.origId, unreadable: values.reason }
    else if (values[index]?.quantity !== '0') {
      yield { entity: 'Transactions', origId: part.origId, wire: { ...part, entryId, entry, value: values[index], ...said } }
    }
  }
}

function toLineId(entryId: string, posting: number, amount: number): string {
  return amount === 0 ? `${entryId}/${posting}` : `${entryId}/${posting}/${amount}`
}

function isDay(text: string | null | undefined): boolean {
  try {
    return text === null || text === undefined || parseDay(text) !== null
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}
