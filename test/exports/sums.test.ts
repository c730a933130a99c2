import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ApiHarness, openApiHarness } from '../api/harness.ts'
import { isOnPath } from '../packages/podman.ts'
import { effort } from '../prove/effort.ts'
import { reportFigure } from '../prove/figures.ts'
import { download, get, request, run } from './requested.ts'

const read = promisify(execFile)
/** Python of the environment in which `.ci/run` installs DuckDB. */
const PROGRAM = 'export-readers-python'
const isSkipped = !isOnPath(PROGRAM) && process.env.CI !== 'true'
if (isSkipped) process.stderr.write(`SKIPPED: exports are not read by DuckDB: no ${PROGRAM}\n`)

const ROWS = effort.exportedRows
/** Of 26 digits, ten of them behind the point: far beyond a double. */
const AMOUNT = `trim_scale((n * 1000000007 % 9007199254740881)::numeric * 1234567891 / 10000000000 * case when n % 3 = 0 then -1 else 1 end)`

let api: ApiHarness
let folder = ''
beforeAll(async () => {
  if (isSkipped) return
  api = await openApiHarness()
  folder = await mkdtemp(join(tmpdir(), 'countinghouse-exports-'))
  await fill()
}, 600_000)
afterAll(async () => {
  if (isSkipped) return
  await api.close()
  await rm(folder, { recursive: true, force: true })
})

/** Published records, written straight into their table: as many syncs would take longer. */
async function fill(): Promise<void> {
  const { database } = api.syncHarness.deps
  await database.query(
    `insert into record_versions (instance_id, company_id, service_id, entity, id, valid_from, orig_id, connection_id, doc, content_hash, sort_key,
       run_id, raw_index, mapping_version)
     select r.instance_id, r.company_id, r.service_id, r.entity, gen_random_uuid(), r.valid_from, 'n' || n, r.connection_id,
       replace(regexp_replace(r.doc, '"actualBalance":[^,]*', '"actualBalance":' || ${AMOUNT}), '"origId":"chequing"', '"origId":"n' || n || '"'), r.content_hash, n::text, r.run_id, 0, 1
     from (select * from record_versions where sort_key like 'Chequing%' limit 1) r, generate_series(1, ${ROWS - 1}::bigint) n`,
  )
  await database.query(`update publications set accounts = ${ROWS} where service_id = $1`, [api.syncHarness.serviceId(api.bank)])
  await database.query('analyze record_versions')
}

it.skipIf(isSkipped)(
  `DuckDB finds the sums of the database in all formats, to the last digit${isSkipped ? ` (SKIPPED: no ${PROGRAM})` : ''}`,
  async () => {
    const { rows } = await api.syncHarness.deps.database.query<{ total: string; count: number }>(
      `select trim_scale(sum((doc::json ->> 'actualBalance')::numeric))::text as total, count(*)::int as count from record_versions where service_id = $1`,
      [api.syncHarness.serviceId(api.bank)],
    )
    const wanted = { ...rows[0], ids: ROWS }
    expect(wanted.count).toBe(ROWS)
    for (const format of ['parquet', 'csv', 'ndjson']) {
      const { shown, job } = await request(api, { category: 'Banking', format })
      const startedMs = performance.now()
      await run(api, job)
      const perSecond = (ROWS * 1_000) / (performance.now() - startedMs)
      expect(await get(api, shown.id)).toMatchObject({ state: 'completed', records: ROWS })
      reportFigure(`rows/s as ${format}`, Math.round(perSecond))
      const file = join(folder, `accounts.${format}`)
      await writeFile(file, (await download(api, shown.id)).rawPayload)
      const { stdout } = await read(PROGRAM, [join(import.meta.dirname, 'sums.py'), format, file])
      expect([format, JSON.parse(stdout)]).toEqual([format, wanted])
    }
  },
  900_000,
)
