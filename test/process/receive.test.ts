import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { toServiceId } from '../../src/model/catalogue.ts'
import { folderForTests, serviceForTests } from '../harness/for-tests.ts'
import { until, within } from './deadline.ts'
import { readLogin } from './service.ts'

const folder = folderForTests()
const service = serviceForTests(() => ({ dataDir: folder.path }))

it('subscribes, prints the event of a refresh with its verified signature, and unsubscribes when it ends', async () => {
  const receiver = spawn(process.execPath, [resolve(import.meta.dirname, '../../tools/receive.ts')], {
    env: { PATH: process.env.PATH, DATA_DIR: folder.path, BASE_URL: service.baseUrl },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(receiver, 'close')
  let printed = ''
  receiver.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  try {
    await until('the receiver listens', () => (printed.includes('Listening on') ? true : null))
    const call = await openApi()
    const [company] = (await call('GET', '/normalized-data/companies?OrderBy=createdOn')).data
    await call('POST', `/normalized-data/company/${company?.id}/data-connection/${toServiceId('bank-files')}/refresh`)
    // The sample books raise events too.
    await until('the event', () => (/"ServiceName": "Bank files"[^}]*\}[^}]*"MessageType": "NormalizedData"/.test(printed) ? true : null))
    expect(printed).toContain('signature valid')
    expect(await call('GET', '/webhooks/subscriptions')).toHaveLength(1)
    receiver.kill('SIGINT')
    await within('the receiver ends', ended)
    expect(receiver.exitCode).toBe(0)
    expect(await call('GET', '/webhooks/subscriptions')).toEqual([])
  } finally {
    receiver.kill('SIGKILL')
  }
})

async function openApi() {
  const api = `${service.baseUrl}/admin/api/v1`
  const login = await fetch(`${api}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(await readLogin(folder.path)),
  })
  const { access_token: token } = (await login.json()) as { access_token: string }
  return async (method: string, path: string) => {
    const response = await fetch(`${api}${path}`, { method, headers: { authorization: `Bearer ${token}` } })
    return (await response.json()) as { data: { id: string }[] }
  }
}
