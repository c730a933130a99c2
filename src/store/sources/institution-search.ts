import { toSearchWords } from '../../model/values/institution-names.ts'
import type { Db } from '../db/database.ts'
import { acrossInstances } from '../db/instance-scope.ts'
import { type DirectoryEntry, ENTRY_COLUMNS } from './institutions.ts'

/** Search result; `isPopular`: often chosen in this deployment, or ranked by the provider. */
export type FoundInstitution = DirectoryEntry & { isPopular: boolean }

/** Search parameters; an empty text matches all. */
interface InstitutionSearch {
  text: string
  country?: string
}

interface SearchedEntry {
  id: string
  searchText: string
  countries: string[]
  routingNumbers: string[]
}

interface SearchedDirectory {
  version: string
  /** Open institutions, popular ones first. */
  entries: Promise<SearchedEntry[]>
}

/**
 * In-memory directories by database and connector. A search takes this process a millisecond or two, and took
 * PostgreSQL thirty.
 */
const searched = new WeakMap<Db, Map<string, SearchedDirectory>>()

/**
 * Institution search: open institutions whose name contains every word of the text, in English or French, with or
 * without accents, or whose routing number it is; names that begin with it first, then popular ones.
 */
export async function searchInstitutions(
  db: Db,
  connectorKey: string,
  search: InstitutionSearch,
  page: { limit: number; offset: number },
): Promise<{ institutions: FoundInstitution[]; total: number }> {
  const ids = listMatches(await entriesOf(db, connectorKey), search)
  const wanted = ids.slice(page.offset, page.offset + page.limit)
  if (wanted.length === 0) return { institutions: [], total: ids.length }
  const { rows } = await db.query<FoundInstitution>(
    `select ${ENTRY_COLUMNS}, (connected > 0 or provider_rank is not null) as "isPopular" from institutions
     where connector_key = $1 and id = any($2) order by array_position($2, id)`,
    [connectorKey, wanted],
  )
  return { institutions: rows, total: ids.length }
}

function listMatches(entries: SearchedEntry[], { text, country }: InstitutionSearch): string[] {
  const words = toSearchWords(text)
  const beginning = words.map(([word = '']) => word).join(' ')
  const [first, others]: [string[], string[]] = [[], []]
  for (const { id, searchText, countries, routingNumbers } of entries) {
    if (country !== undefined && !countries.includes(country)) continue
    const isNamed = words.length > 0 && words.every((forms) => forms.some((form) => searchText.includes(form)))
    if (!isNamed && text !== '' && !routingNumbers.includes(text)) continue
    if (isNamed && searchText.startsWith(beginning)) first.push(id)
    else others.push(id)
  }
  return [...first, ...others]
}

/** Open institutions, popular ones first; reloaded only when another process or this one has changed them. */
async function entriesOf(db: Db, connectorKey: string): Promise<SearchedEntry[]> {
  const directories = searched.get(db) ?? new Map<string, SearchedDirectory>()
  searched.set(db, directories)
  // Read before the entries: a change during the load makes the next caller load again.
  const version = await readVersion(db, connectorKey)
  const kept = directories.get(connectorKey)
  if (kept?.version === version) return await kept.entries
  const entries = acrossInstances(() => readEntries(db, connectorKey))
  directories.set(connectorKey, { version, entries })
  entries.catch(() => directories.delete(connectorKey))
  return await entries
}

async function readVersion(db: Db, connectorKey: string): Promise<string> {
  const { rows } = await db.query<{ version: string }>('select version from directories where connector_key = $1', [connectorKey])
  return rows[0]?.version ?? ''
}

async function readEntries(db: Db, connectorKey: string): Promise<SearchedEntry[]> {
  // Lists as lines: parsing PostgreSQL arrays takes four times as long.
  const { rows } = await db.query<{ id: string; searchText: string; countries: string; routingNumbers: string }>(
    `select id, search_text as "searchText", array_to_string(countries, E'\\n') as countries, array_to_string(routing_numbers, E'\\n') as "routingNumbers"
     from institutions where connector_key = $1 and closed_at is null order by connected desc, provider_rank, name, id`,
    [connectorKey],
  )
  return rows.map((row) => ({ ...row, countries: row.countries.split('\n'), routingNumbers: row.routingNumbers.split('\n') }))
}
