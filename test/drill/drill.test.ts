import { appendFile, cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/store/db/database.ts'
import { verifyBody } from '../../src/webhooks/verify.ts'
import { guideBlock } from '../guides/guide-blocks.ts'
import { openForTests } from '../harness/for-tests.ts'
import { Client } from '../journey/client.ts'
import { uploadStatement } from '../journey/http-walks.ts'
import { openReceiver, type Receiver } from '../journey/receiver.ts'
import { until } from '../process/deadline.ts'
import { reportFigure } from '../prove/figures.ts'
import { type Load, startLoad } from '../upgrades/load.ts'
import { writeNextVersion } from '../upgrades/next-version.ts'
import { killIfRunning, lacksMachine, machineNote, openMachine } from './machine.ts'
import { dashboardQueries, type Prometheus, startPrometheus } from './prometheus.ts'

const CHECKOUT = resolve(import.meta.dirname, '..', '..')
const SETTINGS = 'set -a; . /etc/countinghouse/settings; set +a\n'
const LOGIN = { email: 'avery@lender.example', password: 'harbour-violet-teapot-91' }
/** Syncs to complete before and after the upgrade. */
const SYNCS = 6
/** What the whole of the guides' commands may take; the operator's reading comes on top (docs/guides/production.md). */
const LIMIT_MINUTES = 15

/** Work of an operator who only has the guides. Each step depends on the previous one. */
describe.skipIf(lacksMachine)(`a drill${machineNote}`, () => {
  const machine = openForTests(openMachine)
  let receiver: Receiver
  let prometheus: Prometheus
  let client: Client
  let secret: string
  let load: Load | null = null
  const companies: string[] = []
  let serviceId: string
  let before: string[] = []
  const figures: string[] = []
  const steps: { name: string; seconds: number }[] = []

  beforeAll(async () => {
    setDefaultCACertificates([...getCACertificates('default'), machine.certificate])
    receiver = await openReceiver()
  })
  afterAll(async () => {
    await load?.stop()
    await prometheus?.close()
    await receiver?.close()
    const taken = steps.map(({ name, seconds }) => `${name} ${seconds.toFixed(0)} s`)
    process.stdout.write(`drill: ${[...taken, ...figures].join(', ')}\n`)
    reportFigure('drill: steps of an operator', taken.join(', '))
    reportFigure(`drill: all steps together, at most ${LIMIT_MINUTES * 60} s`, `${totalSeconds().toFixed(0)} s`)
  })

  const totalSeconds = () => steps.reduce((total, { seconds }) => total + seconds, 0)

  /** Runs a step and records its duration. */
  const step = (name: string, work: () => Promise<void>) =>
    it(name, { timeout: 300_000 }, async () => {
      const begin = performance.now()
      await work()
      steps.push({ name, seconds: (performance.now() - begin) / 1_000 })
    })

  const metricsAddresses = () => ['9464', '9465', '9466', '9467'].map((port) => `127.0.0.1:${machine.localize(port)}`)

  const accounts = async () =>
    await Promise.all(companies.map(async (id) => (await client.ask(`/normalized-data/${id}/banking/accounts/${serviceId}`)).body))

  async function startAll(): Promise<void> {
    await machine.run(guideBlock('production.md', 'start --role api'))
    await machine.run(guideBlock('scaling.md', 'start --role api'))
    expect(await machine.processes()).toHaveLength(4)
  }

  /** Waits for more syncs; a failure includes nginx's log. */
  async function underLoad(count: number): Promise<void> {
    if (!load) throw new Error('there is no load')
    await load.syncs(count).catch(async (error: unknown) => {
      const log = await readFile(join(machine.root, 'nginx.log'), 'utf8')
      throw new Error(`${String(error).slice(0, 500)}\n${log.split('\n').slice(-12).join('\n')}`)
    })
  }

  async function query<T extends object>(text: string): Promise<T[]> {
    const url = machine.localize('postgres://countinghouse:a-long-password@127.0.0.1:5432/countinghouse')
    const database = openDatabase(url, { max: 1 })
    try {
      return (await database.query<T & Record<string, unknown>>(text)).rows
    } finally {
      await database.end()
    }
  }

  step('installed', async () => {
    await machine.run(guideBlock('production.md', 'createdb'))
    await machine.run(guideBlock('production.md', 'ENVIRONMENT=production'))
    // The receiver of this test is on this machine, and a single client makes all requests.
    const own = ['ALLOW_PRIVATE_ADDRESSES=true', 'REQUESTS_PER_SESSION=0']
    await appendFile(join(machine.root, 'etc/countinghouse/settings'), `${own.join('\n')}\n`)
    await startAll()
    await machine.startProxy()
    expect(await machine.run(guideBlock('production.md', '/healthz'))).toContain('"status":"ok"')
    const token = /#(\S+)/.exec(await machine.run(guideBlock('production.md', 'admin-link')))?.[1]
    const chosen = await fetch(`${machine.baseUrl}/admin/api/v1/auth/new-password`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, password: LOGIN.password }),
    })
    expect(chosen.status).toBe(204)
    const said = await machine.run(guideBlock('production.md', 'countinghouse doctor'))
    const found = [...said.matchAll(/^(?:error|warning) +(\S+)$/gm)].map(([, id]) => id)
    expect(found).toEqual(['private-addresses-allowed', 'source-keys-unset'])
    expect(await machine.run(SETTINGS + guideBlock('hardening.md', 'login.json'))).toBe('')
    expect(await machine.run(SETTINGS + guideBlock('hardening.md', 'rolbypassrls'))).toBe('f\n')
  })

  step('run by operators', async () => {
    const link = await machine.run(SETTINGS + guideBlock('operators.md', 'operator-link'))
    expect(link).toContain(`${machine.baseUrl}/operator/`)
    const instances = await machine.run(SETTINGS + guideBlock('operators.md', 'instance create'))
    expect(instances).toMatch(/Maple Lending[\s\S]*Maple Lending/)
  })

  step('in use', async () => {
    client = await Client.logIn({ baseUrl: machine.baseUrl, dataDir: '' }, LOGIN)
    secret = await client.subscribe('NormalizedData', receiver.url)
    serviceId = (await client.service('Bank files')).id
    for (const name of ['Nordic Bakery', 'Café du Port', 'Prairie Tools']) {
      const companyId = await client.addCompany(name)
      await uploadStatement(machine.baseUrl, await client.link(companyId, serviceId))
      await client.connectionInStatus(companyId, [19])
      companies.push(companyId)
    }
  })

  step('seen by Prometheus', async () => {
    await writeFile(join(machine.root, 'etc/prometheus/countinghouse.token'), 'a-token-for-prometheus')
    prometheus = await startPrometheus(machine.root, metricsAddresses())
    await until('four processes', async () => ((await prometheus.query('count(up == 1)'))[0] === '4' ? true : null))
    expect(await prometheus.query('count by (role) (countinghouse_info)')).toEqual(['2', '2'])
    const queries = await dashboardQueries()
    const listEmpty = async () => {
      const found = await Promise.all(queries.map(async ({ title, expr }) => ((await prometheus.query(expr)).length > 0 ? null : title)))
      return found.filter((title) => title !== null)
    }
    await expect.poll(listEmpty, { timeout: 60_000, interval: 1_000 }).toEqual([])
    const memory = await prometheus.query(
      'max by (role) (process_resident_memory_bytes * on (instance) group_left (role) countinghouse_info)',
    )
    const megabytes = memory.map((bytes) => (Number(bytes) / 1e6).toFixed(0))
    figures.push(`${queries.length} queries of dashboards filled`, `${megabytes.join(' and ')} MB of an API and a worker process`)
    expect(await prometheus.query('ALERTS{alertstate="firing"}')).toEqual([])
  })

  step('backed up under load', async () => {
    load = startLoad(client, { companies, serviceId })
    load.use([machine.baseUrl])
    await underLoad(2)
    const blocks = [
      guideBlock('backup.md', 'openssl rand'),
      guideBlock('backup.md', 'backup --to'),
      guideBlock('backup.md', 'countinghouse verify'),
    ]
    const said = await machine.run(`${SETTINGS}${blocks.join('\n')}`, { BACKUPS: join(machine.root, 'backups') })
    expect(said).toMatch(/all genuine\nreplay: (\d+) of \1 records have the published bytes/)
    await underLoad(2)
    await load.stop()
    expect(load.faults).toEqual([])
    before = await accounts()
  })

  step('lost and restored', async () => {
    for (const pid of await machine.processes()) killIfRunning(pid)
    await rm(join(machine.root, 'var/lib/countinghouse'), { recursive: true })
    await machine.run(`psql --dbname=postgres -c 'drop database countinghouse with (force)' -c 'drop role countinghouse'`)
    expect((await fetch(`${machine.baseUrl}/healthz`)).status).toBe(502)

    const statements = guideBlock('restore.md', 'create role')
    await machine.run(`psql --dbname=postgres --set=ON_ERROR_STOP=1 <<'END'\n${statements}\nEND`)
    const [restore, verify] = [guideBlock('restore.md', 'countinghouse restore'), guideBlock('restore.md', 'countinghouse verify')]
    const folders = { BACKUPS: join(machine.root, 'backups'), NEW_DATA_DIR: join(machine.root, 'var/lib/countinghouse') }
    const said = await machine.run(`${SETTINGS}${restore}${verify}`, folders)
    expect(said).toMatch(/The copy is paused\.[\s\S]*tables: (\d+) of \1 are equal to the backup/)
    await startAll()
    client = await Client.logIn({ baseUrl: machine.baseUrl, dataDir: '' }, LOGIN)
    expect(await accounts()).toEqual(before)
    expect((await client.refresh(companies[0] ?? '', serviceId)).status, 'paused').toBe(503)
    expect(await machine.run(`${SETTINGS}${guideBlock('restore.md', 'countinghouse resume')}`)).toContain('Resumed')
    const readiness = () => Promise.all(metricsAddresses().map(async (at) => (await fetch(`http://${at}/readyz`)).text()))
    await until('the pause ends in all processes', async () => ((await readiness()).join().includes('paused') ? null : true))
  })

  step('upgraded under load', async () => {
    const next = join(machine.root, 'opt/countinghouse-next')
    await writeNextVersion(next)
    await cp(join(CHECKOUT, 'bin'), join(next, 'bin'), { recursive: true })
    await mkdir(join(CHECKOUT, 'dist'), { recursive: true })
    await symlink(join(CHECKOUT, 'dist'), join(next, 'dist'))
    const { version } = JSON.parse(await readFile(join(next, 'package.json'), 'utf8')) as { version: string }
    load = startLoad(client, { companies, serviceId })
    load.use([machine.baseUrl])
    await underLoad(SYNCS)
    await machine.run(guideBlock('upgrade.md', 'next_api'))
    await underLoad(SYNCS)
    await load.stop()
    expect(load.faults).toEqual([])
    figures.push(`${load.reads()} reads during the upgrade without a fault`)
    const ofVersion = async () => (await prometheus.query(`count(countinghouse_info{version="${version}"})`))[0]
    await until('four processes of the next version', async () => ((await ofVersion()) === '4' ? true : null))
    expect(await query('select name from schema_migrations where name like $$99%$$')).toHaveLength(2)
  })

  step('every event has arrived', async () => {
    const events = await query<{ id: string }>(
      `select e.body::json ->> 'Identifier' as id from events e join subscriptions s using (instance_id)
       where e.kind = 'NormalizedData' and e.created_at > s.created_at`,
    )
    expect(events.length).toBeGreaterThan(2 * SYNCS)
    const known = () => new Set(receiver.arrivals.map(({ event }) => event.Identifier))
    await until('all events', () => (events.every(({ id }) => known().has(id)) ? true : null), 60_000)
    for (const { body } of receiver.arrivals) expect(verifyBody(body, secret)).toBe(true)
  })

  it(`takes at most ${LIMIT_MINUTES} minutes in all`, () => {
    expect(steps.map(({ name }) => name)).toContain('every event has arrived')
    expect(totalSeconds(), JSON.stringify(steps)).toBeLessThanOrEqual(LIMIT_MINUTES * 60)
  })
})
