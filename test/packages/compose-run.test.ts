import { mkdtempSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Type } from 'typebox'
import { Parse } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { guideBlock } from '../guides/guide-blocks.ts'
import { until } from '../process/deadline.ts'
import { type Composition, missingComposeProgram, prepareComposition } from './composition.ts'
import { missingPrograms, Podman } from './podman.ts'

const BACK_WITHIN_MS = 90_000
const Printed = Type.Object({ stdout: Type.String() })
const folder = mkdtempSync(join(tmpdir(), 'compose-'))
const podman = new Podman(folder)
const fault = await findFault()
if (fault !== null) process.stderr.write(`SKIPPED: the compose file is not started: ${fault}\n`)

/** Why this machine starts no containers in a network of their own; null if it does, or if CI is set, so that the tests fail. */
async function findFault(): Promise<string | null> {
  if (process.env.CI === 'true') return null
  const missing = [...missingPrograms, ...(missingComposeProgram === null ? [] : [missingComposeProgram])]
  if (missing.length > 0) return `no ${missing.join(', ')}`
  await podman.makeBase('localhost/probe', join(folder, 'probe'))
  return await podman.run('run', '--rm', '--network=bridge', 'localhost/probe', '/usr/bin/sh', '-c', 'exit 0').then(
    () => null,
    (error: unknown) => `no container runs on this machine: ${error}`,
  )
}

const note = fault === null ? '' : ' (SKIPPED: no container runs on this machine)'
describe.skipIf(fault !== null)(`the compose file, on images of this machine's Debian packages${note}`, { timeout: 240_000 }, () => {
  let composition: Composition
  let authority: string
  let token: string

  beforeAll(async () => {
    composition = await prepareComposition(podman, folder)
    await composition.followGuide()
    await until('the certificate of the proxy', readAuthority, BACK_WITHIN_MS)
    await until('https answers', isReady, BACK_WITHIN_MS).catch(async (error: unknown) => {
      const logs = ['database', 'api', 'worker', 'proxy'].map((name) => podman.run('logs', composition.container(name)))
      throw new Error((await Promise.all(logs)).join('\n').slice(-4_000), { cause: error })
    })
  }, 300_000)
  afterAll(async () => {
    await composition?.remove()
    await rm(folder, { recursive: true, force: true })
  }, 60_000)

  /** The root certificate of Caddy's own authority, which it makes for `localhost`. */
  async function readAuthority(): Promise<true | null> {
    const file = join(folder, 'root.crt')
    const at = `${composition.container('proxy')}:/data/caddy/pki/authorities/local/root.crt`
    const isCopied = await podman.run('cp', at, file).then(
      () => true,
      () => false,
    )
    if (!isCopied) return null
    authority = await readFile(file, 'utf8')
    return true
  }

  async function ask(path: string, body?: unknown): Promise<{ status: number; text: string }> {
    const headers = { ...(body ? { 'content-type': 'application/json' } : {}), ...(token ? { authorization: `Bearer ${token}` } : {}) }
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>()
    const asked = request(
      `${composition.origin}${path}`,
      { ca: authority, method: body ? 'POST' : 'GET', headers, agent: false },
      (answer) => {
        text(answer).then((read) => resolve({ status: answer.statusCode ?? 0, text: read }), reject)
      },
    )
    asked.on('error', reject)
    asked.end(body ? JSON.stringify(body) : undefined)
    return await promise
  }

  const isReady = () =>
    ask('/readyz').then(
      ({ status }) => (status === 200 ? true : null),
      () => null,
    )
  const companies = async () => (await ask('/admin/api/v1/normalized-data/companies')).text
  const addCompany = async (name: string) => await ask('/admin/api/v1/normalized-data/company', { name, country: 'CA', city: 'Montréal' })
  const logIn = async () => {
    token = ''
    const login = await ask('/admin/api/v1/auth/login', { email: 'ann@example.com', password: 'harbour-violet-teapot-91' })
    expect(login.status).toBe(200)
    token = /"access_token":"([^"]+)"/.exec(login.text)?.[1] ?? ''
  }
  const isHealthy = (name: string) =>
    podman.run('healthcheck', 'run', composition.container(name)).then(
      () => true,
      () => null,
    )

  it('answers by https, logs in and writes', async () => {
    await logIn()
    expect((await addCompany('Boulangerie du Plateau')).status).toBe(201)
    expect(await companies()).toContain('Boulangerie du Plateau')
  })

  it('has a worker of its own, and health checks that pass', async () => {
    for (const name of ['api', 'worker', 'database']) await until(name, () => isHealthy(name), BACK_WITHIN_MS)
  })

  it('has the command of operators, which finds no fault that this machine does not have', async () => {
    const said = await composition.follow(guideBlock('container.md', 'admin-link')).catch((error: unknown) => Parse(Printed, error).stdout)
    expect(said).toContain('/portal/new-password#')
    // Its name leads to the container itself, there is no mail server, and no source has keys.
    expect([...said.matchAll(/^(?:error|warning) +(\S+)/gm)].map(([, id]) => id)).toEqual([
      'base-url-unreachable',
      'mail-missing',
      'source-keys-unset',
    ])
  })

  it.each(['api', 'database'])('is back with its data after a restart of the %s', async (name) => {
    await composition.compose('restart', name)
    await until('https answers', isReady, BACK_WITHIN_MS)
    expect(await companies()).toContain('Boulangerie du Plateau')
  })

  it('is backed up, and restored on a machine without its volumes', async () => {
    await composition.follow(guideBlock('container.md', 'backup --to'))
    await addCompany('after the backup')
    await composition.compose('down')
    await composition.removeVolumes()
    await composition.follow(guideBlock('container.md', 'up --detach database'))
    await until('the database', () => isHealthy('database'), BACK_WITHIN_MS)
    expect(await composition.follow(guideBlock('container.md', 'restore --from'))).toContain('The copy is paused')
    await until('https answers', async () => (await readAuthority()) && (await isReady()), BACK_WITHIN_MS)
    await logIn()
    expect(await companies()).toContain('Boulangerie du Plateau')
    expect(await companies()).not.toContain('after the backup')
    expect((await addCompany('paused')).status).toBe(503)
    expect(await composition.follow(guideBlock('container.md', 'countinghouse resume'))).toContain('Resumed')
    await until('the pause ends', async () => ((await addCompany('resumed')).status === 201 ? true : null))
  })

  it('loses nothing by down and up', async () => {
    await composition.compose('down')
    expect(await podman.run('ps', '--all', '--format={{.Names}}')).toBe('')
    await composition.compose('up', '--detach')
    await until('https answers', isReady, BACK_WITHIN_MS)
    expect(await companies()).toContain('Boulangerie du Plateau')
  })
})
