import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { beforeAll, describe, expect, it } from 'vitest'
import { startWorker } from '../../src/jobs/worker.ts'
import { mailHandlers } from '../../src/mail/jobs.ts'
import { queueMail } from '../../src/mail/queue.ts'
import { createInstance } from '../../src/store/access/instances.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { endLeases } from '../../src/store/jobs/leases.ts'
import { openKeys } from '../../src/store/keys/keys.ts'
import { createSealer } from '../../src/store/keys/sealing.ts'
import { tokenHasher } from '../../src/store/keys/token-hash.ts'
import { databaseForTests, folderForTests, openForTests } from '../harness/for-tests.ts'
import { until } from '../process/deadline.ts'
import { openSmtp } from './smtp.ts'

const INSTANCE = '11111111-1111-4111-8111-111111111111'
const db = databaseForTests()
const smtp = openForTests(openSmtp)
const folder = folderForTests()

beforeAll(async () => {
  await createInstance(db.database, { id: INSTANCE, name: 'Érable Lending' })
})

async function queue(): Promise<string> {
  const keys = await openKeys(folder.path)
  const desk = { sealer: createSealer(keys), hashToken: tokenHasher(keys) }
  const facts = { requester: 'Érable Lending', company: 'Boulangerie', address: 'https://data.example.com/connect/yours' }
  return await inTransaction(db.database, (at) =>
    queueMail(at, desk, {
      instanceId: INSTANCE,
      kind: 'ownerPage',
      facts,
      locale: 'en',
      to: { address: 'owner@example.com' },
      companyId: null,
    }),
  )
}

/** The next process on the same database; it frees the leases of the dead one at its start. */
async function sendAll(): Promise<void> {
  const { database } = db
  await endLeases(database)
  const worker = startWorker({
    database,
    handlers: mailHandlers({
      database,
      sealer: createSealer(await openKeys(folder.path)),
      transport: smtp.post,
      log: { warn: () => undefined },
    }),
    concurrency: 2,
    pace: { heartbeatMs: 500 },
    onError: (error) => {
      throw error
    },
  })
  const left = async () => ((await database.query(`select 1 from mails where state = 'waiting'`)).rows.length === 0 ? true : null)
  await until('every mail is settled', left).finally(() => worker.stop())
}

describe('a sender that is killed', () => {
  it.each([
    ['before-mail-send', 1],
    ['after-mail-send', 2],
  ])('%s leaves a mail that the next one sends: it arrives, always under one Message-ID', async (point, times) => {
    smtp.taken.length = 0
    const id = await queue()
    const program = new URL('./crash-sender.ts', import.meta.url).pathname
    const child = spawn(process.execPath, [program, db.url, folder.path, smtp.url, point], { stdio: 'ignore' })
    const [, signal] = await once(child, 'exit')
    expect(signal).toBe('SIGKILL')
    await sendAll()
    expect(smtp.taken.map(({ email }) => email.messageId)).toEqual(Array.from({ length: times }, () => `<${id}@example.org>`))
  })
})
