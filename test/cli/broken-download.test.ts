import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openTestFolder, startService } from '../process/service.ts'
import { runCommand } from './run-command.ts'

const CUT_AFTER = 300

/** Proxy in front of a deployment that cuts the first two downloads off; `ranges` are those that were asked for. */
async function openCuttingProxy(target: string) {
  const ranges: (string | undefined)[] = []
  const proxy = createServer(async (request, response) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { authorization = '', 'content-type': type, range } = request.headers
    const answer = await fetch(`${target}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { authorization, ...(type && { 'content-type': type }), ...(range && { range }) },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    })
    const body = Buffer.from(await answer.arrayBuffer())
    const isDownload = request.url?.endsWith('/file') === true
    if (isDownload) ranges.push(range)
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain', 'content-length': body.length })
    if (isDownload && ranges.length <= 2) response.write(body.subarray(0, CUT_AFTER), () => response.destroy())
    else response.end(body)
  })
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
  const bound = proxy.address()
  return { ranges, address: `http://127.0.0.1:${bound && typeof bound === 'object' ? bound.port : 0}`, close: () => proxy.close() }
}

it('an export whose download breaks off goes on where it stood, to the same bytes', async () => {
  const folder = await openTestFolder()
  const service = await startService({ dataDir: join(folder.path, 'data') })
  const proxy = await openCuttingProxy(service.baseUrl)
  try {
    const env = { XDG_CONFIG_HOME: join(folder.path, 'config') }
    await runCommand(['login', '--sandbox'], { ...env, DATA_DIR: service.dataDir, BASE_URL: service.baseUrl })
    const { key } = JSON.parse(await readFile(join(folder.path, 'config', 'countinghouse', 'profiles.json'), 'utf8')).profiles.default
    const whole = await runCommand(['export', 'Banking', 'Accounts'], env)
    const to = join(folder.path, 'accounts.ndjson')
    const cut = await runCommand(['export', 'Banking', 'Accounts', '--to', to], {
      COUNTINGHOUSE_ADDRESS: proxy.address,
      COUNTINGHOUSE_API_KEY: key,
      ...env,
    })
    expect([cut.code, cut.stderr]).toEqual([0, expect.stringContaining('broke the download off')])
    expect(proxy.ranges).toEqual([undefined, `bytes=${CUT_AFTER}-`, `bytes=${2 * CUT_AFTER}-`])
    expect(await readFile(to, 'utf8')).toBe(whole.stdout)
    expect((await readdir(folder.path)).filter((name) => name.endsWith('.part'))).toEqual([])
  } finally {
    proxy.close()
    await service.stop()
    await folder.remove()
  }
}, 120_000)
