import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openKeys } from '../../src/store/keys/keys.ts'
import { addInstance } from '../harness/app/tenants.ts'
import { addUser, PASSWORD } from '../harness/app/users.ts'
import { databaseForTests, folderForTests } from '../harness/for-tests.ts'

const DOUBLES = 1_000
const API = '/admin/api/v1'

interface ApiProcess {
  url: string
  ended: Promise<unknown>
}

const test = databaseForTests()
const folder = folderForTests()
let email: string
const children = new Set<ChildProcess>()

beforeAll(async () => {
  await openKeys(folder.path)
  email = (await addUser(test.database, await addInstance(test.database))).email
})
afterAll(async () => {
  await Promise.all([...children].map(end))
})

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'close')
}

async function start(dies = ''): Promise<ApiProcess> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'api-process.ts'), test.url, folder.path, dies], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.add(child)
  const [port] = await once(createInterface({ input: child.stdout }), 'line')
  return { url: `http://127.0.0.1:${port}${API}`, ended: once(child, 'close') }
}

async function post(url: string, path: string, body: object, headers: Record<string, string> = {}) {
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return { status: answer.status, body: await answer.text(), replayed: answer.headers.get('idempotent-replayed') }
}

async function logIn({ url }: ApiProcess): Promise<string> {
  const { access_token: token } = JSON.parse((await post(url, '/auth/login', { email, password: PASSWORD })).body) as {
    access_token: string
  }
  return `Bearer ${token}`
}

async function idsOf(name: string): Promise<string[]> {
  const { rows } = await test.database.query<{ id: string }>('select id from companies where name = $1', [name])
  return rows.map(({ id }) => id)
}

/** Moves time forward by 15 seconds, after which the lease of a killed process expires. */
async function endLease(): Promise<void> {
  const { rows } = await test.database.query<{ isShort: boolean }>(
    `with before as (select id, leased_until from idempotency_keys where status is null),
       ended as (update idempotency_keys k set leased_until = clock_timestamp() from before where k.id = before.id)
     select leased_until <= clock_timestamp() + interval '15 seconds' as "isShort" from before`,
  )
  expect(rows).toEqual([{ isShort: true }])
}

it(`${DOUBLES} concurrent requests with one key, to three processes, create one company and return one response`, async () => {
  const processes = [await start(), await start(), await start()]
  const headers = { authorization: await logIn(processes[0] as ApiProcess), 'idempotency-key': randomUUID() }
  const add = async (at: number) =>
    await post(processes[at % processes.length]?.url ?? '', '/normalized-data/company', { name: 'Once of many' }, headers)
  const answers = await Promise.all(Array.from({ length: DOUBLES }, (_, at) => add(at)))
  const after = await add(0)
  const made = answers.filter(({ status }) => status === 201)
  expect((await idsOf('Once of many')).length).toBe(1)
  expect(answers.filter(({ status }) => status !== 201 && status !== 409)).toEqual([])
  expect(made.filter(({ replayed }) => replayed === null).length).toBe(1)
  expect(new Set([...made, after].map(({ body }) => body)).size).toBe(1)
})

describe.each([
  ['before', 0],
  ['after', 1],
])('a request whose process was killed %s its commit', (dies, before) => {
  it('is executed again under its key, and creates one company', async () => {
    const [dying, alive] = [await start(dies), await start()]
    const headers = { authorization: await logIn(alive), 'idempotency-key': randomUUID() }
    const name = `Cut off ${dies}`
    const body = { name }
    await expect(post(dying.url, '/normalized-data/company', body, headers)).rejects.toThrow()
    await dying.ended
    const ids = await idsOf(name)
    expect([ids.length, (await post(alive.url, '/normalized-data/company', { name: 'Another' }, headers)).status]).toEqual([before, 422])
    const refused = await post(alive.url, '/normalized-data/company', body, headers)
    expect([refused.status, refused.body]).toEqual([409, expect.stringContaining('under way')])
    await endLease()
    const again = await post(alive.url, '/normalized-data/company', body, headers)
    const repeated = await post(alive.url, '/normalized-data/company', body, headers)
    const found = await idsOf(name)
    expect([again.status, again.replayed, repeated.body, repeated.replayed]).toEqual([201, null, again.body, 'true'])
    expect([found.length, ids.every((id) => found.includes(id)), again.body.includes(found[0] ?? '')]).toEqual([1, true, true])
  })
})
