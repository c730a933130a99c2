import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { folderForTests, serviceForTests } from '../harness/for-tests.ts'
import { until } from './deadline.ts'

const run = promisify(execFile)
const LAST_LINES = 'Connect QuickBooks'

describe('the lines that a first start prints', () => {
  const folder = folderForTests()
  const service = serviceForTests(() => ({ dataDir: folder.path, until: LAST_LINES }))
  let token: string
  let tokenLine: string
  let lines: string[]

  beforeAll(async () => {
    const printed = service.output().split('\n')
    const curls = printed.filter((line) => line.startsWith('  curl ')).map((line) => line.trim())
    const [loginLine = '', ...others] = curls
    // Faster than the line that prints a token, so that nothing gets time to arrive.
    const { stdout } = await run('/bin/sh', ['-c', loginLine], { cwd: folder.path })
    token = `TOKEN=${/"access_token":"([^"]+)"/.exec(stdout)?.[1]}`
    tokenLine = (printed.find((line) => line.startsWith('  TOKEN=')) ?? '').trim()
    lines = others
  })

  it('answer every operation of the specification with data at once, without a browser', async () => {
    const answers = await Promise.all(lines.map(async (line) => [operationOf(line), await answerOf(line)]))
    expect(answers).toEqual([
      ['companies', { status: 200, hasData: true }],
      ['services', { status: 200, hasData: true }],
      ['data-connection/statuses', { status: 200, hasData: true }],
      ['banking/accounts', { status: 200, hasData: true }],
      ['data-connection/link', { status: 200, hasData: true }],
      ['services/institutions', { status: 200, hasData: true }],
      ['accountancy/accounts', { status: 200, hasData: true }],
    ])
  })

  it('print a token with which the others work', async () => {
    const { stdout } = await run('/bin/sh', ['-c', `${tokenLine}\n${lines[0]}`], { cwd: folder.path })
    expect(stdout).toContain('"data":[{')
  })

  /** A directory that is being read asks to come again. */
  async function answerOf(line: string): Promise<{ status: number; hasData: boolean }> {
    return await until('an answer other than 503', async () => {
      const { stdout } = await run('/bin/sh', ['-c', `${token}\n${line} -i`], { cwd: folder.path })
      const [head = '', body = ''] = stdout.split('\r\n\r\n')
      const status = Number(head.split(' ')[1])
      if (status === 503) expect(head).toMatch(/^retry-after: \d+/im)
      return status === 503 ? null : { status, hasData: /"data":\[\{|"link":"http/.test(body) }
    })
  }
})

/** Path of a line without the ids. */
function operationOf(line: string): string {
  const [, path = ''] = /normalized-data\/([^ '?]+)/.exec(line) ?? []
  const named = path.split('/').filter((part) => !/^[0-9a-f]{8}-/.test(part))
  return named.filter((part) => part !== 'company').join('/')
}
