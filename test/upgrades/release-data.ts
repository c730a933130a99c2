import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync, gzipSync } from 'node:zlib'
import { Type } from 'typebox'
import { Assert } from 'typebox/value'
import type { Client } from '../journey/client.ts'
import { openTestFolder, startService } from '../process/service.ts'
import { fillDeployment, LOGIN } from './fill-deployment.ts'

const run = promisify(execFile)
const CHECKOUT = resolve(import.meta.dirname, '..', '..')
const FOLDER = join(import.meta.dirname, 'releases')

/** Passphrase of the recorded backups, which contain invented data and their own keys. */
export const PASSPHRASE = 'recorded for the tests of upgrades'

/** Answers of the release to requests that change nothing, by path. */
const Answers = Type.Record(Type.String(), Type.Unknown())
export type Answers = Record<string, unknown>

export interface ReleaseData {
  backup: string
  answers: Answers
}

/** Data of a release, recorded by `recordData`. */
export async function readReleaseData(release: string): Promise<ReleaseData> {
  const answers: unknown = JSON.parse(gunzipSync(await readFile(join(FOLDER, `${release}.answers.json.gz`))).toString('utf8'))
  Assert(Answers, answers)
  return { backup: join(FOLDER, `${release}.backup`), answers }
}

/**
 * Records a release for later ones to upgrade from: a backup of a small deployment created by the code of `checkout`,
 * and its responses. Later versions must restore the backup and return the same responses.
 */
export async function recordData(release: string, checkout = CHECKOUT): Promise<void> {
  const folder = await openTestFolder()
  try {
    const dataDir = join(folder.path, 'data')
    const feedsDir = join(folder.path, 'feeds')
    await mkdir(feedsDir)
    const environment = { SEED_EMAIL: LOGIN.email, SEED_PASSWORD: LOGIN.password, FEEDS_DIR: feedsDir }
    const service = await startService({ dataDir, environment, checkout })
    try {
      const client = await fillDeployment(service, feedsDir)
      // Recorded data must not change any more.
      await run(process.execPath, [join(checkout, 'bin', 'countinghouse.js'), 'pause'], {
        env: { DATA_DIR: dataDir, PATH: process.env.PATH },
      })
      const answers = await readAnswers(client)
      const env = { DATA_DIR: dataDir, PATH: process.env.PATH, BACKUP_PASSPHRASE: PASSPHRASE }
      const path = join(FOLDER, `${release}.backup`)
      await run(process.execPath, [join(checkout, 'bin', 'countinghouse.js'), 'backup', '--to', path], { env })
      await writeFile(join(FOLDER, `${release}.answers.json.gz`), gzipSync(JSON.stringify(answers)))
    } finally {
      await service.stop()
    }
  } finally {
    await folder.remove()
  }
}

/** Requests whose responses depend neither on the time nor on the caller, and the data of every connection. */
async function readAnswers(client: Client): Promise<Answers> {
  const answers: Answers = {}
  const ask = async (path: string) => {
    const { status, body } = await client.ask(path)
    // A connection that waits for its owner has no data.
    if (status === 404) return
    if (status !== 200) throw new Error(`${path}: ${status} ${body}`)
    answers[path] = JSON.parse(body)
  }
  for (const path of [
    '/normalized-data/companies',
    '/normalized-data/receipts',
    '/normalized-data/institution-requests',
    '/webhooks/subscriptions',
    '/webhooks/receivers',
    '/webhooks/events',
    '/mail-settings',
    '/instance/owner-pages',
  ])
    await ask(path)
  for (const { id } of await client.companies())
    for (const { serviceId, category } of await client.connections(id)) {
      const kind = category === 'Banking' ? 'banking' : 'accountancy'
      await ask(`/normalized-data/${id}/${kind}/accounts/${serviceId}?PageSize=20`)
      await ask(`/normalized-data/${id}/${kind}/transactions/${serviceId}?PageSize=20`)
      await ask(`/normalized-data/company/${id}/data-connection/${serviceId}/consents`)
    }
  return answers
}
