import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Type } from 'typebox'
import { Parse } from 'typebox/value'
import { beforeAll, describe, expect, it } from 'vitest'
import { guideBlock } from '../guides/guide-blocks.ts'
import { openForTests } from '../harness/for-tests.ts'
import { callTool, openMcpHarness } from './client.ts'

const Texts = Type.Record(Type.String(), Type.String())
const Configuration = Type.Object({ command: Type.String(), args: Type.Array(Type.String()), env: Texts })
const HttpConfiguration = Type.Object({ url: Type.String(), headers: Texts })
const Answer = Type.Object({ id: Type.Integer(), result: Type.Object({ isError: Type.Optional(Type.Boolean()) }) })
const CHECKOUT = resolve(import.meta.dirname, '..', '..')

const mcp = openForTests(openMcpHarness)
let key: string
beforeAll(async () => {
  key = await mcp.newKey()
})

/** The same over HTTP: an address and a header. */
async function connectOverHttp(): Promise<Client> {
  const block = guideBlock('mcp.md', '"headers"')
    .replace('https://data.lender.example', mcp.origin)
    .replace(/ch_live_…/, key)
  const { url, headers } = Parse(HttpConfiguration, JSON.parse(block))
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  return client
}

/** As an assistant is configured by the guide, but for the address, the key and where the command is. */
async function connectAsInGuide(): Promise<Client> {
  const block = guideBlock('mcp.md', '"command"')
  const localized = block.replace('https://data.lender.example', mcp.origin).replace(/ch_live_…/, key)
  const { command, args, env } = Parse(Configuration, JSON.parse(localized))
  expect(command).toBe('countinghouse')
  return await connectStdio(args, env)
}

async function connectStdio(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  const own = { command: process.execPath, args: ['src/main.ts', ...args], cwd: CHECKOUT, env: { PATH: process.env.PATH ?? '', ...env } }
  await client.connect(new StdioClientTransport(own))
  return client
}

describe('countinghouse mcp', () => {
  it('gives the tools and answers of the deployment over standard input and output', async () => {
    const [overStdio, overHttp] = [await connectAsInGuide(), await connectOverHttp()]
    try {
      expect(await overStdio.listTools()).toEqual(await overHttp.listTools())
      const input = { companyId: mcp.api.syncHarness.companyId }
      expect(await callTool(overStdio, 'list_connections', input)).toEqual(await callTool(overHttp, 'list_connections', input))
      expect((await callTool(overStdio, 'list_connections', {})).content.error?.status).toBe(400)
      await mcp.turn(false)
      expect((await callTool(overStdio, 'list_companies', {})).content.error).toEqual({
        status: 403,
        detail: 'The MCP server is off for this instance; an administrator can turn it on.',
      })
    } finally {
      await mcp.turn(true)
      await overStdio.close()
    }
  })

  it('says when the deployment does not answer', async () => {
    const client = await connectStdio(['mcp', '--address', 'http://127.0.0.1:9'], { COUNTINGHOUSE_API_KEY: key })
    try {
      const { content, isError } = await callTool(client, 'list_companies', {})
      expect([isError, content.error?.status]).toEqual([true, 503])
    } finally {
      await client.close()
    }
  })

  it('answers what is still open when the input ends, also a last line without its end, and exits', async () => {
    const env = { PATH: process.env.PATH, COUNTINGHOUSE_API_KEY: key }
    const child = spawn(process.execPath, ['src/main.ts', 'mcp', '--address', mcp.origin], { cwd: CHECKOUT, env })
    const ended = once(child, 'close')
    const clientInfo = { name: 'test', version: '1.0.0' }
    const call = { method: 'tools/call', params: { name: 'list_companies', arguments: {} } }
    const messages = [
      { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } },
      { method: 'notifications/initialized' },
      ...Array.from({ length: 3 }, (_, at) => ({ id: at + 2, ...call })),
    ]
    child.stdin.end(messages.map((message) => JSON.stringify({ jsonrpc: '2.0', ...message })).join('\n'))
    const answers = (await text(child.stdout))
      .trim()
      .split('\n')
      .map((line) => Parse(Answer, JSON.parse(line)))
    expect(answers.map(({ id, result }) => [id, result.isError ?? false]).sort()).toEqual([1, 2, 3, 4].map((id) => [id, false]))
    expect((await ended)[0]).toBe(0)
  })

  it('exits at the end of the input while a client listens for changes, which never ends', async () => {
    const env = { PATH: process.env.PATH, COUNTINGHOUSE_API_KEY: key }
    const child = spawn(process.execPath, ['src/main.ts', 'mcp', '--address', mcp.origin], { cwd: CHECKOUT, env })
    const ended = once(child, 'close')
    child.stdin.end(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: {} })}\n`)
    child.stdout.resume()
    expect((await ended)[0]).toBe(0)
  })

  it.each([
    [['mcp', '--address', 'nowhere'], 'http(s) address'],
    [['mcp', '--address', 'http://127.0.0.1:1'], 'an API key is needed: set COUNTINGHOUSE_API_KEY'],
    [['mcp', '--address', 'http://127.0.0.1:1', '--key', 'ch_live_0000'], 'there is no option --key'],
  ])('is refused without an address, without a key, and with one among its arguments: %j', async (args, message) => {
    const child = spawn(process.execPath, ['src/main.ts', ...args], { cwd: CHECKOUT, env: { PATH: process.env.PATH } })
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    const [code] = await once(child, 'close')
    expect([code, said]).toEqual([2, expect.stringContaining(message)])
    expect(said).not.toContain('ch_live_')
  })
})
