import { execFile } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import type pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { FIRST_ID } from '../../src/model/values/first-id.ts'
import { type ApiHarness, openApiHarness } from '../api/harness.ts'
import { isOnPath } from '../packages/podman.ts'
import { effort } from '../prove/effort.ts'
import { reportFigure } from '../prove/figures.ts'
import { get, PATH, request, run } from './requested.ts'

const read = promisify(execFile)
/** Python of the environment in which `.ci/run` installs DuckDB. */
const PROGRAM = 'export-readers-python'
const isSkipped = !isOnPath(PROGRAM) && process.env.CI !== 'true'
if (isSkipped) process.stderr.write(`SKIPPED: exports are not read by DuckDB: no ${PROGRAM}\n`)

const ROWS = effort.exportedRows
const STEP = 20_000
/** Of 26 digits, ten of them behind the point: far beyond a double. */
const AMOUNT = `trim_scale((n * 1000000007 % 9007199254740881)::numeric * 1234567891 / 10000000000 * case when n % 3 = 0 then -1 else 1 end)`

let api: ApiHarness
let folder = ''
let baseUrl = ''
beforeAll(async () => {
  if (isSkipped) return
  api = await openApiHarness()
  folder = await mkdtemp(join(tmpdir(), 'countinghouse-exports-'))
  baseUrl = await api.app.listen({ port: 0, host: '127.0.0.1' })
  await fill()
}, 600_000)
afterAll(async () => {
  if (isSkipped) return
  await api.close()
  await rm(folder, { recursive: true, force: true })
})

/** Published records, written straight into their table: as many syncs would take longer. In steps, for the deadline of a statement. */
async function fill(): Promise<void> {
  const { database } = api.syncHarness.deps
  for (let from = 1; from < ROWS; from += STEP)
    await database.query(
      `insert into record_versions (instance_id, company_id, service_id, entity, id, valid_from, orig_id, connection_id, doc, content_hash, sort_key,
         run_id, raw_index, mapping_version)
       select r.instance_id, r.company_id, r.service_id, r.entity, gen_random_uuid(), r.valid_from, 'n' || n, r.connection_id,
         replace(regexp_replace(r.doc, '"actualBalance":[^,]*', '"actualBalance":' || ${AMOUNT}), '"origId":"chequing"', '"origId":"n' || n || '"'), r.content_hash, n::text, r.run_id, 0, 1
       from (select * from record_versions where sort_key like 'Chequing%' limit 1) r, generate_series($1::bigint, $2::bigint) n`,
      [from, Math.min(from + STEP, ROWS) - 1],
    )
  await database.query(`update publications set accounts = ${ROWS} where service_id = $1`, [api.syncHarness.serviceId(api.bank)])
  await database.query('analyze record_versions')
}

interface Slice {
  total: string
  count: number
  last: string | null
}

/** Sum and number of what is stored. */
async function addUp(): Promise<{ total: string; count: number }> {
  const { database } = api.syncHarness.deps
  const sums: string[] = []
  let count = 0
  for (let id: string | null = FIRST_ID; id !== null; ) {
    const { rows }: pg.QueryResult<Slice> = await database.query<Slice>(
      `select coalesce(sum((doc::json ->> 'actualBalance')::numeric), 0)::text as total, count(*)::int as count, (array_agg(id order by id desc))[1] as last
       from (select id, doc from record_versions where service_id = $1 and id > $2 order by id limit ${STEP}) r`,
      [api.syncHarness.serviceId(api.bank), id],
    )
    for (const row of rows) {
      sums.push(row.total)
      count += row.count
      id = row.last
    }
  }
  const { rows } = await database.query<{ total: string }>(
    'select trim_scale(sum(total))::text as total from unnest($1::numeric[]) total',
    [sums],
  )
  return { total: rows[0]?.total ?? '', count }
}

/** As a customer does: not in memory, which would not hold it. */
async function save(id: string, file: string): Promise<void> {
  const response = await fetch(`${baseUrl}/admin/api/v1${PATH}/${id}/file`, { headers: { authorization: `Bearer ${api.tokens.admin}` } })
  if (!response.ok || !response.body) throw new Error(`the file cannot be downloaded: ${response.status}`)
  await pipeline(Readable.fromWeb(response.body), createWriteStream(file))
}

it.skipIf(isSkipped)(
  `DuckDB finds the sums of the database in all formats, to the last digit${isSkipped ? ` (SKIPPED: no ${PROGRAM})` : ''}`,
  async () => {
    const wanted = { ...(await addUp()), ids: ROWS }
    expect(wanted.count).toBe(ROWS)
    for (const format of ['parquet', 'csv', 'ndjson']) {
      const { shown, job } = await request(api, { category: 'Banking', format })
      const startedMs = performance.now()
      await run(api, job)
      const perSecond = (ROWS * 1_000) / (performance.now() - startedMs)
      expect(await get(api, shown.id)).toMatchObject({ state: 'completed', records: ROWS })
      reportFigure(`rows/s as ${format}`, Math.round(perSecond))
      const file = join(folder, `accounts.${format}`)
      await save(shown.id, file)
      const { stdout } = await read(PROGRAM, [join(import.meta.dirname, 'sums.py'), format, file])
      expect([format, JSON.parse(stdout)]).toEqual([format, wanted])
    }
  },
  1_800_000,
)
