import { countMatches, countParts, planSearch, type SearchPlan, sumRows, toCandidates } from '../db/company-texts/plan-search.ts'
import type { Db } from '../db/database.ts'
import {
  absentLast,
  type Columns,
  checkBound,
  countBounded,
  type Filter,
  isTooLarge,
  MOST_COUNTED,
  MOST_LOOKED_AT,
  type Selection,
  type Total,
  toCondition,
  toOrder,
} from '../db/list-selection.ts'
import { toPage } from '../db/lists/list-page.ts'
import { COMPANY_COLUMNS, type Company } from './companies.ts'

/** Up to so many parts the companies that have them are all read, which takes less than a walk. */
const FEW = 1_000
/** Companies looked at in the order of the list, where many contain a text. */
const WALKED = 20_000

const LISTED: Columns = {
  id: { sql: 'id', type: 'uuid', key: 'id', isNeverNull: true },
  name: { sql: 'name', type: 'string', key: 'name', isNeverNull: true, texts: 'n' },
  industry: { sql: 'industry', type: 'string', key: 'industry', isNeverNull: true, texts: 'i' },
  fullAddress: { sql: 'full_address', type: 'string', key: 'full_address', isNeverNull: true },
  country: { sql: 'country', type: 'string', key: 'country', isNeverNull: true },
  city: { sql: 'city', type: 'string', key: 'city', isNeverNull: true, texts: 'c' },
  createdOn: { sql: 'created_at', type: 'date', key: 'created_at', isNeverNull: true },
  companyContactNumber: { sql: 'contact_number', type: 'string', key: 'contact_number', isNeverNull: true },
  externalId: { sql: 'external_id', type: 'string', key: 'external_id', order: absentLast('external_id'), texts: 'e' },
  'metadata.*': { sql: '(metadata->>$name)', type: 'string' },
  // Of a search; no caller can name it.
  words: { sql: `concat_ws(E'\\n', name, industry, city, external_id)`, type: 'string', texts: 'nice' },
}

interface CompanyPage {
  companies: Company[]
  total: Total
}

/**
 * Page of the companies that match a filter, and whose name, industry, city or external id contains each of `words`.
 * The total of words that are all common may be a lower bound, and of a filter in an instance of more than `MOST_LOOKED_AT`.
 */
export async function listCompanies(db: Db, instanceId: string, selection: Selection, words: readonly string[] = []): Promise<CompanyPage> {
  const asked = { ...selection, filter: withWords(selection.filter, words) }
  const plan = await planSearch(db, instanceId, asked.filter, LISTED)
  if (plan === null) return await listByColumns(db, instanceId, asked)
  const found = sumRows(plan)
  const isOfOne = plan.length === 1 && plan[0]?.isWhole === true
  if (found <= FEW || (found <= MOST_COUNTED && !isOfOne)) return await listFound(db, instanceId, asked, plan)
  const walked = await walkList(db, instanceId, asked)
  if (walked.length === asked.limit) return { companies: walked, total: await countCommon(db, instanceId, asked, plan, words.length > 1) }
  const isBounded = (await countParts(db, instanceId, plan, MOST_LOOKED_AT)) <= MOST_LOOKED_AT
  return isBounded ? await listFound(db, instanceId, asked, plan) : await listByColumns(db, instanceId, asked)
}

function withWords(filter: Filter, words: readonly string[]): Filter {
  if (words.length === 0) return filter
  const clauses = words.map((value) => ({ property: 'words', operator: '~', value }) as const)
  return filter.length === 0 ? [clauses] : filter.map((group) => [...group, ...clauses])
}

const wholeList = (instanceId: string) => ({
  from: 'from companies where instance_id = $1',
  instanceId,
  columns: LISTED,
  range: 'createdOn',
})

async function listByColumns(db: Db, instanceId: string, selection: Selection): Promise<CompanyPage> {
  await checkBound(db, selection, wholeList(instanceId))
  const { from, values } = matching(instanceId, selection)
  const total = await countBounded(db, from, values)
  const page = toPage({ from, columns: LISTED, tieBreak: 'id', total }, selection, values)
  const { rows } = await db.query<Company>(`select ${COMPANY_COLUMNS} ${page}`, values)
  return { companies: rows, total }
}

function matching(instanceId: string, { filter }: Selection): { from: string; values: unknown[] } {
  const values: unknown[] = [instanceId]
  return { from: `from companies where instance_id = $1 and ${toCondition(filter, LISTED, values)}`, values }
}

/** Of the companies that have one of the parts those that match, sorted. */
async function listFound(db: Db, instanceId: string, selection: Selection, plan: SearchPlan): Promise<CompanyPage> {
  const values: unknown[] = [instanceId]
  // NOTE `offset 0`: otherwise PostgreSQL may walk the list in its order and look for the ids in it.
  const found = `(select * from companies where instance_id = $1 and id = any (array(${toCandidates(plan, values)})) offset 0) found`
  const from = `from ${found} where ${toCondition(selection.filter, LISTED, values)}`
  const counted = values.length
  const { rows } = await db.query<Company & { matches: number }>(
    `select ${COMPANY_COLUMNS}, count(*) over ()::int as matches ${from} ${toOrder(selection, LISTED, 'id', values)}`,
    values,
  )
  const [first] = rows
  if (!first && selection.offset > 0) return { companies: [], total: await countBounded(db, from, values.slice(0, counted)) }
  const matches = first?.matches ?? 0
  const total = { total: Math.min(matches, MOST_COUNTED), hasMore: matches > MOST_COUNTED }
  return { companies: rows.map(({ matches: _, ...company }) => company), total }
}

/** As much of a page as the first `WALKED` companies in the order of the list have. */
async function walkList(db: Db, instanceId: string, selection: Selection): Promise<Company[]> {
  if (!LISTED[selection.orderBy]?.isNeverNull) return []
  const values: unknown[] = [instanceId]
  const walk = { ...selection, limit: WALKED, offset: 0 }
  const walked = `(select * from companies where instance_id = $1 ${toOrder(walk, LISTED, 'id', values)}) walked`
  const { rows } = await db.query<Company>(
    `select ${COMPANY_COLUMNS} from ${walked} where ${toCondition(selection.filter, LISTED, values)} ${toOrder(selection, LISTED, 'id', values)}`,
    values,
  )
  return rows
}

/** Total of a list of which a page is full. */
async function countCommon(db: Db, instanceId: string, selection: Selection, plan: SearchPlan, isSearch: boolean): Promise<Total> {
  const matches = await countMatches(db, instanceId, plan)
  if (matches !== null) return { total: Math.min(matches, MOST_COUNTED), hasMore: matches > MOST_COUNTED }
  if (isSearch || (await isTooLarge(db, wholeList(instanceId))))
    return { total: Math.min(MOST_COUNTED, selection.offset + selection.limit), hasMore: true }
  const { from, values } = matching(instanceId, selection)
  return await countBounded(db, from, values)
}
