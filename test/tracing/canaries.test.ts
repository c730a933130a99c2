import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Owner } from '../connect/kit/owner.ts'
import { databaseForTests, folderForTests, openForTests } from '../harness/for-tests.ts'
import { Client } from '../journey/client.ts'
import { finishAtPlaid, uploadStatement } from '../journey/http-walks.ts'
import { openReceiver } from '../journey/receiver.ts'
import { STATEMENT, STATEMENT_ACCOUNT } from '../journey/walks.ts'
import { until } from '../process/deadline.ts'
import { type Service, startService } from '../process/service.ts'
import { openCollector } from './collector.ts'

/** What belongs to an owner and may show in no log line, span, metric or error. */
const PAYEE = 'Quillon Vastmark'
const OWNER = 'fiona.canary@owner.example'
const NUMBERS = [STATEMENT_ACCOUNT, '990417221', '778812345699']
/** As its owner has called it; the page says which file is meant. */
const FILE = `${PAYEE} ${NUMBERS[2]}.ofx`
const MASKED = `${PAYEE} ••••5699.ofx`
/** As a page says it; once the file is taken in, its numbers are masked. */
const FILE_NAME = /Quillon Vastmark (778812345699|••••5699)\.ofx/g
const CANARIES = [...NUMBERS, 'Vastmark', 'fiona.canary', 'Larchmoor Credit']

const folder = folderForTests()
const test = databaseForTests()
const collector = openForTests(openCollector)
const receiver = openForTests(openReceiver)
let service: Service
let client: Client
let companyId: string
/** Texts of pages and answers that told of a fault. */
const errors: string[] = []

/** An owner's data go right and wrong through files, an aggregator and the mail, with the log at its most talkative. */
beforeAll(async () => {
  const environment = {
    DATABASE_URL: test.url,
    LOG_LEVEL: 'trace',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '200',
    OTEL_METRIC_EXPORT_INTERVAL: '1000',
  }
  service = await startService({ dataDir: folder.path, environment })
  client = await Client.logIn(service)
  await client.subscribe('NormalizedData', receiver.url)
  companyId = await client.addCompany('Canary Bakery')
  const { id: files } = await client.service('Bank files')
  await uploadStatement(service.baseUrl, await client.link(companyId, files), (text) => text.replace('Flour', PAYEE))
  await client.connectionInStatus(companyId, [19])
  await sendDamaged(files)
  await failAtPlaid()
  const mail = await client.ask(`/normalized-data/company/${companyId}/data-connection/${files}/link-mail`, {
    method: 'POST',
    body: { to: OWNER, language: 'en', note: `For ${PAYEE}` },
  })
  expect(mail.status).toBe(202)
  await receiver.first('of the statement', ({ Data }) => Data.CompanyId === companyId, 60_000)
  await until(
    'the mail',
    async () => ((await test.database.query(`select from mails where state = 'sent'`)).rowCount ? true : null),
    60_000,
  )
  await collector.trace(() => collector.spans().find(({ name }) => name === 'publish')?.traceId ?? null, ['publish'])
}, 180_000)
afterAll(async () => {
  await service?.stop()
})

/** Files that cannot be read, with the number of an account in their name and in the place of the fault. */
async function sendDamaged(serviceId: string): Promise<void> {
  const text = (await readFile(STATEMENT, 'utf8')).replace('Flour', PAYEE)
  const damages = [
    text.replace('<TRNAMT>2750.00', `<TRNAMT>${NUMBERS[2]},x,${PAYEE}`),
    text.replace('<CURDEF>USD', `<CURDEF>${PAYEE} ${NUMBERS[2]}`),
    text.slice(0, text.indexOf('<LEDGERBAL>')),
    `${NUMBERS[2]};${PAYEE}\n`.repeat(20),
  ]
  for (const bytes of damages) {
    const owner = new Owner(service.baseUrl)
    const page = await owner.agree(await client.link(companyId, serviceId))
    errors.push((await owner.upload(page, [{ name: FILE, bytes }])).text)
  }
}

async function failAtPlaid(): Promise<void> {
  const { id: plaid } = await client.service('Plaid')
  const { owner, back } = await finishAtPlaid(service.baseUrl, await client.link(companyId, plaid), 'caisse')
  await owner.get(back)
  await until('a bank', async () => ((await client.connections(companyId)).length > 1 ? true : null), 60_000)
  for (const body of [{ accountNumber: NUMBERS[2] }, { name: PAYEE.repeat(100) }, NUMBERS[2]])
    errors.push((await client.ask('/normalized-data/company', { method: 'POST', body })).body)
  errors.push((await client.ask(`/normalized-data/${companyId}/banking/accounts/${plaid}?FilterQuery=nickname eq`)).body)
}

describe('numbers of accounts and names of owners', () => {
  const found = (text: string) => CANARIES.filter((canary) => text.includes(canary))

  it('are in what was read', async () => {
    const { rows } = await test.database.query<{ doc: string }>(`select doc from record_versions where doc like '%Vastmark%'`)
    expect(rows.length).toBeGreaterThan(0)
  })

  it('are in no line of the log, also at its most talkative', () => {
    expect(service.output()).toContain('"level":"debug"')
    expect(found(service.output())).toEqual([])
  })

  it('are in no span and no metric that leaves the process', async () => {
    expect(collector.everything()).toContain('publish')
    expect(found(collector.everything())).toEqual([])
    const metrics = await (await fetch(`${service.baseUrl}/metrics`)).text()
    expect(metrics).toContain('countinghouse_sync_runs_total')
    expect(found(metrics)).toEqual([])
  })

  it('are in no error: pages, answers, jobs, runs, timelines, the audit trail', async () => {
    expect(errors.length).toBeGreaterThan(6)
    expect(errors.map((text) => text.replaceAll(FILE_NAME, '')).filter((text) => found(text).length > 0)).toEqual([])
    for (const stored of ['jobs', 'sync_runs', 'connection_timeline', 'audit_entries', 'quarantined_records', 'mails', 'deliveries']) {
      const { rows } = await test.database.query<{ text: string }>(`select (t.*)::text as text from ${stored} t`)
      expect([stored, ...rows.flatMap(({ text }) => found(text.replaceAll(MASKED, '')))], stored).toEqual([stored])
    }
  })
})
