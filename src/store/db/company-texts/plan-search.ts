import type { Db } from '../database.ts'
import { type Clause, type Columns, type Filter, MOST_COUNTED } from '../list-selection.ts'

/** Above every letter. */
const LAST_LETTER = '\u{10ffff}'
/** Rows of parts that are counted of a common text: a company has several of a short one. */
const MOST_PARTS = 3 * MOST_COUNTED

/** Stored part by which a text is looked for. */
export interface SoughtPart {
  fields: string
  part: string
  /** Rows of the part, at most `MOST_COUNTED + 1`; a company may have several. */
  rows: number
  /** Whether each company that has the part contains the text. */
  isWhole: boolean
}

/** Of each group of a filter the rarest part, one of which each company has that the filter matches. */
export type SearchPlan = readonly SoughtPart[]

/** Texts in which `clause` looks; null: none that has stored parts. */
function fieldsOf({ property, operator, value }: Clause, columns: Columns): string | null {
  return operator === '~' && value !== null ? (columns[property]?.texts ?? null) : null
}

/** Null where a group looks in no text that has stored parts, or while these are not complete. */
export async function planSearch(db: Db, instanceId: string, filter: Filter, columns: Columns): Promise<SearchPlan | null> {
  const sought = filter.flatMap((group, nth) =>
    group.flatMap((clause) => {
      const fields = fieldsOf(clause, columns)
      return fields === null ? [] : [{ nth, fields, text: clause.value }]
    }),
  )
  if (new Set(sought.map(({ nth }) => nth)).size < Math.max(1, filter.length)) return null
  const { rows } = await db.query<SoughtPart & { nth: number }>({
    name: 'count-company-texts',
    text: `select distinct on (s.nth) s.nth, s.fields, p.part, t.plain = p.part as "isWhole", c.rows
       from unnest($2::int[], $3::text[], $4::text[]) as s (nth, fields, text)
       cross join lateral (select to_search_text(s.text) as plain) t
       cross join lateral (select left(t.plain, 12) as part union select right(t.plain, 12)) p
       cross join lateral (
         select count(*)::int as rows from (
           select from unnest(string_to_array(s.fields, null)::"char"[]) f (field) cross join lateral (
             select from company_texts x where x.instance_id = $1 and x.field = f.field and x.part >= p.part and x.part < p.part || '${LAST_LETTER}'
             limit ${MOST_COUNTED + 1}) x
           limit ${MOST_COUNTED + 1}) x) c
       where exists (select from filled_company_texts where is_done)
       order by s.nth, c.rows, length(p.part) desc`,
    values: [instanceId, sought.map(({ nth }) => nth), sought.map(({ fields }) => fields), sought.map(({ text }) => text)],
  })
  if (rows.length === 0) return null
  return rows.map(({ nth, isWhole, ...part }) => ({ ...part, isWhole: isWhole && filter[nth]?.length === 1 }))
}

/** Rows of the rarest parts of all groups. */
export function sumRows(plan: SearchPlan): number {
  return plan.reduce((sum, { rows }) => sum + rows, 0)
}

/** SQL of the ids of the companies that have one of the parts; `$1` is the instance. */
export function toCandidates(plan: SearchPlan, values: unknown[]): string {
  const queries = plan.map(({ fields, part }) => {
    const [ofFields, ofPart] = [`$${values.push(fields)}::text`, `$${values.push(part)}::text`]
    return `select x.company_id as id from unnest(string_to_array(${ofFields}, null)::"char"[]) f (field) cross join lateral (
      select t.company_id from company_texts t where t.instance_id = $1 and t.field = f.field and t.part >= ${ofPart} and t.part < ${ofPart} || '${LAST_LETTER}') x`
  })
  return queries.join(' union all ')
}

/** Rows of the parts, at most `most + 1`. */
export async function countParts(db: Db, instanceId: string, plan: SearchPlan, most: number): Promise<number> {
  const values: unknown[] = [instanceId]
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from (select from (${toCandidates(plan, values)}) c limit ${most + 1}) c`,
    values,
  )
  return rows[0]?.count ?? 0
}

/**
 * Number of companies that match a filter of one text, at most `MOST_COUNTED + 1`; of several groups only that, and only
 * where one of them has more. Null: not known.
 */
export async function countMatches(db: Db, instanceId: string, plan: SearchPlan): Promise<number | null> {
  const whole = plan.find(({ rows, isWhole }) => isWhole && (plan.length === 1 || rows > MOST_COUNTED))
  if (whole === undefined) return null
  const values: unknown[] = [instanceId]
  const { rows } = await db.query<{ companies: number; parts: number }>(
    `select count(distinct id)::int as companies, count(*)::int as parts from (${toCandidates([whole], values)} limit ${MOST_PARTS}) c`,
    values,
  )
  const { companies, parts } = rows[0] ?? { companies: 0, parts: 0 }
  if (companies > MOST_COUNTED) return MOST_COUNTED + 1
  return plan.length === 1 && parts < MOST_PARTS ? companies : null
}
